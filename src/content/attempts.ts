// Brute force: what guesses at passwords, asks who has an account, or sends mail is limited by address and by account, at each site
// by itself; and mails to one address over all sites, because it is the same person who gets them.
import { addressLimits, assertAllowed, assertNotRefused, giveBack, type Limit, spend, take } from "../core/budget"
import { writeOnlyAfter } from "../db/client"
import { sha256 } from "../lib/hash"
import { DAY, HOUR } from "../lib/time"
import type { SiteCtx } from "./site"

/** What is counted, each by itself. */
export type Attempt = "login" | "register" | "forgot" | "reset" | "verify" | "password" | "email" | "device"

/** What an app counts has a name of the app's choice. */
type Counted = Attempt | `app:${string}`

/** Attempts a minute, of one client address and, where it aims at one, on one account. */
const LIMITS: Record<Attempt, Limits> = {
  login: { address: 10, account: 10 },
  register: { address: 10, account: 10 },
  forgot: { address: 10, account: 10 },
  reset: { address: 10, account: 10 },
  verify: { address: 10, account: 10 },
  password: { address: 10, account: 10 },
  email: { address: 60, account: 60 },
  device: { address: 60, account: 60 },
}

/** What an account mail is for. */
export type MailPurpose = "verify" | "reset" | "email_changed"

/** Mails of one purpose that one address gets, whichever site sends them. */
const MAILS = { limit: 5, windowMs: HOUR, longer: { limit: 20, windowMs: DAY } }

interface Limits {
  address: number
  account: number
}

/** What an app has counted, unless it says otherwise: a shop's customers may share an address. */
const OF_APPS: Limits = { address: 60, account: 10 }

interface Who {
  ip: string
  /** An e-mail address in any case, or whatever else names the account; absent where none is aimed at. */
  account?: string
}

/**
 * Counts an attempt against the client's address and against the account it aims at, at once.
 * @throws Refusal `rate_limited` when either has been tried too often
 */
export async function countAttempt(ctx: SiteCtx, attempt: Counted, who: Who): Promise<void> {
  const limits = await limitsOf(ctx, attempt, who)
  // Whose address is known to be refused has no account's object made: it may be the token of nobody.
  assertNotRefused(ctx.env, limits)
  await spend(ctx.env, ctx.log, limits)
}

/**
 * What is read beside a count, heard after it: who has tried too often is told that, and nothing of what was read.
 * @throws whatever the count throws, then whatever the read does
 */
export async function heardAfter<Read>(counted: Promise<void>, read: PromiseLike<Read>): Promise<Read> {
  const reading = Promise.resolve(read)
  reading.catch(() => undefined)
  await counted
  return reading
}

/**
 * What a request does beside its count, heard after it: it reads meanwhile, and writes nothing at the site before.
 * @throws as `heardAfter`
 */
export function beside<Answer>(
  { site }: SiteCtx,
  counted: Promise<void>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  writeOnlyAfter(site.db, counted)
  return heardAfter(counted, work())
}

/**
 * Counts an attempt unless it comes to a good end: a login that succeeds is nobody's guess. It is counted before it is tried, so that
 * guesses side by side are no more than guesses one by one.
 * @param work what is tried, once the count that it is given has come to a good end
 * @throws Refusal `rate_limited`, or whatever `work` throws
 */
export async function countFailures<Answer>(
  ctx: SiteCtx,
  attempt: Attempt,
  who: Who,
  work: (counted: Promise<void>) => Promise<Answer>,
): Promise<Answer> {
  const limits = await limitsOf(ctx, attempt, who)
  const answer = await work(spend(ctx.env, ctx.log, limits).then(() => undefined))
  ctx.after(Promise.all(limits.map(({ name }) => giveBack(ctx.env, ctx.log, name))))
  return answer
}

/**
 * Counts an attempt that has a mail sent, if somebody has an account under the address; whether or not, it counts the same.
 * @param purpose of the mail
 * @throws Refusal `rate_limited`
 */
export async function countMail(
  ctx: SiteCtx,
  attempt: Attempt,
  who: Who & { account: string },
  purpose: MailPurpose,
): Promise<void> {
  const mail = await mailLimit(purpose, who.account)
  const counted = take(ctx.env, ctx.log, mail)
  try {
    await countAttempt(ctx, attempt, who)
  } catch (cause) {
    // Counted beside the attempt, which is refused: there is no mail.
    if ((await counted)?.allowed) ctx.after(giveBack(ctx.env, ctx.log, mail.name))
    throw cause
  }
  assertAllowed(await counted)
}

/**
 * Counts a mail that no request was refused for before: one too many is not to be sent, for its reader was told often enough.
 * @returns whether it may be sent
 */
export async function mayMail(ctx: SiteCtx, purpose: MailPurpose, to: string): Promise<boolean> {
  return (await take(ctx.env, ctx.log, await mailLimit(purpose, to)))?.allowed ?? true
}

const mailLimit = async (purpose: MailPurpose, to: string): Promise<Limit> => ({
  name: `mail-${purpose}:${await sha256(to.toLowerCase())}`,
  ...MAILS,
})

async function limitsOf({ site }: SiteCtx, attempt: Counted, { ip, account }: Who): Promise<Limit[]> {
  const { address, account: most } = Object.hasOwn(LIMITS, attempt) ? LIMITS[attempt as Attempt] : OF_APPS
  const byAddress = addressLimits(`${attempt}-ip:${site.id}`, ip, address)
  if (account === undefined) return byAddress
  return [...byAddress, { name: `${attempt}-account:${site.id}:${await sha256(account.toLowerCase())}`, limit: most }]
}
