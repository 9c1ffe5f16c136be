// Signs customers up: reserves a name until its mailed link is confirmed with a password, or creates the store at once. Also mails
// an address the list of its stores. No response reveals whether an address owns a store.
import { and, eq, gt, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { permitHashing } from "../../core/auth/password-hashing"
import type { Ctx } from "../../core/context"
import { addressLimits, refundAll, afterRateLimit, spend } from "../../core/http/rate-limit"
import { type FieldFaults, invalid, Refusal, type RefusalCode } from "../../core/http/refusal"
import { fieldFaults } from "../../core/http/validation"
import type { Locale } from "../../core/i18n/locale"
import { writeUnaudited, change } from "../../core/write/commit"
import { batch } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
import { plans } from "../../db/schema/central/plans"
import { signupReservations } from "../../db/schema/central/signups"
import { purges, stores } from "../../db/schema/central/stores"
import { insert, remove, type Write } from "../../db/write"
import { publicUrl } from "../../env"
import { HOUR, later } from "../../lib/time"
import { mailWrite, postMails } from "../../mails/outbox"
import { verifyToken } from "../../mails/signup-link"
import type { Coupon } from "../coupons/schemas"
import { isRedeemable, selectCoupon } from "../coupons/service"
import type { Plan } from "../plans/schemas"
import { listPlans, plansOnSale as rowsOnSale } from "../plans/service"
import { createStore, type Signup } from "../stores/create"
import { assertFree } from "../stores/rules"
import { availableTheme, isWearable } from "../themes/rules"
import { countSignUp, mayMail } from "./limits"
import { ChosenPassword, type SignUp } from "./schemas"

type Input = z.output<typeof SignUp>

/** Sign-ups that a network may try per minute, whatever comes of them. */
const TRIES_PER_MINUTE = 60

/** Confirmations per minute and network. */
const CONFIRMATIONS_PER_MINUTE = 10

/** The plans on sale, in their order. */
export const plansOnSale = (ctx: Ctx): Promise<Plan[]> => listPlans(ctx, { includeInactive: false })

/**
 * Signs a customer up: reserves the name and mails a link, or creates the store at once where e-mail addresses are not verified.
 * @param wish `password` is required where the store is created at once, and ignored otherwise
 * @param given `ip`: the client's address; `locale`: the language of the mails and of the store where the wish names none
 * @returns the id of the store; null while the name is only reserved
 * @throws Refusal `validation_failed`, `rate_limited`, `subdomain_reserved`, `subdomain_taken`
 */
export async function signUp(
  ctx: Ctx,
  wish: Input & { password?: string },
  given: { ip: string; locale: Locale },
): Promise<string | null> {
  // Counted before anything else is said, or coupon codes and names could be guessed without a limit.
  const input = await afterRateLimit(countTry(ctx, given.ip), settleChoice(ctx, wish))
  const locale = input.language ?? given.locale
  assertFree(input.subdomain, false)
  const counted = await countSignUp(ctx, given.ip)
  try {
    if (ctx.settings.TENANCY_SIGNUP_VERIFY_EMAIL) return await reserve(ctx, input, { ...given, locale })
    if (!wish.password) throw invalid("password", "required")
    const hasher = await permitHashing(ctx)
    return await openStore(ctx, { ...input, locale }, wish.password, { reservation: null, hasher })
  } catch (thrown) {
    // Who asks for a name that is gone has not signed up: they may look for another one.
    if (thrown instanceof Refusal && thrown.code === "subdomain_taken") {
      await Promise.all(counted.map((name) => refundAll(ctx.env, ctx.log, name)))
    }
    throw thrown
  }
}

/**
 * Counts an attempt to sign up, successful or not.
 * @throws Refusal `rate_limited`
 */
export const countTry = (ctx: Ctx, ip: string) =>
  spend(ctx.env, ctx.log, addressLimits("signup-try", ip, TRIES_PER_MINUTE))

/** Whether a subdomain can be had; also what the form asks while it is typed. */
export async function isFree(ctx: Ctx, subdomain: string): Promise<boolean> {
  try {
    assertFree(subdomain, await isTaken(ctx, subdomain))
    return true
  } catch (thrown) {
    if (thrown instanceof Refusal) return false
    throw thrown
  }
}

type Reservation = typeof signupReservations.$inferSelect

/** A reservation with the name of its plan, as the confirmation page shows it. */
export type ShownReservation = Reservation & { planName: string | null }

/**
 * Reads the reservation of a mailed link. It changes nothing, however often a mail scanner opens the link.
 * @returns null for a link that was forged, has expired, or whose store was deleted
 */
export async function readReservation(ctx: Ctx, token: string): Promise<ShownReservation | null> {
  const id = await verifyToken(ctx.settings, token)
  if (id === null) return null
  const [found] = await ctx.db
    .select({ reservation: signupReservations, planName: plans.name, liveSeq: stores.seq })
    .from(signupReservations)
    .leftJoin(plans, eq(plans.slug, signupReservations.plan))
    .leftJoin(stores, eq(stores.seq, signupReservations.storeSeq))
    .where(and(eq(signupReservations.id, id), gt(signupReservations.expiresAt, ctx.now)))
  // The name of a deleted store may belong to somebody else by now.
  if (!found || found.reservation.storeSeq !== found.liveSeq) return null
  return { ...found.reservation, planName: found.planName }
}

/** The id of the store that a reservation became; null while it is open. */
export const storeOf = ({ subdomain, storeSeq }: Reservation): string | null => (storeSeq === null ? null : subdomain)

/** Refusals after which a link cannot create its store any more: the plan, the theme or the name is gone. */
const ENDS_LINK = new Set<RefusalCode>([
  "validation_failed",
  "plan_unavailable",
  "subdomain_reserved",
  "subdomain_taken",
])

/**
 * Creates the store of a mailed link, once, with the password of the first confirmation that commits. Later ones change nothing.
 * @param given `password`: as it was sent, not yet validated
 * @returns the id of the store; null for a link that was forged, has expired, or lost its name or its store
 * @throws Refusal `validation_failed` about `password`, and the link stays good; `rate_limited`
 */
export async function confirmSignUp(
  ctx: Ctx,
  given: { token: string; password: unknown; ip: string },
): Promise<string | null> {
  const found = await readReservation(ctx, given.token)
  const store = found && storeOf(found)
  if (!found || store) return store
  const chosen = ChosenPassword.safeParse(given)
  if (!chosen.success) throw new Refusal("validation_failed", { fields: fieldFaults(chosen.error, given) })
  const hasher = await permitHashing(ctx, 1, addressLimits("signup-confirm", given.ip, CONFIRMATIONS_PER_MINUTE))
  try {
    return await openStore(ctx, found, chosen.data.password, { reservation: found.id, hasher })
  } catch (thrown) {
    if (!(thrown instanceof Refusal && ENDS_LINK.has(thrown.code))) throw thrown
    // Of two confirmations at once one creates the store, and both are led to it.
    const now = await readReservation(ctx, given.token)
    if (now && storeOf(now)) return storeOf(now)
    // What was chosen is no longer on offer: its owner may choose again under the same name.
    const isOpenStill = and(eq(signupReservations.id, found.id), isNull(signupReservations.storeSeq))
    await writeUnaudited(ctx, "a reservation that cannot become a store", [remove(signupReservations).where(isOpenStill)])
    return null
  }
}

/** Reads how far the provisioning of a store is. It says no more than the store's own host; null for an unknown store. */
export async function readProgress(ctx: Ctx, id: string): Promise<{ status: string; url: string } | null> {
  const [store] = await ctx.db.select({ status: stores.status }).from(stores).where(eq(stores.id, id))
  return store ? { ...store, url: publicUrl(ctx.settings, `${id}.${ctx.settings.CENTRAL_DOMAIN}`) } : null
}

/**
 * Mails the owner of an address the list of their stores, in the background: the page says the same to everybody.
 * @throws Refusal `rate_limited` for a network that asks too often, whatever the address
 */
export async function mailStores(ctx: Ctx, email: string, given: { ip: string; locale: Locale }): Promise<void> {
  await spend(ctx.env, ctx.log, addressLimits("sign-in", given.ip, 20, HOUR))
  ctx.after(tellStores(ctx, email, given))
}

async function tellStores(ctx: Ctx, email: string, { ip, locale }: { ip: string; locale: Locale }): Promise<void> {
  if (!(await mayMail(ctx, "sign-in", email, ip))) return
  const owned = await ctx.db
    .select({ id: stores.id, name: stores.name, host: domains.domain })
    .from(stores)
    .innerJoin(domains, and(eq(domains.storeId, stores.id), eq(domains.isPrimary, true)))
    .where(sql`lower(${stores.ownerEmail}) = ${email.toLowerCase()}`)
    .limit(50)
  if (!owned.length) return
  const list = owned.map(({ name, host }) => `${name}\n${publicUrl(ctx.settings, host, "/billing")}`).join("\n\n")
  await writeUnaudited(ctx, "a mail that was asked for", [
    mailWrite(ctx, {
      kind: "sign_in",
      key: `sign_in:${ctx.requestId}`,
      to: email,
      storeId: null,
      locale,
      facts: { list },
    }),
  ])
  postMails(ctx)
}

/** Deletes expired reservations, confirmed or not. */
export const endReservations = (ctx: Ctx) =>
  writeUnaudited(ctx, "reservations end by the clock", [
    remove(signupReservations).where(lte(signupReservations.expiresAt, ctx.now)),
  ])

/**
 * Holds a sign-up to what is on offer. Where no plan is named it is the first one: without any, a store would be unlimited.
 * @throws Refusal `validation_failed`
 */
async function settleChoice(ctx: Ctx, input: Input): Promise<Input> {
  const [onSale, [coupon]] = await batch(ctx.db, [rowsOnSale({}), selectCoupon(ctx.db, input.coupon ?? "")])
  const plan = input.plan ? onSale.find(({ slug }) => slug === input.plan) : onSale[0]
  const fields: FieldFaults = {}
  const wrong = (field: string) => {
    fields[field] = [{ rule: "selected" }]
  }
  if (isBlocked(ctx, input.email)) fields.email = [{ rule: "prohibited" }]
  if (input.plan && !plan) wrong("plan")
  if (input.coupon && !isGood(coupon, plan, ctx.now)) wrong("coupon")
  const theme = input.theme ? availableTheme(input.theme) : null
  if (input.theme && !(theme && isWearable(theme, plan))) wrong("theme")
  const worn = theme ?? availableTheme(ctx.settings.TENANCY_DEFAULT_THEME)
  if (input.preset && !worn?.presets.some(({ slug }) => slug === input.preset)) wrong("preset")
  if (Object.keys(fields).length) throw new Refusal("validation_failed", { fields })
  return { ...input, plan: plan?.slug }
}

const isGood = (coupon: Coupon | undefined, plan: Plan | undefined, now: Date): boolean =>
  plan !== undefined && isRedeemable(coupon, plan.slug, now)

/** Whether an address is one of a domain that cannot sign up, or of one below it. */
function isBlocked({ settings }: Ctx, email: string): boolean {
  const domain = email.split("@").at(-1)?.toLowerCase() ?? ""
  return settings.TENANCY_SIGNUP_BLOCKED_EMAIL_DOMAINS.some((blocked) =>
    `.${domain}`.endsWith(`.${blocked.toLowerCase()}`),
  )
}

/** Whether a store, the remains of one, or a reservation has the name. */
async function isTaken(ctx: Ctx, subdomain: string): Promise<boolean> {
  const [[reservation], ...others] = await batch(ctx.db, selectHolders(ctx, subdomain))
  return (reservation !== undefined && isOpen(ctx, reservation)) || others.flat().length > 0
}

/** The statements that find who has a name: the reservation, and a store or the remains of one. */
function selectHolders(ctx: Ctx, subdomain: string) {
  const one = { one: sql<number>`1` }
  return [
    ctx.db.select().from(signupReservations).where(eq(signupReservations.subdomain, subdomain)),
    ctx.db.select(one).from(stores).where(eq(stores.id, subdomain)),
    ctx.db
      .select(one)
      .from(domains)
      .where(eq(domains.domain, `${subdomain}.${ctx.settings.CENTRAL_DOMAIN}`)),
    ctx.db.select(one).from(purges).where(eq(purges.storeId, subdomain)),
  ] as const
}

const isOpen = (ctx: Ctx, { expiresAt, storeSeq }: Reservation): boolean => expiresAt > ctx.now && storeSeq === null

/**
 * Reserves the name and mails the link. The same name and address again are mailed the same link again, and what was chosen first
 * stays: the page behind the link shows it.
 * @throws Refusal `subdomain_taken`
 */
async function reserve(ctx: Ctx, input: Input, { ip, locale }: { ip: string; locale: Locale }): Promise<null> {
  let isMailed: boolean | undefined
  await change(
    ctx,
    () => batch(ctx.db, selectHolders(ctx, input.subdomain)),
    async ([[reservation], ...others]) => {
      const held = reservation && isOpen(ctx, reservation) ? reservation : undefined
      const isForeign = held !== undefined && held.email.toLowerCase() !== input.email.toLowerCase()
      assertFree(input.subdomain, isForeign || others.flat().length > 0)
      isMailed ??= await mayMail(ctx, "signup", input.email, ip)
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
        expiresAt: later(ctx.now, ctx.settings.TENANCY_SIGNUP_VERIFY_TTL_HOURS * HOUR),
      }
      const writes = [
        ...(held ? [] : [removeEnded(ctx, input.subdomain), insert(signupReservations).values(values)]),
        ...(isMailed ? [linkMail(ctx, held ?? values, held ? sql`${held.id}` : idOfReserved(input.subdomain))] : []),
      ]
      const trail = { untold: "a reservation is no store yet; creating one has its entry" }
      return { answer: null, change: { writes, trail } }
    },
  )
  postMails(ctx)
  return null
}

