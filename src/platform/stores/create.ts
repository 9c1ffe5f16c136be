// Creating a store: the row, its fallback host and its subscription at once; provisioning follows on the queue.
import { and, eq, gt, isNull, sql } from "drizzle-orm"
import { unionAll } from "drizzle-orm/sqlite-core"
import type * as z from "zod"
import { hashForAdmin, type PasswordHasher } from "../../core/auth/password-hashing"
import type { Ctx } from "../../core/context"
import { type FieldFaults, Refusal } from "../../core/http/refusal"
import type { Locale } from "../../core/i18n/locale"
import type { Actor } from "../../core/write/actor"
import { type Change, commit, retryOnConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
import { plans } from "../../db/schema/central/plans"
import { signupReservations } from "../../db/schema/central/signups"
import { siteSettings } from "../../db/schema/central/sites"
import { purges, stores, usageSnapshots } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { abortUnlessTouched, abortWhere, insert, update, type Write } from "../../db/write"
import { yearMonth } from "../../lib/time"
import { defaultPreset } from "../../themes/catalog"
import type { Coupon } from "../coupons/schemas"
import { isRedeemable, redemption, selectCoupon } from "../coupons/service"
import type { Plan } from "../plans/schemas"
import { activePlan, stillOffered } from "../plans/service"
import { firstOf, newSubscription } from "../subscriptions/actions"
import { recordOf, type SubscribedFacts } from "../subscriptions/commit-transition"
import { availableTheme } from "../themes/rules"
import { NOTHING } from "../usage/rules"
import { enqueueProvisioning } from "./enqueue"
import { assertFree } from "./rules"
import { type CreateStore, type StoreFacts, searchText, storeResource } from "./schemas"

type Input = z.output<typeof CreateStore>

/** What a customer's own sign-up brings along. */
export interface Signup {
  /** The reservation that is confirmed; null for a sign-up without one. */
  reservation: number | null
  coupon: string | null
  locale: Locale
  /** What hashes the password, once the client's network has spent for it. */
  hasher: PasswordHasher
}

/**
 * Creates a store, `pending` until the queue has provisioned it.
 * @param signup what a customer's own sign-up brings along
 * @returns the new store
 * @throws Refusal `validation_failed` for a theme, preset or plan that is not on offer; `plan_unavailable` for a plan that went
 *   meanwhile; `subdomain_reserved`, `subdomain_taken`
 */
export async function createStore(ctx: Ctx, input: Input, signup?: Signup): Promise<StoreFacts> {
  // Hashed once, however often the race for the name is run again, and only when the name is to be had.
  let hash: Promise<string> | undefined
  let offered = false
  const facts = await retryOnConflict(async () => {
    const { taken, plan, coupon } = await load(ctx, input, signup)
    if (offered && !plan) throw new Refusal("plan_unavailable")
    offered = plan !== undefined
    const look = chooseLook(ctx, input, plan)
    assertFree(input.subdomain, taken)
    hash ??= signup ? signup.hasher.hash(input.password) : hashForAdmin(input.password)
    const redeemed = plan && isRedeemable(coupon, plan.slug, ctx.now) ? coupon : undefined
    const { change, answer } = decide(ctx, input, look, plan, await hash, signup, redeemed)
    const [[stored]] = await commit(ctx, change)
    if (!stored) throw new Error("The store was not stored")
    return { ...answer, store: { ...answer.store, seq: stored.seq } }
  })
  enqueueProvisioning(ctx, facts.store)
  return facts
}

async function load(
  ctx: Ctx,
  input: Input,
  signup: Signup | undefined,
): Promise<{ taken: boolean; plan: Plan | undefined; coupon: Coupon | undefined }> {
  const one = { one: sql<number>`1` }
  const [taken, [holder], [coupon], plan] = await batch(ctx.db, [
    unionAll(
      ctx.db.select(one).from(stores).where(eq(stores.id, input.subdomain)),
      ctx.db
        .select(one)
        .from(domains)
        .where(eq(domains.domain, fallbackHost(ctx, input.subdomain))),
      ctx.db.select(one).from(purges).where(eq(purges.storeId, input.subdomain)),
    ),
    ctx.db
      .select({ id: signupReservations.id })
      .from(signupReservations)
      .where(
        and(
          eq(signupReservations.subdomain, input.subdomain),
          gt(signupReservations.expiresAt, ctx.now),
          isNull(signupReservations.storeSeq),
        ),
      ),
    selectCoupon(ctx.db, signup?.coupon ?? ""),
    ...(input.plan ? [activePlan(ctx, input.plan)] : []),
  ])
  // A reserved name goes to its own reservation, and a reservation that ended or was completed gets none.
  const isReserved = (holder?.id ?? null) !== (signup?.reservation ?? null)
  return { taken: taken.length > 0 || isReserved, plan: plan?.[0], coupon }
}

const fallbackHost = (ctx: Ctx, subdomain: string) => `${subdomain}.${ctx.settings.CENTRAL_DOMAIN}`

/** Theme and preset, the catalog's defaults where none is named. */
function chooseLook(ctx: Ctx, input: Input, plan: Plan | undefined): { theme: string; preset: string } {
  const fields: FieldFaults = {}
  const theme = availableTheme(input.theme ?? ctx.settings.TENANCY_DEFAULT_THEME)
  if (!theme) fields.theme = [{ rule: "selected" }]
  else if (input.preset && !theme.presets.some((preset) => preset.slug === input.preset)) {
    fields.preset = [{ rule: "selected" }]
  }
  if (input.plan && !plan) fields.plan = [{ rule: "selected" }]
  if (!theme || Object.keys(fields).length) throw new Refusal("validation_failed", { fields })
  return { theme: theme.slug, preset: input.preset ?? defaultPreset(theme) }
}

function decide(
  ctx: Ctx,
  input: Input,
  look: { theme: string; preset: string },
  plan: Plan | undefined,
  adminPasswordHash: string,
  signup: Signup | undefined,
  coupon: Coupon | undefined,
): { change: Change<[Write<{ seq: number }[]>, ...Write[]]>; answer: StoreFacts } {
  const { now } = ctx
  const store: Omit<StoreFacts["store"], "seq"> = {
    id: input.subdomain,
    name: input.name,
    status: "pending",
    ...look,
    ownerEmail: input.owner_email,
    apps: [],
    database: null,
    version: 1,
    provisioningStartedAt: null,
    provisioningSince: null,
    provisionedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  const usage = { storeId: store.id, period: yearMonth(now), counts: NOTHING }
  const primary = {
    domain: fallbackHost(ctx, store.id),
    storeId: store.id,
    isPrimary: true,
    isFallback: true,
    verificationToken: null,
    verifiedAt: now,
    createdAt: now,
  }
  const created = { store, usage: { ...usage, collectedAt: now }, primary, subscription: null } as unknown as StoreFacts
  const trialDays = coupon && plan ? plan.trialDays + coupon.trialDays : (input.trial_days ?? null)
  const subscription = plan && {
    ...newSubscription(store.id, plan, trialDays, now),
    couponCode: coupon?.code ?? null,
  }
  const subscribed = { ...created, subscription } as SubscribedFacts
  return {
    answer: subscription ? subscribed : created,
    change: {
      ...(plan && { guard: coupon ? redemption(coupon, now, stillOffered(plan)) : hold(plan) }),
      writes: [
        insert(stores)
          .values({
            ...store,
            adminPasswordHash,
            searchText: searchText(input.subdomain, input.name, input.owner_email),
          })
          .returning({ seq: stores.seq }),
        // The purge of a deleted store deletes every row of its name.
        abortWhere(sql`from ${purges} where ${eq(purges.storeId, store.id)}`),
        insert(usageSnapshots).values({ ...usage, collectedAt: now }),
        insert(domains).values(primary),
        ...(subscription ? [insert(subscriptions).values(subscription)] : []),
        ...(signup ? signedUp(store.id, signup, now) : []),
      ],
      trail: [
        {
          audit: { storeId: store.id, type: "store_created", to: "pending" },
          events: [
            {
              type: "store.created",
              store: storeResource(ctx.settings, created),
              meta: { source: sourceOf(ctx.actor) },
            },
          ],
        },
        ...(subscription ? [recordOf(ctx, subscribed, firstOf(store.id, "pending", subscription, null))] : []),
      ],
    },
  }
}

/** The writes that a customer's own sign-up adds: the store's language, and the end of the reservation. */
const signedUp = (storeId: string, { reservation, locale }: Signup, now: Date): Write[] => [
  insert(siteSettings).values({
    siteId: storeId,
    apiEnabled: true,
    keyRequired: false,
    emailVerification: false,
    language: locale,
    updatedAt: now,
  }),
  ...(reservation === null ? [] : completeReservation(reservation, storeId)),
]

/** Ties the reservation to this incarnation of the store; writes nothing at all where it was completed before. */
const completeReservation = (reservation: number, storeId: string): Write[] => [
  update(signupReservations)
    .set({ storeSeq: sql`(select ${stores.seq} from ${stores} where ${stores.id} = ${storeId})` })
    .where(and(eq(signupReservations.id, reservation), isNull(signupReservations.storeSeq))),
  abortUnlessTouched,
]

/** Touches the plan's row if it is still on offer, so that nothing is written if it is not. */
const hold = (plan: Plan) => update(plans).set({ updatedAt: plan.updatedAt }).where(stillOffered(plan))

/** Where a store came from, as `meta.source` says it. */
function sourceOf(actor: Actor): string {
  switch (actor.type) {
    case "api_key":
    case "license_key":
    case "site_token":
    case "site_key":
      return "api"
    case "admin":
      return "console"
    case "customer":
      return "signup"
    case "system":
      return "system"
  }
}
