// Signing up: a reservation that a mailed link turns into a store, or the store at once; and the mail that says which stores an
// address owns. Nothing here tells whether an address has a store.
import { and, eq, gt, isNotNull, isNull, lte, or, sql } from "drizzle-orm"
import type * as z from "zod"
import { addressLimits, giveBack, type Limit, spend } from "../../core/budget"
import { bookkeep, change } from "../../core/commit"
import type { Ctx } from "../../core/context"
import type { Locale } from "../../core/locale"
import { permitHashing } from "../../core/password-hashing"
import { type FieldFaults, invalid, Refusal } from "../../core/refusal"
import { batch } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
import { signups } from "../../db/schema/central/signups"
import { purges, stores } from "../../db/schema/central/stores"
import { insert, remove, type Write } from "../../db/write"
import { publicUrl } from "../../env"
import { sha256 } from "../../lib/hash"
import { HOUR, later } from "../../lib/time"
import type { Coupon } from "../coupons/schemas"
import { isRedeemable, selectCoupon } from "../coupons/service"
import { mailWrite, postMails } from "../mails/outbox"
import type { Plan } from "../plans/schemas"
import { listPlans, plansOnSale as rowsOnSale } from "../plans/service"
import { createStore } from "../stores/create"
import { assertFree } from "../stores/rules"
import { availableTheme, isWearable } from "../themes/rules"
import { reservationOf } from "./link"
import type { SignUp } from "./schemas"

type Input = z.output<typeof SignUp>

/** Sign-ups, and mails about stores, an hour for one address of e-mail. */
const PER_EMAIL = 5

/** What a sign-up is answered with. */
export interface SignedUp {
  subdomain: string
  /** `reserved` until the mailed link is followed; `pending` for a store that is being made. */
  status: "reserved" | "pending"
}

/** The plans on sale, in their order. */
export const plansOnSale = (ctx: Ctx): Promise<Plan[]> => listPlans(ctx, { includeInactive: false })

/**
 * Signs a customer up.
 * @param given `ip`: the client's address; `locale`: the language of the mails and of the store where the wish names none
 * @throws Refusal `validation_failed`, `rate_limited`, `subdomain_reserved`, `subdomain_taken`
 */
export async function signUp(ctx: Ctx, wish: Input, given: { ip: string; locale: Locale }): Promise<SignedUp> {
  const input = await settleChoice(ctx, wish)
  const locale = input.language ?? given.locale
  assertFree(input.subdomain, false)
  const counted = await countSignUp(ctx, given.ip, input.email)
  try {
    return await begin(ctx, input, locale)
  } catch (thrown) {
    // Who asks for a name that is gone has not signed up: they may look for another one.
    if (thrown instanceof Refusal && thrown.code === "subdomain_taken") {
      await Promise.all(counted.map(({ name }) => giveBack(ctx.env, ctx.log, name)))
    }
    throw thrown
  }
}

/** Holds the name until the mailed link is followed, or opens the store at once. */
async function begin(ctx: Ctx, input: Input, locale: Locale): Promise<SignedUp> {
  if (!ctx.settings.TENANCY_SIGNUP_VERIFY_EMAIL) {
    await assertSubdomain(ctx, input)
    const passwordHash = await (await permitHashing(ctx)).hash(input.password)
    await openStore(ctx, input, { id: null, passwordHash, locale })
    return { subdomain: input.subdomain, status: "pending" }
  }
  await reserve(ctx, input, locale)
  return { subdomain: input.subdomain, status: "reserved" }
}

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

type Reservation = typeof signups.$inferSelect

/**
 * What a mailed link is about. Reading it changes nothing, however often a mail scanner opens it.
 * @returns null for a link that was made up, or ended
 */
export async function readReservation(ctx: Ctx, token: string): Promise<Reservation | null> {
  const id = await reservationOf(ctx.settings, token)
  if (id === null) return null
  const [found] = await ctx.db
    .select()
    .from(signups)
    .where(and(eq(signups.id, id), gt(signups.expiresAt, ctx.now)))
  return found ?? null
}

