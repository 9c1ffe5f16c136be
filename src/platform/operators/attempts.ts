// Guessing at passwords and codes: failures are limited by address and by account; what succeeds does not count.
import { giveBack, spend } from "../../core/budget"
import type { Ctx } from "../../core/context"
import { sha256 } from "../../lib/hash"

/** Failures a minute, of one client address and on one account. */
const LIMIT = 10

/**
 * Tries something that a stranger may be guessing at. It is counted before it is tried, so that many at once are as many, and
 * taken back when it was right.
 * @param account whose password or code it is, in any case
 * @throws Refusal `rate_limited` when either has failed too often; whatever `work` throws
 */
export async function attempt<Answer>(ctx: Ctx, account: string, work: () => Promise<Answer>): Promise<Answer> {
  const names = [`console-ip:${ctx.address}`, `console-account:${await sha256(account.toLowerCase())}`]
  await spend(
    ctx.env,
    ctx.log,
    names.map((name) => ({ name, limit: LIMIT })),
  )
  const answer = await work()
  await Promise.all(names.map((name) => giveBack(ctx.env, ctx.log, name)))
  return answer
}
