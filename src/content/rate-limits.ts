// Limits on what strangers may try at a site: guesses at passwords, questions about accounts, and the mails they cause. Each kind is
// limited by client network at each site; the mails of one purpose by mailbox, over all sites.

import { type PasswordHasher, permitHashing } from "../core/auth/password-hashing"
import {
  addressLimits,
  assertNotRefused,
  afterRateLimit,
  type Limit,
  peek,
  refund,
  spend,
  take,
} from "../core/http/rate-limit"
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

/** Mails of one purpose to one address, whichever site sends them. */
const MAILS_PER_ADDRESS = { limit: 5, windowMs: HOUR, longer: { limit: 20, windowMs: DAY } }

/** The first mail of a site in an hour is sent although other sites have used up the address's limit; up to so many per mailbox and day. */
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
  return afterRateLimit(counted, work())
}

/**
 * Counts a request for a mail against the client's network, at the site and over all sites. The limits of mails are spent when one is sent,
 * so that requests alone never stop anybody's mails.
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
export const countMail = (ctx: SiteCtx, mail: AccountMail): Promise<boolean> => isMailAllowed(ctx, mail, take)

/**
 * Counts a mail to somebody who asked for it. An address without an account is not counted, which takes the same time: requests for
 * accounts that do not exist stop no mails.
 * @param hasAccount whether there will be a mail at all
 * @returns whether it may be sent
 */
export const countMailTo = async (ctx: SiteCtx, mail: AccountMail, hasAccount: boolean): Promise<boolean> =>
  (await isMailAllowed(ctx, mail, hasAccount ? take : peek)) && hasAccount

/**
 * Whether a mailbox may get another mail: within its limit and the network's, or as the first that this site sends it in an hour. The
 * exception keeps a client that has mails sent by one site from stopping those of the others. Takes two round trips.
 */
async function isMailAllowed(ctx: SiteCtx, mail: AccountMail, ask: typeof take): Promise<boolean> {
  const { network, wider } = clientNetwork(ctx.address ?? "unknown")
  const to = mail.to.toLowerCase()
  const [address, mailbox] = await Promise.all([sha256(to), sha256(to.replace(/\+[^@]*(?=@)/, ""))])
  const bucket = `mail-${mail.purpose}`
  const isWithin = async (limit: Limit, how = ask) => (await how(ctx.env, ctx.log, limit))?.allowed !== false
  const fromNetwork: Limit = { name: `${bucket}-from:${wider ?? network}:${mailbox}`, ...MAILS_PER_NETWORK }
  // First: what a network sends beyond its limit does not count against the mailbox.
  const byNetwork = await isWithin(fromNetwork)
  // A thief who changes an address must not stop the notice of it by using up their own limit.
  const mayExceed = mail.isConfirmed || mail.purpose === "email_changed"
  const how = byNetwork || mayExceed ? ask : peek
  // A network beyond its limit has a limit of its own, so that it uses up nothing of the other networks'.
  const sender = byNetwork ? "" : `-from:${wider ?? network}`
  const firsts: Limit = { name: `${bucket}-firsts${sender}:${mailbox}`, ...FIRSTS_OF_SITES }
  const limits: Limit[] = [
    { name: `${bucket}:${address}`, ...MAILS_PER_ADDRESS },
    { name: `${bucket}-of:${ctx.site.id}:${address}`, ...FIRST_OF_SITE },
    firsts,
  ]
  const within = await Promise.all(limits.map((limit) => isWithin(limit, how)))
  const [byAddress, isFirst, byFirsts] = within
  // An address that its owner confirmed at this site needs no limit of sites: strangers cannot confirm it at others.
  const isFree = (byNetwork && byAddress) || (isFirst && mail.isConfirmed)
  const isAllowed = Boolean(isFree || (isFirst && byFirsts && (byNetwork || mayExceed)))
  const unused = limits.filter((limit, index) => within[index] && (!isAllowed || (limit === firsts && isFree)))
  if (how === take) refund(ctx, unused)
  if (ask === take && byNetwork && !isAllowed) refund(ctx, [fromNetwork])
  return isAllowed
}

async function limitsOf({ site }: SiteCtx, attempt: Counted, { ip, account }: Who): Promise<Limit[]> {
  const most = Object.hasOwn(LIMITS, attempt) ? LIMITS[attempt as Attempt] : null
  const byAddress = ip === undefined ? [] : addressLimits(`${attempt}-ip:${site.id}`, ip, most ?? OF_APPS.address)
  if (account === undefined) return byAddress
  const name = `${attempt}-account:${site.id}:${await sha256(account.toLowerCase())}`
  return [...byAddress, { name, limit: most ?? OF_APPS.account }]
}