/**
 * Makes the store of a mailed link, once.
 * @returns the store's id; null for a link that was made up, ended, or lost its name
 */
export async function confirmSignUp(ctx: Ctx, token: string): Promise<string | null> {
  const found = await readReservation(ctx, token)
  if (!found) return null
  if (found.completedAt) return found.subdomain
  try {
    await openStore(ctx, found, found)
  } catch (thrown) {
    // Of two clicks at once one makes the store, and both are led to it.
    // A plan or theme that went since is no longer to be had.
    if (!(thrown instanceof Refusal)) throw thrown
    const [done] = await ctx.db
      .select()
      .from(signups)
      .where(and(eq(signups.id, found.id), isNotNull(signups.completedAt)))
    return done ? done.subdomain : null
  }
  return found.subdomain
}

/** How a store stands that was signed up for; null when there is none. */
export async function readProgress(
  ctx: Ctx,
  id: string,
): Promise<{ name: string; status: string; url: string } | null> {
  const [store] = await ctx.db
    .select({ name: stores.name, status: stores.status })
    .from(stores)
    .where(eq(stores.id, id))
  return store ? { ...store, url: publicUrl(ctx.settings, `${id}.${ctx.settings.CENTRAL_DOMAIN}`) } : null
}

/** Mails the owner of an address which stores are theirs, behind the answer: the page says the same to everybody. */
export async function mailStores(ctx: Ctx, email: string, given: { ip: string; locale: Locale }): Promise<void> {
  const account: Limit = { name: `sign-in:${await sha256(email.toLowerCase())}`, limit: PER_EMAIL, windowMs: HOUR }
  await spend(ctx.env, ctx.log, [...addressLimits("sign-in", given.ip, 20, HOUR), account])
  ctx.after(tellStores(ctx, email, given.locale))
}

