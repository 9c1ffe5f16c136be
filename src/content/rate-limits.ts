// Limits what unauthenticated callers may do at a site: password guesses, account lookups, and the mails they trigger.
// Attempts are limited per client network and site; mails per purpose and mailbox, over all sites.
import { type PasswordHasher, permitHashing } from "../core/auth/password-hashing"
import {
  addressLimits,
  afterRateLimit,
  assertNotRefused,
  type Limit,
  peekBudget,
  refund,
  takeToken,
  takeTokens,
} from "../core/http/rate-limit"
import { Refusal } from "../core/http/refusal"
import { deferWritesUntil } from "../db/deferred-writes"
import type { AccountMailPurpose, NoticePurpose } from "../db/schema/sites/account-mails"
import { sha256 } from "../lib/hash"
import { clientNetwork } from "../lib/ip"
import { DAY, HOUR, SECOND } from "../lib/time"
import type { SiteCtx } from "./site"

/** The kinds of attempts. Each is counted separately. */
export type AttemptKind =
  | "login"
  | "register"
  | "forgot"
  | "reset"
  | "verify"
  | "confirmation"
  | "password"
  | "email"
  | "device"
  | "invitation"
  | "webhook"

/** Apps choose the names of the attempts that they count. */
type AttemptName = AttemptKind | `app:${string}`

/**
 * Attempts per minute of one client network and, where an account is named, of one account. Customers who open the links
 * of a shop may share a network, also with the scanners of their mails.
 */
const ATTEMPTS_PER_MINUTE: Record<AttemptKind, number> = {
  login: 10,
  register: 10,
  forgot: 10,
  reset: 10,
  verify: 10,
  confirmation: 60,
  password: 10,
  email: 60,
  device: 60,
  invitation: 10,
  webhook: 60,
}

/** The purpose of a rate-limited mail. */
type MailPurpose = AccountMailPurpose | NoticePurpose

/** Mail requests of one client network, over all sites. */
const MAIL_REQUESTS_PER_MINUTE = 30

/**
 * Mails of one purpose that one network may send to one mailbox per day. An IPv6 /48 counts as one network, and all
 * subaddresses of a mailbox (`ada+news@`) as one mailbox.
 */
const MAILS_PER_NETWORK = { limit: 15, windowMs: DAY }

/** Mails of one purpose to one address, from all sites together. */
const MAILS_PER_ADDRESS = { limit: 5, windowMs: HOUR, longer: { limit: 20, windowMs: DAY } }

/**
 * Mails of one purpose that a site may send to addresses that its staff entered and that are not confirmed: a shop could
 * enter one address after another.
 */
const MAILS_TO_ENTERED_ADDRESSES = { limit: 30, windowMs: HOUR }

/** The purposes of these mails. */
const TO_ENTERED_ADDRESSES: ReadonlySet<MailPurpose> = new Set<MailPurpose>([
  "contact_email",
  "contact_received",
  "order_received",
])

/** A site's first mail in an hour is sent even when other sites have used up the address's limit, up to a daily cap. */
const FIRST_MAIL_OF_SITE = { limit: 1, windowMs: HOUR }
const FIRST_MAILS_OF_ALL_SITES = { limit: 60, windowMs: DAY }

/** Attempts per minute that an app counts. The limit per address is high because customers of a shop may share one. */
const APP_ATTEMPTS_PER_MINUTE = { address: 60, account: 10 }

interface AttemptSubject {
  /** The client's address, where its network is limited. */
  ip?: string
  /**
   * A secret that identifies the account, such as a token. Never an email address: anyone who knows it could use up
   * the limit and lock the owner out.
   */
  account?: string
  /**
   * Attempts per day of one client network without an account. They are counted separately, so they do not use up
   * the limit of users on the same network.
   */
  guestsPerDay?: number
}

/**
 * Counts an attempt against the client's network and against the account, in parallel.
 * @throws Refusal `rate_limited` when either limit is used up
 */
export async function countAttempt(ctx: SiteCtx, attempt: AttemptName, subject: AttemptSubject): Promise<void> {
  const limits = await buildLimits(ctx, attempt, subject)
  // Checked first, so that a refused network cannot create buckets for forged tokens.
  assertNotRefused(ctx.env, limits)
  await takeTokens(ctx.env, ctx.log, limits)
}

/**
 * Counts the registration of a device.
 * @param tokenHash the hash of the bearer token. It may be forged, so the network is limited too, generously enough for
 *   users of an app who share it.
 * @throws Refusal `rate_limited`
 */
export async function countDeviceRegistration(ctx: SiteCtx, tokenHash: string | undefined): Promise<void> {
  const ip = ctx.address ?? "unknown"
  const [callerKind, perMinute] = tokenHash === undefined ? (["anonymous", 120] as const) : (["user", 600] as const)
  const limits = [
    ...addressLimits(`device-${callerKind}`, ip, perMinute),
    ...(await buildLimits(ctx, "device", tokenHash === undefined ? { ip } : { account: tokenHash })),
  ]
  assertNotRefused(ctx.env, limits)
  await takeTokens(ctx.env, ctx.log, limits)
}