/** Frees the name of a reservation that has expired, or whose store was deleted. */
const removeEnded = (ctx: Ctx, subdomain: string): Write =>
  remove(signupReservations).where(
    and(
      eq(signupReservations.subdomain, subdomain),
      or(lte(signupReservations.expiresAt, ctx.now), isNotNull(signupReservations.storeSeq)),
    ),
  )

/** The id of the reservation that the same batch inserts. */
const idOfReserved = (subdomain: string): SQL =>
  sql`(select ${signupReservations.id} from ${signupReservations} where ${signupReservations.subdomain} = ${subdomain})`

/** The mail with the link of a reservation; belongs into the commit that makes it. */
const linkMail = (ctx: Ctx, to: Pick<Reservation, "subdomain" | "email" | "locale">, reservation: SQL): Write =>
  mailWrite(
    ctx,
    {
      kind: "signup",
      key: `signup:${ctx.requestId}`,
      to: to.email,
      storeId: null,
      locale: to.locale,
      facts: {
        host: `${to.subdomain}.${ctx.settings.CENTRAL_DOMAIN}`,
        hours: ctx.settings.TENANCY_SIGNUP_VERIFY_TTL_HOURS,
      },
    },
    // The link itself is made when the mail is sent, so that nobody can read it from the outbox.
    { reservation },
  )

/** What a store is made of, as it was sent or reserved. */
type Chosen = Pick<Input, "name" | "subdomain" | "email" | "plan" | "theme" | "preset" | "coupon"> & { locale: Locale }

async function openStore(
  ctx: Ctx,
  chosen: Chosen,
  password: string,
  { reservation, hasher }: Pick<Signup, "reservation" | "hasher">,
): Promise<string> {
  const actor = { type: "customer" as const, id: reservation ?? 0, name: chosen.email }
  const { store } = await createStore(
    { ...ctx, actor },
    {
      subdomain: chosen.subdomain,
      name: chosen.name,
      owner_email: chosen.email,
      password,
      theme: chosen.theme,
      preset: chosen.preset,
      plan: chosen.plan,
    },
    { reservation, hasher, locale: chosen.locale, coupon: chosen.coupon ?? null },
  )
  return store.id
}
