// Brute force: what guesses at passwords or sends mail is limited by address and by account, at each site by itself.
import { exceeded, take } from "../core/budget"
import { sha256 } from "../lib/hash"
import { clientNetwork } from "../lib/ip"
import type { SiteCtx } from "./site"

/** What is counted, each by itself. */
export type Attempt = "login" | "register" | "forgot" | "reset" | "verify" | "password"

/** Attempts a minute, of one client address and on one account. */
const LIMIT = 10

/**
 * Counts an attempt against the client's address and against the account it aims at, at once.
 * @param account an e-mail address in any case, or whatever else names the account
 * @throws Refusal `rate_limited` when either has been tried too often
 */
export async function countAttempt(
  ctx: SiteCtx,
  attempt: Attempt,
  { ip, account }: { ip: string; account: string },
): Promise<void> {
  const budgets = await Promise.all([
    take(ctx.env, ctx.log, { name: `${attempt}-ip:${ctx.site.id}:${clientNetwork(ip).network}`, limit: LIMIT }),
    take(ctx.env, ctx.log, {
      name: `${attempt}-account:${ctx.site.id}:${await sha256(account.toLowerCase())}`,
      limit: LIMIT,
    }),
  ])
  const [latest] = budgets
    .filter((budget) => budget !== null && !budget.allowed)
    .sort((a, b) => (b?.resetAt ?? 0) - (a?.resetAt ?? 0))
  if (latest) throw exceeded(latest)
}
