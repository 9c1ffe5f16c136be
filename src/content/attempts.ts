// Limits on what strangers may try at a site: guesses at passwords, questions about accounts, and the mails they cause. Each kind is
// limited by client network at each site; the mails of one purpose by mailbox, over all sites.
import { addressLimits, assertNotRefused, heardAfter, type Limit, peek, spend, take } from "../core/budget"
import { type PasswordHasher, permitHashing } from "../core/password-hashing"
import { writeOnlyAfter } from "../db/client"
import { sha256 } from "../lib/hash"
import { DAY, HOUR } from "../lib/time"
import type { SiteCtx } from "./site"

/** What is counted, each by itself. */
export type Attempt = "login" | "register" | "forgot" | "reset" | "verify" | "password" | "email" | "device"

/** What an app counts has a name of the app's choice. */
type Counted = Attempt | `app:${string}`

/** Attempts a minute of one client network and, where an account is named, on one account. */
const LIMITS: Record<Attempt, number> = {
  login: 10,
  register: 10,
  forgot: 10,
  reset: 10,
  verify: 10,
  password: 10,
  email: 60,
  device: 60,
}

/** What an account mail is for. */
export type MailPurpose = "verify" | "reset" | "email_changed"

/** Requests for mails a minute of one client network, over all sites. */
const MAIL_REQUESTS_PER_MINUTE = 30

/** Mails of one purpose that one mailbox gets, whichever site sends them. */
const MAILBOX = { limit: 5, windowMs: HOUR, longer: { limit: 20, windowMs: DAY } }

/** The first mail of a site in an hour, which is sent although other sites have used the mailbox's limit up; so many a day. */
const FIRST_OF_SITE = { limit: 1, windowMs: HOUR }
const FIRSTS_OF_SITES = { limit: 20, windowMs: DAY }

/** Attempts a minute at what an app has counted: a shop's customers may share an address. */
const OF_APPS = { address: 60, account: 10 }

interface Who {
  ip: string
  /**
   * A secret that names the account, such as a token. Never an e-mail address: whoever knows it could use its limit up, and its owner
   * would be refused.
   */
  account?: string
}

/**
 * Counts an attempt against the client's network and against the account it aims at, at once.
 * @throws Refusal `rate_limited` when either has been tried too often
 */
export async function countAttempt(ctx: SiteCtx, attempt: Counted, who: Who): Promise<void> {
  const limits = await limitsOf(ctx, attempt, who)
  // Whose address is known to be refused has no account's object made: it may be the token of nobody.
  assertNotRefused(ctx.env, limits)
  await spend(ctx.env, ctx.log, limits)
}

/**
 * Counts an attempt that hashes passwords.
 * @param hashes how many
 * @returns what hashes them
 * @throws Refusal `rate_limited` as `countAttempt` does, and when the network has used up its password hashes over all sites
 */
export async function countHashing(ctx: SiteCtx, attempt: Attempt, who: Who, hashes = 1): Promise<PasswordHasher> {
  return permitHashing(ctx, hashes, await limitsOf(ctx, attempt, who))
}

/** The limits of failed logins at a site: of the client's network, and of an account for all networks it has not logged in from. */
export async function loginLimits(
  { site, address }: SiteCtx,
  email: string,
): Promise<{ network: Limit[]; account: Limit }> {
  return {
    network: addressLimits(`login-ip:${site.id}`, address ?? "unknown", LIMITS.login),
    account: { name: `login-account:${site.id}:${await sha256(email.toLowerCase())}`, limit: LIMITS.login },
  }
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
 * Counts a request for a mail against the client's network, at the site and over all sites. The mailbox's limit is spent when a mail is
 * sent, so that requests alone never keep anybody's mails away.
 * @throws Refusal `rate_limited`
 */
export async function countMailRequest(ctx: SiteCtx, attempt: "forgot" | "verify"): Promise<void> {
  const ip = ctx.address ?? "unknown"
  const limits = [
    ...(await limitsOf(ctx, attempt, { ip })),
    ...addressLimits("mail-request", ip, MAIL_REQUESTS_PER_MINUTE),
  ]
  assertNotRefused(ctx.env, limits)
  await spend(ctx.env, ctx.log, limits)
}

/**
 * Counts a mail that is about to be sent.
 * @returns whether it may be sent
 */
export const countMail = (ctx: SiteCtx, purpose: MailPurpose, to: string): Promise<boolean> =>
  isMailAllowed(ctx, purpose, to, take)

/**
 * Counts a mail to somebody who asked for it. An address without an account is not counted, which takes the same time: nobody's mails are
 * kept away by requests for an account that they do not have.
 * @param hasAccount whether there will be a mail at all
 * @returns whether it may be sent
 */
export const countMailTo = async (
  ctx: SiteCtx,
  purpose: MailPurpose,
  to: string,
  hasAccount: boolean,
): Promise<boolean> => (await isMailAllowed(ctx, purpose, to, hasAccount ? take : peek)) && hasAccount

/**
 * Whether a mailbox may get another mail: within its own limit, or as the first that this site sends it in an hour. The exception
 * keeps a client that has mails sent by one site from stopping those of all others.
 */
async function isMailAllowed({ env, log, site }: SiteCtx, purpose: MailPurpose, to: string, ask: typeof take) {
  const mailbox = await sha256(to.toLowerCase())
  const [byMailbox, bySite] = await Promise.all([
    ask(env, log, { name: `mail-${purpose}:${mailbox}`, ...MAILBOX }),
    ask(env, log, { name: `mail-${purpose}-of:${site.id}:${mailbox}`, ...FIRST_OF_SITE }),
  ])
  if (byMailbox?.allowed !== false) return true
  if (bySite?.allowed === false) return false
  return (await ask(env, log, { name: `mail-${purpose}-firsts:${mailbox}`, ...FIRSTS_OF_SITES }))?.allowed !== false
}

async function limitsOf({ site }: SiteCtx, attempt: Counted, { ip, account }: Who): Promise<Limit[]> {
  const most = Object.hasOwn(LIMITS, attempt) ? LIMITS[attempt as Attempt] : null
  const byAddress = addressLimits(`${attempt}-ip:${site.id}`, ip, most ?? OF_APPS.address)
  if (account === undefined) return byAddress
  const name = `${attempt}-account:${site.id}:${await sha256(account.toLowerCase())}`
  return [...byAddress, { name, limit: most ?? OF_APPS.account }]
}