/**
 * Counts a change that sends requests to a webhook endpoint or looks up its host.
 * @param caller identifies the bearer token or the server token, which may be forged, so the network is limited too
 * @throws Refusal `rate_limited`
 */
export const countWebhookRequest = (ctx: SiteCtx, caller: string): Promise<void> =>
  countAttempt(ctx, "webhook", { ip: ctx.address ?? "unknown", account: caller })

/**
 * Counts an attempt that hashes passwords.
 * @param hashes the number of hashes
 * @returns the hasher that may compute them
 * @throws Refusal `rate_limited` as `countAttempt` does, and when the network has used up its hashes over all sites
 */
export async function countHashing(
  ctx: SiteCtx,
  attempt: AttemptKind,
  subject: AttemptSubject,
  hashes = 1,
): Promise<PasswordHasher> {
  return permitHashing(ctx, hashes, await buildLimits(ctx, attempt, subject))
}

/** Builds the limits of failed logins at a site: per client network, and per account for all networks unknown to it. */
export async function buildLoginLimits(
  { site, address }: SiteCtx,
  email: string,
): Promise<{ network: Limit[]; account: Limit }> {
  return {
    network: addressLimits(`login-ip:${site.id}`, address ?? "unknown", ATTEMPTS_PER_MINUTE.login),
    account: {
      name: `login-account:${site.id}:${await sha256(email.toLowerCase())}`,
      limit: ATTEMPTS_PER_MINUTE.login,
    },
  }
}

/** Wrong codes of a second factor per day. A guess succeeds with probability 3 in 1,000,000. */
const WRONG_CODES_PER_DAY = 50

/** The limit of the client's network for codes and passkeys at a store's admin. */
export const buildAdminLimits = ({ site, address }: SiteCtx): Limit[] =>
  addressLimits(`admin-code-ip:${site.id}`, address ?? "unknown", ATTEMPTS_PER_MINUTE.login)

/**
 * The limit of wrong codes: one per network from which the member has logged in, and one shared by all others.
 * @param knownNetwork the hash of a network from which the member has logged in; null for any other
 */
export const buildCodeLimit = ({ site }: SiteCtx, userId: number, knownNetwork: string | null): Limit => ({
  name: `admin-code:${site.id}:${userId}${knownNetwork === null ? "" : `:${knownNetwork}`}`,
  limit: ATTEMPTS_PER_MINUTE.login,
  longer: { limit: WRONG_CODES_PER_DAY, windowMs: DAY },
})

/**
 * Runs a request's work in parallel with its rate-limit check. Its reads start immediately; its writes to the site wait
 * for the check.
 * @throws what the check throws, else what the work throws
 */
export function inParallelWithRateLimit<Result>(
  { site }: SiteCtx,
  counted: Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  deferWritesUntil(site.db, counted)
  return afterRateLimit(counted, work())
}

/**
 * Counts a mail request against the client's network, at the site and over all sites. The limits of mails themselves
 * are counted when one is sent, so requests alone never block mails.
 * @throws Refusal `rate_limited`
 */
export async function countMailRequest(ctx: SiteCtx, attempt: "forgot" | "verify"): Promise<void> {
  const ip = ctx.address ?? "unknown"
  const limits = [
    ...(await buildLimits(ctx, attempt, { ip })),
    ...addressLimits("mail-request", ip, MAIL_REQUESTS_PER_MINUTE),
  ]
  assertNotRefused(ctx.env, limits)
  await takeTokens(ctx.env, ctx.log, limits)
}

/** The site, and the client that caused a mail. */
type MailCause = Pick<SiteCtx, "env" | "log" | "inBackground" | "address"> & { site: Pick<SiteCtx["site"], "id"> }

/** A mail that is about to be sent. */
interface AccountMail {
  purpose: MailPurpose
  to: string
  /** Whether the owner confirmed the address at this site. */
  isConfirmed: boolean
}

/**
 * Counts a mail that is about to be sent.
 * @returns whether it may be sent
 */
export const countMail = (ctx: MailCause, mail: AccountMail): Promise<boolean> => isMailAllowed(ctx, mail, takeToken)

/**
 * Counts a mail before the commit that stores it, where the caller shows that it is not sent.
 * @throws Refusal `rate_limited`
 */
export async function countMailOrRefuse(ctx: MailCause, mail: AccountMail): Promise<void> {
  const seconds = MAILS_PER_ADDRESS.windowMs / SECOND
  if (!(await countMail(ctx, mail))) throw new Refusal("rate_limited", { seconds, headers: {} })
}

/**
 * Counts a mail that was requested for an address. An address without an account is checked in the same time but not
 * counted, so requests for unknown addresses block no mails.
 * @param hasAccount whether a mail will be sent at all
 * @returns whether it may be sent
 */