async function tellStores(ctx: Ctx, email: string, locale: Locale): Promise<void> {
  const owned = await ctx.db
    .select({ id: stores.id, name: stores.name, host: domains.domain })
    .from(stores)
    .innerJoin(domains, and(eq(domains.storeId, stores.id), eq(domains.isPrimary, true)))
    .where(sql`lower(${stores.ownerEmail}) = ${email.toLowerCase()}`)
    .limit(50)
  if (!owned.length) return
  const list = owned.map(({ name, host }) => `${name}\n${publicUrl(ctx.settings, host, "/billing")}`).join("\n\n")
  await bookkeep(ctx, "a mail that was asked for", [
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

/** Ends the reservations whose link was not followed in time, and forgets those that were. */
export const endReservations = (ctx: Ctx) =>
  bookkeep(ctx, "reservations end by the clock", [remove(signups).where(lte(signups.expiresAt, ctx.now))])

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

/**
 * Counts a sign-up.
 * @returns what it was counted against
 * @throws Refusal `rate_limited`
 */
async function countSignUp(ctx: Ctx, ip: string, email: string): Promise<Limit[]> {
  const { TENANCY_SIGNUP_PER_IP_PER_HOUR: perIp, TENANCY_SIGNUP_GLOBAL_PER_HOUR: all } = ctx.settings
  const limits = [
    ...(perIp ? addressLimits("signup", ip, perIp, HOUR) : []),
    ...(all ? [{ name: "signup:all", limit: all, windowMs: HOUR }] : []),
    { name: `signup-email:${await sha256(email.toLowerCase())}`, limit: PER_EMAIL, windowMs: HOUR },
  ]
  await spend(ctx.env, ctx.log, limits)
  return limits
}

/** @throws Refusal `subdomain_taken` */
async function assertSubdomain(ctx: Ctx, { subdomain }: Input): Promise<void> {
  assertFree(subdomain, await isTaken(ctx, subdomain))
}

/** Whether a store, the remains of one, or somebody else's reservation has the name. */
const isTaken = async (ctx: Ctx, subdomain: string): Promise<boolean> =>
  (await batch(ctx.db, selectTakers(ctx, subdomain, null))).some((rows) => rows.length > 0)

/** The statements that find who has a name: a store, the remains of one, a reservation of another address. */
function selectTakers(ctx: Ctx, subdomain: string, emailKey: string | null) {
  const host = `${subdomain}.${ctx.settings.CENTRAL_DOMAIN}`
  const one = { one: sql<number>`1` }
  return [
    ctx.db.select(one).from(stores).where(eq(stores.id, subdomain)),
    ctx.db.select(one).from(domains).where(eq(domains.domain, host)),
    ctx.db.select(one).from(purges).where(eq(purges.storeId, subdomain)),
    ctx.db
      .select(one)
      .from(signups)
      .where(
        and(
          eq(signups.subdomain, subdomain),
          isOpen(ctx),
          emailKey === null ? undefined : sql`${signups.emailKey} <> ${emailKey}`,
        ),
      ),
  ] as const
}

const isOpen = (ctx: Ctx) => and(gt(signups.expiresAt, ctx.now), isNull(signups.completedAt))

/**
 * Holds the name and the address. The same ones again are mailed the link again, and what they chose first stays.
 * @throws Refusal `subdomain_taken`; `validation_failed` about `email` while it holds another name
 */
async function reserve(ctx: Ctx, input: Input, locale: Locale): Promise<void> {
  const emailKey = input.email.toLowerCase()
  let passwordHash: string | undefined
  await change(
    ctx,
    async () => {
      const [held, ...takers] = await batch(ctx.db, [
        ctx.db
          .select()
          .from(signups)
          .where(and(eq(signups.emailKey, emailKey), isOpen(ctx))),
        ...selectTakers(ctx, input.subdomain, emailKey),
      ])
      return { taken: takers.some((rows) => rows.length > 0), held: held[0] }
    },
    async ({ taken, held }) => {
      assertFree(input.subdomain, taken)
      if (held) {
        if (held.subdomain !== input.subdomain) throw invalid("email", "taken")
        const again = { writes: [linkMail(ctx, held)], trail: { untold: "the link of a reservation, once more" } }
        return { answer: null, change: again }
      }
      passwordHash ??= await (await permitHashing(ctx)).hash(input.password)
      const hours = ctx.settings.TENANCY_SIGNUP_VERIFY_TTL_HOURS
      const values = {
        subdomain: input.subdomain,
        email: input.email,
        emailKey,
        name: input.name,
        passwordHash,
        plan: input.plan ?? null,
        theme: input.theme ?? null,
        preset: input.preset ?? null,
        coupon: input.coupon ?? null,
        locale,
        createdAt: ctx.now,
        expiresAt: later(ctx.now, hours * HOUR),
      }
      return {
        answer: null,
        change: {
          writes: [
            // What ended, or came to its store, holds nothing any more.
            remove(signups).where(
              and(
                or(eq(signups.subdomain, input.subdomain), eq(signups.emailKey, emailKey)),
                or(lte(signups.expiresAt, ctx.now), isNotNull(signups.completedAt)),
              ),
            ),
            insert(signups).values(values),
            linkMail(ctx, values),
          ],
          trail: { untold: "a reservation is no store yet; making one is told" },
        },
      }
    },
  )
  postMails(ctx)
}

/** The mail with the link of a reservation; belongs into the commit that makes it. */
const linkMail = (ctx: Ctx, to: Pick<Reservation, "subdomain" | "email" | "emailKey" | "locale">): Write =>
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
    { signup: sql`(select ${signups.id} from ${signups} where ${signups.emailKey} = ${to.emailKey})` },
  )

/** What a store is made of, given or held. */
type Chosen = Pick<Input, "name" | "subdomain" | "email" | "plan" | "theme" | "preset" | "coupon">

async function openStore(
  ctx: Ctx,
  chosen: Chosen,
  signup: { id: number | null; passwordHash: string; locale: Locale },
): Promise<void> {
  const actor = { type: "customer" as const, id: signup.id ?? 0, name: chosen.email }
  await createStore(
    { ...ctx, actor },
    {
      subdomain: chosen.subdomain,
      name: chosen.name,
      owner_email: chosen.email,
      password: "",
      theme: chosen.theme,
      preset: chosen.preset,
      plan: chosen.plan,
    },
    { ...signup, coupon: chosen.coupon ?? null },
  )
}
