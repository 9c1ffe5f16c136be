// Limits on what strangers may try at a site: guesses at passwords, questions about accounts, and the mails they cause. Each kind is
// limited by client network at each site; the mails of one purpose by mailbox, over all sites.
import { addressLimits, assertNotRefused, heardAfter, type Limit, peek, refund, spend, take } from "../core/budget"
import { type PasswordHasher, permitHashing } from "../core/password-hashing"
import { writeOnlyAfter } from "../db/client"
import { sha256 } from "../lib/hash"
import { clientNetwork } from "../lib/ip"
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

/**
 * Mails of one purpose that one network may send to one mailbox per day. An IPv6 /48 counts as one network, and all subaddresses of a
 * mailbox (`ada+news@`) as one mailbox.
 */
const MAILS_PER_NETWORK = { limit: 15, windowMs: DAY }

/** Mails of one purpose to one mailbox, whichever site sends them. */
const MAILS_PER_MAILBOX = { limit: 5, windowMs: HOUR, longer: { limit: 20, windowMs: DAY } }

/** The first mail of a site in an hour is sent although other sites have used up the mailbox's limit; up to so many per day. */
const FIRST_OF_SITE = { limit: 1, windowMs: HOUR }
const FIRSTS_OF_SITES = { limit: 60, windowMs: DAY }

/** Attempts a minute at what an app has counted: a shop's customers may share an address. */
const OF_APPS = { address: 60, account: 10 }

interface Who {
  /** The client's address, where its network is limited. */
  ip?: string
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
 * Counts a registration of a device.
 * @param tokenHash of the bearer that came with it, which may be made up: hence the limit of the network, wide enough for the users of an app
 *   who share it
 * @throws Refusal `rate_limited`
 */
export async function countDevice(ctx: SiteCtx, tokenHash: string | undefined): Promise<void> {
  const ip = ctx.address ?? "unknown"
  const [who, perMinute] = tokenHash === undefined ? (["anonymous", 120] as const) : (["user", 600] as const)
  const limits = [
    ...addressLimits(`device-${who}`, ip, perMinute),
    ...(await limitsOf(ctx, "device", tokenHash === undefined ? { ip } : { account: tokenHash })),
  ]
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
 * Counts a request for a mail against the client's network, at the site and over all sites. The limits of mails are spent when one is sent,
 * so that requests alone never stop anybody's mails.
 * @returns whether the network may send this mailbox another mail
 * @throws Refusal `rate_limited`
 */
export async function countMailRequest(
  ctx: SiteCtx,
  attempt: "forgot" | "verify",
  purpose: MailPurpose,
  to: string,
): Promise<boolean> {
  const ip = ctx.address ?? "unknown"
  const limits = [
    ...(await limitsOf(ctx, attempt, { ip })),
    ...addressLimits("mail-request", ip, MAIL_REQUESTS_PER_MINUTE),
  ]
  assertNotRefused(ctx.env, limits)
  const fromNetwork = peek(ctx.env, ctx.log, await networkLimit(ctx, purpose, to))
  await spend(ctx.env, ctx.log, limits)
  return (await fromNetwork)?.allowed !== false
}

/** The limit of the mails that the client's network may send to a mailbox. */
async function networkLimit({ address }: SiteCtx, purpose: MailPurpose, to: string): Promise<Limit> {
  const { network, wider } = clientNetwork(address ?? "unknown")
  const mailbox = await sha256(to.toLowerCase().replace(/\+[^@]*(?=@)/, ""))
  return { name: `mail-${purpose}-from:${wider ?? network}:${mailbox}`, ...MAILS_PER_NETWORK }
}

/** A mail that is about to be sent. */
interface AccountMail {
  purpose: MailPurpose
  to: string
  /** Whether the mailbox was confirmed by its owner at this site. */
  isConfirmed: boolean
}

/**
 * Counts a mail that is about to be sent.
 * @returns whether it may be sent
 */
export async function countMail(ctx: SiteCtx, mail: AccountMail): Promise<boolean> {
  // A thief who changes an address must not stop the notice to its owner by using up their own limit.
  const isNotice = mail.purpose === "email_changed" && mail.isConfirmed
  const byNetwork = await take(ctx.env, ctx.log, await networkLimit(ctx, mail.purpose, mail.to))
  // First: what a network sends beyond its own limit does not count against the mailbox.
  return (isNotice || byNetwork?.allowed !== false) && isMailAllowed(ctx, mail, take)
}

/**
 * Counts a mail to somebody who asked for it. One that will not be sent anyway is not counted, which takes the same time: requests for
 * accounts that do not exist stop no mails.
 * @param isWanted whether there is an account, and the network may send it another mail
 * @returns whether it may be sent
 */
export async function countMailTo(ctx: SiteCtx, mail: AccountMail, isWanted: boolean): Promise<boolean> {
  const isAllowed = await isMailAllowed(ctx, mail, isWanted ? take : peek)
  if (isAllowed && isWanted) ctx.after(take(ctx.env, ctx.log, await networkLimit(ctx, mail.purpose, mail.to)))
  return isAllowed && isWanted
}

/**
 * Whether a mailbox may get another mail: within its limit, or as the first that this site sends it in an hour. The exception keeps a
 * client that has mails sent by one site from stopping those of the others. Always takes one round trip.
 */
async function isMailAllowed(ctx: SiteCtx, mail: AccountMail, ask: typeof take): Promise<boolean> {
  const { env, log, site } = ctx
  const { purpose, to, isConfirmed } = mail
  const mailbox = await sha256(to.toLowerCase())
  const firsts: Limit = { name: `mail-${purpose}-firsts:${mailbox}`, ...FIRSTS_OF_SITES }
  const budgets = await Promise.all([
    ask(env, log, { name: `mail-${purpose}:${mailbox}`, ...MAILS_PER_MAILBOX }),
    ask(env, log, { name: `mail-${purpose}-of:${site.id}:${mailbox}`, ...FIRST_OF_SITE }),
    ask(env, log, firsts),
  ])
  const [isWithinMailbox, isFirstOfSite, isWithinFirsts] = budgets.map((budget) => budget?.allowed !== false)
  // A mailbox that its owner confirmed at this site needs no limit of sites: strangers cannot confirm it at others.
  const isException = !isWithinMailbox && isFirstOfSite && !isConfirmed
  if (ask === take && isWithinFirsts && !isException) refund(ctx, [firsts])
  return Boolean(isWithinMailbox || (isFirstOfSite && (isConfirmed || isWithinFirsts)))
}

async function limitsOf({ site }: SiteCtx, attempt: Counted, { ip, account }: Who): Promise<Limit[]> {
  const most = Object.hasOwn(LIMITS, attempt) ? LIMITS[attempt as Attempt] : null
  const byAddress = ip === undefined ? [] : addressLimits(`${attempt}-ip:${site.id}`, ip, most ?? OF_APPS.address)
  if (account === undefined) return byAddress
  const name = `${attempt}-account:${site.id}:${await sha256(account.toLowerCase())}`
  return [...byAddress, { name, limit: most ?? OF_APPS.account }]
}