export const countRequestedMail = async (ctx: MailCause, mail: AccountMail, hasAccount: boolean): Promise<boolean> =>
  (await isMailAllowed(ctx, mail, hasAccount ? takeToken : peekBudget)) && hasAccount

/**
 * Returns whether a mailbox may get another mail: within the limits of the client's network and of the address, or as
 * this site's first mail to it in an hour. The exception keeps a client that has one site send mails from blocking the
 * mails of the others. Always takes two round trips, so the response time does not reveal whether an account exists.
 * @param count `peekBudget` to check the limits without counting the mail
 */
async function isMailAllowed(ctx: MailCause, mail: AccountMail, count: typeof takeToken): Promise<boolean> {
  const { network, wider } = clientNetwork(ctx.address ?? "unknown")
  const sender = wider ?? network
  const to = mail.to.toLowerCase()
  const [address, mailbox] = await Promise.all([sha256(to), sha256(to.replace(/\+[^@]*(?=@)/, ""))])
  const bucket = `mail-${mail.purpose}`
  const isWithin = async (limit: Limit, counter: typeof takeToken) =>
    (await counter(ctx.env, ctx.log, limit))?.allowed !== false

  // Counted first: mails beyond the network's limit do not count against the mailbox.
  const networkLimit: Limit = { name: `${bucket}-from:${sender}:${mailbox}`, ...MAILS_PER_NETWORK }
  const isLimitedBySite = !mail.isConfirmed && TO_ENTERED_ADDRESSES.has(mail.purpose)
  const siteLimit: Limit = { name: `${bucket}-entered:${ctx.site.id}`, ...MAILS_TO_ENTERED_ADDRESSES }
  const [isWithinNetwork, isWithinSite] = await Promise.all([
    isWithin(networkLimit, count),
    isLimitedBySite ? isWithin(siteLimit, count) : true,
  ])
  // An attacker who changes an account's address must not suppress the notice by using up the network's limit.
  const isEligible = isWithinSite && (isWithinNetwork || mail.isConfirmed || mail.purpose === "email_changed")

  // A network beyond its limit has its own bucket of first mails, so it cannot use up the one of all other networks.
  const firstMailsOf = isWithinNetwork ? "" : `-from:${sender}`
  const firstMailsLimit: Limit = { name: `${bucket}-firsts${firstMailsOf}:${mailbox}`, ...FIRST_MAILS_OF_ALL_SITES }
  const mailboxLimits: Limit[] = [
    { name: `${bucket}:${address}`, ...MAILS_PER_ADDRESS },
    { name: `${bucket}-of:${ctx.site.id}:${address}`, ...FIRST_MAIL_OF_SITE },
    firstMailsLimit,
  ]
  const counter = isEligible ? count : peekBudget
  const within = await Promise.all(mailboxLimits.map((limit) => isWithin(limit, counter)))
  const [isWithinAddress, isFirstOfSite, isWithinFirstMails] = within
  // Only the owner can confirm the address at a site, so confirmed addresses need no limit over all sites.
  const isAllowedOutright =
    isWithinSite && ((isWithinNetwork && isWithinAddress) || (isFirstOfSite && mail.isConfirmed))
  const isAllowed = Boolean(isAllowedOutright || (isEligible && isFirstOfSite && isWithinFirstMails))

  const counted = isEligible ? mailboxLimits.filter((_, index) => within[index]) : []
  if (isWithinNetwork) counted.push(networkLimit)
  if (isLimitedBySite && isWithinSite) counted.push(siteLimit)
  const unused = counted.filter((limit) => !isAllowed || (isAllowedOutright && limit === firstMailsLimit))
  if (count === takeToken) refund(ctx, unused)
  return isAllowed
}

async function buildLimits({ site }: SiteCtx, attempt: AttemptName, subject: AttemptSubject): Promise<Limit[]> {
  const { ip, account, guestsPerDay } = subject
  const perMinute = Object.hasOwn(ATTEMPTS_PER_MINUTE, attempt) ? ATTEMPTS_PER_MINUTE[attempt as AttemptKind] : null
  const perNetwork = perMinute ?? APP_ATTEMPTS_PER_MINUTE.address
  if (account === undefined && ip !== undefined && guestsPerDay !== undefined) {
    const longer = { limit: guestsPerDay, windowMs: DAY }
    return addressLimits(`${attempt}-guest-ip:${site.id}`, ip, perNetwork, undefined, longer)
  }
  const networkLimits = ip === undefined ? [] : addressLimits(`${attempt}-ip:${site.id}`, ip, perNetwork)
  if (account === undefined) return networkLimits
  const name = `${attempt}-account:${site.id}:${await sha256(account.toLowerCase())}`
  return [...networkLimits, { name, limit: perMinute ?? APP_ATTEMPTS_PER_MINUTE.account }]
}
