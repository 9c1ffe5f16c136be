// Signs customers up: reserves a subdomain until its mailed link is confirmed with a password, or creates the store
// immediately. Also mails an address the list of its stores. No response reveals whether an address owns a store.
import { and, eq, gt, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { findPasswordRule } from "../../core/auth/common-passwords"
import { permitHashing } from "../../core/auth/password-hashing"
import type { Ctx } from "../../core/context"
import { type PartialInput, parseInput, validInput } from "../../core/http/input"
import { addressLimits, afterRateLimit, refundHit, takeTokens } from "../../core/http/rate-limit"
import { Refusal, type RefusalCode } from "../../core/http/refusal"
import type { Locale } from "../../core/i18n/locale"
import { applyChange, writeUnaudited } from "../../core/write/commit"
import { retryTransient } from "../../core/write/retry"
import { batch } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
import { plans } from "../../db/schema/central/plans"
import { signupReservations } from "../../db/schema/central/signups"
import { purges, stores } from "../../db/schema/central/stores"
import { insert, remove, update, type Write } from "../../db/write"
import { getFallbackHost, publicUrl } from "../../env"
import { addMs, HOUR } from "../../lib/time"
import { buildMailWrite, enqueueMailRun } from "../../mails/outbox"
import { verifyLink } from "../../mails/signed-link"
import type { Coupon } from "../coupons/schemas"
import { isRedeemable, selectCoupon } from "../coupons/service"
import type { Plan } from "../plans/schemas"
import { listPlans, selectActivePlans } from "../plans/service"
import { createStore, type Signup } from "../stores/create"
import { assertSubdomainAvailable } from "../stores/rules"
import { CreateStore } from "../stores/schemas"
import { findAvailableTheme, isThemeAllowed } from "../themes/rules"
import { countSignUp, takeMailToken } from "./limits"
import { ChosenPassword, type SignUp } from "./schemas"

type Values = z.output<typeof SignUp> & Partial<z.output<typeof ChosenPassword>>

/** The input of a sign-up. Only one without confirmation by mail has a password. */
export type SignUpInput = PartialInput<Values, "email" | "plan" | "theme" | "preset" | "coupon" | "password">

/** Sign-up attempts per minute and network, successful or not. */
const ATTEMPTS_PER_MINUTE = 60

/** Confirmations per minute and network. */
const CONFIRMATIONS_PER_MINUTE = 10

/** Lists the plans on sale, in their order. */
export const listPlansOnSale = (ctx: Ctx): Promise<Plan[]> => listPlans(ctx, { includeInactive: false })

/**
 * Signs a customer up: reserves the subdomain and mails a link, or creates the store immediately when email addresses
 * are not verified.
 * @param input `password` is required when the store is created immediately, and ignored otherwise
 * @param client `ip`: the client's address; `locale`: the language of the mails and of the store unless `input` names
 *   one
 * @returns the id of the store; null while the subdomain is only reserved
 * @throws Refusal `validation_failed`, `rate_limited`, `subdomain_reserved`, `subdomain_taken`
 */
export async function signUp(
  ctx: Ctx,
  input: SignUpInput,
  client: { ip: string; locale: Locale },
): Promise<string | null> {
  // Counted before any other refusal, or coupon codes and names could be guessed without a limit.
  const choices = await afterRateLimit(countSignUpAttempt(ctx, client.ip), validateChoices(ctx, input))
  const locale = choices.language ?? client.locale
  assertSubdomainAvailable(choices.subdomain, false)
  const countedBuckets = await countSignUp(ctx, client.ip)
  try {
    if (ctx.settings.TENANCY_SIGNUP_VERIFY_EMAIL) return await reserve(ctx, choices, { ...client, locale })
    if (choices.password === undefined) throw new Error("A sign-up without a confirmation needs a password")
    const hasher = await permitHashing(ctx)
    return await createSignedUpStore(ctx, { ...choices, locale }, choices.password, { reservation: null, hasher })
  } catch (error) {
    // A taken subdomain does not count as a sign-up: the customer may try another one.
    if (error instanceof Refusal && error.code === "subdomain_taken") {
      await Promise.all(countedBuckets.map((name) => refundHit(ctx.env, ctx.log, name)))
    }
    throw error
  }
}

/**
 * Counts an attempt to sign up, successful or not.
 * @throws Refusal `rate_limited`
 */
export const countSignUpAttempt = (ctx: Ctx, ip: string) =>
  takeTokens(ctx.env, ctx.log, addressLimits("signup-try", ip, ATTEMPTS_PER_MINUTE))

/** Whether a subdomain is available; the sign-up form also checks this while the customer types. */
export async function isSubdomainAvailable(ctx: Ctx, subdomain: string): Promise<boolean> {
  try {
    assertSubdomainAvailable(subdomain, await isTaken(ctx, subdomain))
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

type Reservation = typeof signupReservations.$inferSelect

/** A reservation with its plan's name, for the confirmation page. */
export type ReservationDetail = Reservation & { planName: string | null; trialDays: number | null }

/**
 * Reads the reservation of a mailed link. Changes nothing, so mail scanners may open the link.
 * @returns null for a link that was forged, has expired, or whose store was deleted
 */
export async function readReservation(ctx: Ctx, token: string): Promise<ReservationDetail | null> {
  const [id] = (await verifyLink(ctx.settings, "signup-reservation", token)) ?? []
  if (id === undefined) return null
  const [row] = await ctx.db
    .select({ reservation: signupReservations, planName: plans.name, trialDays: plans.trialDays, liveSeq: stores.seq })
    .from(signupReservations)
    .leftJoin(plans, eq(plans.slug, signupReservations.plan))
    .leftJoin(stores, eq(stores.seq, signupReservations.storeSeq))
    .where(and(eq(signupReservations.id, id), gt(signupReservations.expiresAt, ctx.now)))
  // The subdomain of a deleted store may belong to another customer by now.
  if (!row || row.reservation.storeSeq !== row.liveSeq) return null
  return { ...row.reservation, planName: row.planName, trialDays: row.trialDays }
}

/** Returns the id of the store that a reservation became; null while it is open. */
export const getStoreId = ({ subdomain, storeSeq }: Reservation): string | null =>
  storeSeq === null ? null : subdomain

/** Refusals after which a link can no longer create its store: the plan, the theme or the subdomain is gone. */
const LINK_ENDING_CODES = new Set<RefusalCode>([
  "validation_failed",
  "plan_unavailable",
  "subdomain_reserved",
  "subdomain_taken",
])

interface ConfirmedStore {
  id: string
  /** The owner's address, if this confirmation created the store; null if an earlier one did. */
  createdFor: string | null
}

/**
 * Creates the store of a mailed link, once, with the password of the first confirmation that commits. Later ones change
 * nothing.
 * @param confirmation `password`: as sent, not yet validated
 * @returns the store; null for a link that was forged or has expired, or whose subdomain or store is gone
 * @throws Refusal `validation_failed` about `password`, after which the link stays valid; `rate_limited`
 */
export async function confirmSignUp(
  ctx: Ctx,
  confirmation: { token: string; password: unknown; ip: string },
): Promise<ConfirmedStore | null> {
  const reservation = await readReservation(ctx, confirmation.token)
  const store = reservation && getStoreId(reservation)
  if (!reservation) return null
  if (store) return { id: store, createdFor: null }
  const input = parseInput(ChosenPassword, confirmation)
  const { password } = input.complete({ password: await findPasswordRule(ctx.env, input.valid.password) })
  const hasher = await permitHashing(ctx, 1, addressLimits("signup-confirm", confirmation.ip, CONFIRMATIONS_PER_MINUTE))
  try {
    const id = await createSignedUpStore(ctx, reservation, password, { reservation: reservation.id, hasher })
    return { id, createdFor: reservation.email }
  } catch (error) {
    if (!(error instanceof Refusal && LINK_ENDING_CODES.has(error.code))) throw error
    // Of two concurrent confirmations one creates the store, and both return it.
    const current = await readReservation(ctx, confirmation.token)
    const existing = current && getStoreId(current)
    if (existing) return { id: existing, createdFor: null }
    // The plan or theme is no longer offered: deleting the reservation lets the customer choose again under the same
    // subdomain.
    const isStillOpen = and(eq(signupReservations.id, reservation.id), isNull(signupReservations.storeSeq))
    await writeUnaudited(ctx, "cleanup", [remove(signupReservations).where(isStillOpen)])
    return null
  }
}

/**
 * Reads the provisioning status of a store. It reveals no more than the store's own host does; null for an unknown
 * store.
 */
export async function readProgress(ctx: Ctx, id: string): Promise<{ status: string; url: string } | null> {
  const [store] = await ctx.db.select({ status: stores.status }).from(stores).where(eq(stores.id, id))
  return store ? { ...store, url: publicUrl(ctx.settings, getFallbackHost(ctx.settings, id)) } : null
}

/**
 * Mails an address the list of its stores. The mail is inserted for every address, and dropped when it is sent to one
 * without a store, so neither the response nor its time reveals which it is.
 * @throws Refusal `rate_limited` for a network that requests too often, for any address
 */
export async function mailStores(ctx: Ctx, email: string, client: { ip: string; locale: Locale }): Promise<void> {
  const { ip, locale } = client
  await takeTokens(ctx.env, ctx.log, addressLimits("sign-in", ip, 20, HOUR))
  if (!(await takeMailToken(ctx, "sign-in", email, ip))) return
  const mail = {
    kind: "sign_in" as const,
    key: `sign_in:${ctx.requestId}`,
    to: email,
    storeId: null,
    locale,
    facts: {},
  }
  // Safe to repeat, because the key is unique.
  await retryTransient(() => writeUnaudited(ctx, "mail", [buildMailWrite(ctx, mail)]))
  enqueueMailRun(ctx)
}

/** Deletes expired reservations, confirmed or not. */
export const deleteExpiredReservations = (ctx: Ctx) =>
  writeUnaudited(ctx, "cleanup", [remove(signupReservations).where(lte(signupReservations.expiresAt, ctx.now))])

/**
 * Validates a sign-up's plan, coupon and theme. The plan defaults to the first one: without any, a store would have no
 * limits.
 * @throws Refusal `validation_failed`
 */
async function validateChoices(ctx: Ctx, input: SignUpInput): Promise<Values> {
  const { valid } = input
  const [onSale, [coupon]] = await batch(ctx.db, [selectActivePlans({}), selectCoupon(ctx.db, valid.coupon ?? "")])
  const plan = valid.plan ? onSale.find(({ slug }) => slug === valid.plan) : onSale[0]
  const theme = valid.theme ? findAvailableTheme(valid.theme) : null
  const effectiveTheme = theme ?? findAvailableTheme(ctx.settings.TENANCY_DEFAULT_THEME)
  const isPlanValid = input.isValid("plan")
  const values = input.complete({
    email: valid.email !== undefined && isBlocked(ctx, valid.email) ? "prohibited" : null,
    plan: valid.plan && !plan ? "selected" : null,
    coupon: isPlanValid && valid.coupon && !isUsableCoupon(coupon, plan, ctx.now) ? "selected" : null,
    theme: valid.theme && !(theme && (!isPlanValid || isThemeAllowed(theme, plan))) ? "selected" : null,
    preset:
      input.isValid("theme") && valid.preset && !effectiveTheme?.presets.some(({ slug }) => slug === valid.preset)
        ? "selected"
        : null,
    password: await findPasswordRule(ctx.env, valid.password),
  })
  return { ...values, plan: plan?.slug }
}

const isUsableCoupon = (coupon: Coupon | undefined, plan: Plan | undefined, now: Date): boolean =>
  plan !== undefined && isRedeemable(coupon, plan.slug, now)

/** Whether an email address is in a blocked domain or one of its subdomains. */
function isBlocked({ settings }: Ctx, email: string): boolean {
  const domain = email.split("@").at(-1)?.toLowerCase() ?? ""
  return settings.TENANCY_SIGNUP_BLOCKED_EMAIL_DOMAINS.some((blocked) =>
    `.${domain}`.endsWith(`.${blocked.toLowerCase()}`),
  )
}

/** Whether a store, a pending purge or a reservation has the subdomain. */
async function isTaken(ctx: Ctx, subdomain: string): Promise<boolean> {
  const [[reservation], ...storeRows] = await batch(ctx.db, selectHolders(ctx, subdomain))
  return (reservation !== undefined && isOpen(ctx, reservation)) || storeRows.flat().length > 0
}

/** Selects the holders of a subdomain: the reservation, a store, its fallback domain, and a pending purge. */
function selectHolders(ctx: Ctx, subdomain: string) {
  const exists = { one: sql<number>`1` }
  return [
    ctx.db.select().from(signupReservations).where(eq(signupReservations.subdomain, subdomain)),
    ctx.db.select(exists).from(stores).where(eq(stores.id, subdomain)),
    ctx.db
      .select(exists)
      .from(domains)
      .where(eq(domains.domain, getFallbackHost(ctx.settings, subdomain))),
    ctx.db.select(exists).from(purges).where(eq(purges.storeId, subdomain)),
  ] as const
}

const isOpen = (ctx: Ctx, { expiresAt, storeSeq }: Reservation): boolean => expiresAt > ctx.now && storeSeq === null

/**
 * Reserves the subdomain and mails the link. Repeating it with the same address mails the same link again and extends
 * the reservation; the first choices stay, and the confirmation page shows them.
 * @throws Refusal `subdomain_taken`
 */
async function reserve(ctx: Ctx, input: Values, { ip, locale }: { ip: string; locale: Locale }): Promise<null> {
  let mayBeMailed: boolean | undefined
  await applyChange(
    ctx,
    () => batch(ctx.db, selectHolders(ctx, input.subdomain)),
    async ([[reservation], ...storeRows]) => {
      const existing = reservation && isOpen(ctx, reservation) ? reservation : undefined
      const isTakenByOther = existing !== undefined && existing.email.toLowerCase() !== input.email.toLowerCase()
      assertSubdomainAvailable(input.subdomain, isTakenByOther || storeRows.flat().length > 0)
      mayBeMailed ??= await takeMailToken(ctx, "signup", input.email, ip)
      const values = {
        subdomain: input.subdomain,
        email: input.email,
        name: input.name,
        plan: input.plan ?? null,
        theme: input.theme ?? null,
        preset: input.preset ?? null,
        coupon: input.coupon ?? null,
        locale,
        createdAt: ctx.now,
        expiresAt: addMs(ctx.now, ctx.settings.TENANCY_SIGNUP_VERIFY_TTL_HOURS * HOUR),
      }
      const { expiresAt } = values
      const extension = existing && update(signupReservations).set({ expiresAt }).where(isReservation(existing))
      const writes = [
        ...(existing ? [] : [deleteEndedReservation(ctx, input.subdomain), insert(signupReservations).values(values)]),
        ...(extension && mayBeMailed ? [extension] : []),
        ...(mayBeMailed
          ? [
              buildLinkMailWrite(
                ctx,
                existing ?? values,
                existing ? sql`${existing.id}` : selectReservationId(input.subdomain),
              ),
            ]
          : []),
      ]
      // A reservation is not a store yet; creating the store is audited.
      return { result: null, change: { writes, auditLog: { auditSkipped: "audited_elsewhere" } } }
    },
  )
  enqueueMailRun(ctx)
  return null
}

/** Matches a reservation while no store was created with it. */
const isReservation = ({ id }: Reservation) => and(eq(signupReservations.id, id), isNull(signupReservations.storeSeq))

/** Deletes a reservation that has expired, or whose store was deleted. */
const deleteEndedReservation = (ctx: Ctx, subdomain: string): Write =>
  remove(signupReservations).where(
    and(
      eq(signupReservations.subdomain, subdomain),
      or(lte(signupReservations.expiresAt, ctx.now), isNotNull(signupReservations.storeSeq)),
    ),
  )

/** Selects the id of the reservation that the same batch inserts. */
const selectReservationId = (subdomain: string): SQL =>
  sql`(select ${signupReservations.id} from ${signupReservations} where ${signupReservations.subdomain} = ${subdomain})`

/** Builds the write of a reservation's link mail; belongs in the commit that creates the reservation. */
const buildLinkMailWrite = (
  ctx: Ctx,
  to: Pick<Reservation, "subdomain" | "email" | "locale">,
  reservation: SQL,
): Write =>
  buildMailWrite(
    ctx,
    {
      kind: "signup",
      key: `signup:${ctx.requestId}`,
      to: to.email,
      storeId: null,
      locale: to.locale,
      facts: {
        host: getFallbackHost(ctx.settings, to.subdomain),
        hours: ctx.settings.TENANCY_SIGNUP_VERIFY_TTL_HOURS,
      },
    },
    // The link is generated when the mail is sent, so it cannot be read from the outbox.
    { reservation },
  )

/** The choices that a store is created with, as sent or reserved. */
type StoreChoices = Pick<
  Values,
  "name" | "subdomain" | "email" | "plan" | "theme" | "preset" | "coupon" | "password"
> & {
  locale: Locale
}

async function createSignedUpStore(
  ctx: Ctx,
  choices: StoreChoices,
  password: string,
  { reservation, hasher }: Pick<Signup, "reservation" | "hasher">,
): Promise<string> {
  const actor = { type: "customer" as const, id: reservation ?? 0, name: choices.email }
  const store = await createStore(
    { ...ctx, actor },
    validInput(CreateStore, {
      subdomain: choices.subdomain,
      name: choices.name,
      owner_email: choices.email,
      password,
      theme: choices.theme,
      preset: choices.preset,
      plan: choices.plan,
    }),
    { reservation, hasher, locale: choices.locale, coupon: choices.coupon ?? null },
  )
  return store.id
}
