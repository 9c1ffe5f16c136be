// Creates stores: the row, its fallback host and its subscription in one commit. Provisioning follows on the queue.
import { and, eq, gt, isNull, sql } from "drizzle-orm"
import { unionAll } from "drizzle-orm/sqlite-core"
import type * as z from "zod"
import { hashForAdmin, type PasswordHasher } from "../../core/auth/password-hashing"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import type { Locale } from "../../core/i18n/locale"
import type { Actor } from "../../core/write/actor"
import { type Change, commit, retryOnConflict } from "../../core/write/commit"
import type { EventPayloads } from "../../core/write/event-payloads"
import { batch } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
import { plans } from "../../db/schema/central/plans"
import { signupReservations } from "../../db/schema/central/signups"
import { siteSettings } from "../../db/schema/central/sites"
import { purges, stores, usageSnapshots } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { abortUnlessTouched, abortWhere, insert, update, type Write } from "../../db/write"
import { getFallbackHost } from "../../env"
import { assertNever } from "../../lib/assert-never"
import { type InputColumns, toColumns } from "../../lib/every-field"
import { yearMonth } from "../../lib/time"
import { defaultPreset } from "../../themes/catalog"
import type { Theme } from "../../themes/theme"
import { buildDiscount } from "../coupons/discounts"
import type { Coupon } from "../coupons/schemas"
import { isRedeemable, redeemCoupon, selectCoupon } from "../coupons/service"
import { selectLatest, toLatest } from "../metrics/system"
import type { Plan } from "../plans/schemas"
import { isPlanUnchanged, selectActivePlan } from "../plans/service"
import { buildInitialTransition, buildSubscription } from "../subscriptions/actions"
import { buildAuditRecord } from "../subscriptions/commit-transition"
import type { DatabaseStatus } from "../system/databases"
import { findAvailableTheme } from "../themes/rules"
import { NO_USAGE } from "../usage/rules"
import { allDatabasesFull, pickDatabase } from "./choose-database"
import { enqueueProvisioning } from "./enqueue"
import { assertSubdomainAvailable } from "./rules"
import { type CreateStore, type NewStoreDetails, type StoreDetails, searchText, storeResource } from "./schemas"

type Values = z.output<typeof CreateStore>

type Store = StoreDetails["store"]

/** The column that stores each field of the input. */
const INPUT_COLUMNS = {
  subdomain: "id",
  name: "name",
  owner_email: "ownerEmail",
  password: { omitted: "stored as a hash" },
  theme: { omitted: "defaults to the platform's theme" },
  preset: { omitted: "defaults to the theme's preset" },
  plan: { omitted: "stored in the subscription" },
  trial_days: { omitted: "stored in the subscription" },
} as const satisfies InputColumns<Values, Store>

/** The extra input of a customer's own sign-up. */
export interface Signup {
  /** The reservation to complete; null for a sign-up without one. */
  reservation: number | null
  coupon: string | null
  locale: Locale
  /** Hashes the password; issued after the client's network was charged for it. */
  hasher: PasswordHasher
}

/**
 * Creates a store, which stays `pending` until the queue has provisioned it.
 * @param signup set for a customer's own sign-up
 * @returns the new store
 * @throws Refusal `validation_failed` for a theme, preset or plan that is not on offer; `plan_unavailable` for a plan
 *   that was withdrawn in the meantime; `subdomain_reserved`, `subdomain_taken`; `temporarily_unavailable` while every
 *   site database is full
 */
export async function createStore(ctx: Ctx, input: Input<typeof CreateStore>, signup?: Signup): Promise<Store> {
  // Hashed at most once, even if the commit is retried, and only when the subdomain is available.
  let hash: Promise<string> | undefined
  let wasOffered = false
  const store = await retryOnConflict(async () => {
    const { taken, plan, coupon, databases } = await load(ctx, input.valid, signup)
    if (wasOffered && !plan) throw new Refusal("plan_unavailable")
    wasOffered = plan !== undefined
    const theme = findAvailableTheme(input.valid.theme ?? ctx.settings.TENANCY_DEFAULT_THEME)
    const values = input.complete({
      theme: theme ? null : "selected",
      preset: input.isValid("theme") && theme && !isPresetOf(theme, input.valid.preset) ? "selected" : null,
      plan: input.valid.plan && !plan ? "selected" : null,
    })
    if (!theme) throw input.reject("theme", "selected")
    assertSubdomainAvailable(values.subdomain, taken)
    if (pickDatabase(ctx.settings.SITE_DATABASES, databases) === null) throw allDatabasesFull()
    const appearance = { theme: theme.slug, preset: values.preset ?? defaultPreset(theme) }
    hash ??= signup ? signup.hasher.hash(values.password) : hashForAdmin(values.password)
    const redeemed = plan && isRedeemable(coupon, plan.slug, ctx.now) ? coupon : undefined
    const { change, created } = decide(ctx, values, appearance, plan, await hash, signup, redeemed)
    const [[stored]] = await commit(ctx, change)
    if (!stored) throw new Error("The store was not stored")
    return { ...created, seq: stored.seq }
  })
  enqueueProvisioning(ctx, store)
  return store
}

async function load(
  ctx: Ctx,
  { subdomain = "", plan: slug }: Partial<Values>,
  signup: Signup | undefined,
): Promise<{
  taken: boolean
  plan: Plan | undefined
  coupon: Coupon | undefined
  databases: readonly DatabaseStatus[]
}> {
  const exists = { one: sql<number>`1` }
  const [taken, [reserved], [coupon], [latest], plan] = await batch(ctx.db, [
    unionAll(
      ctx.db.select(exists).from(stores).where(eq(stores.id, subdomain)),
      ctx.db
        .select(exists)
        .from(domains)
        .where(eq(domains.domain, getFallbackHost(ctx.settings, subdomain))),
      ctx.db.select(exists).from(purges).where(eq(purges.storeId, subdomain)),
    ),
    ctx.db
      .select({ id: signupReservations.id })
      .from(signupReservations)
      .where(
        and(
          eq(signupReservations.subdomain, subdomain),
          gt(signupReservations.expiresAt, ctx.now),
          isNull(signupReservations.storeSeq),
        ),
      ),
    selectCoupon(ctx.db, signup?.coupon ?? ""),
    selectLatest(ctx),
    ...(slug ? [selectActivePlan(ctx, slug)] : []),
  ])
  const databases = toLatest(latest)?.detail.databases ?? []
  // Only its own reservation may take a reserved name. An expired or completed reservation may not.
  const isReserved = (reserved?.id ?? null) !== (signup?.reservation ?? null)
  return { taken: taken.length > 0 || isReserved, plan: plan?.[0], coupon, databases }
}

/** Whether a preset is one of a theme's; none is always allowed. */
const isPresetOf = (theme: Theme, preset: string | null | undefined): boolean =>
  !preset || theme.presets.some(({ slug }) => slug === preset)

function decide(
  ctx: Ctx,
  input: Values,
  appearance: { theme: string; preset: string },
  plan: Plan | undefined,
  adminPasswordHash: string,
  signup: Signup | undefined,
  coupon: Coupon | undefined,
): { change: Change<[Write<{ seq: number }[]>, ...Write[]]>; created: Omit<Store, "seq"> } {
  const { now } = ctx
  const store: Omit<Store, "seq"> = {
    ...toColumns(input, INPUT_COLUMNS),
    ...appearance,
    status: "pending",
    apps: [],
    database: null,
    version: 1,
    provisioningStartedAt: null,
    provisioningSince: null,
    operatorSuspendedAt: null,
    suspensionReason: null,
    provisionedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  const usage = { storeId: store.id, period: yearMonth(now), counts: NO_USAGE }
  const primary = {
    domain: getFallbackHost(ctx.settings, store.id),
    storeId: store.id,
    isPrimary: true,
    isFallback: true,
    verificationToken: null,
    verifiedAt: now,
    createdAt: now,
  }
  const created: NewStoreDetails = { store, usage: { ...usage, collectedAt: now }, primary, subscription: null }
  const trialDays = coupon && plan ? plan.trialDays + coupon.trialDays : (input.trial_days ?? null)
  const subscription = plan && {
    ...buildSubscription(store.id, plan, trialDays, now),
    couponCode: coupon?.code ?? null,
    discount: coupon ? buildDiscount(coupon) : null,
  }
  return {
    created: store,
    change: {
      ...(plan && { guard: coupon ? redeemCoupon(coupon, now, isPlanUnchanged(plan)) : assertStillOffered(plan) }),
      writes: [
        insert(stores)
          .values({
            ...store,
            adminPasswordHash,
            searchText: searchText(input.subdomain, input.name, input.owner_email),
          })
          .returning({ seq: stores.seq }),
        // The purge of a deleted store deletes every row with its subdomain, so the name stays blocked until then.
        abortWhere(sql`from ${purges} where ${eq(purges.storeId, store.id)}`),
        insert(usageSnapshots).values({ ...usage, collectedAt: now }),
        insert(domains).values(primary),
        ...(subscription ? [insert(subscriptions).values(subscription)] : []),
        ...(signup ? buildSignupWrites(store.id, signup, now) : []),
      ],
      auditLog: [
        {
          audit: { storeId: store.id, type: "store_created", to: "pending" },
          events: [
            {
              type: "store.created",
              data: { store: storeResource(ctx.settings, created) },
              meta: { source: getStoreSource(ctx.actor) },
            },
          ],
        },
        ...(subscription
          ? [
              buildAuditRecord(
                ctx,
                { ...created, subscription },
                buildInitialTransition(store.id, "pending", subscription, null),
              ),
            ]
          : []),
      ],
    },
  }
}

/** The writes that a customer's own sign-up adds: the store's language, and the completion of the reservation. */
const buildSignupWrites = (storeId: string, { reservation, locale }: Signup, now: Date): Write[] => [
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

/** Links the reservation to this incarnation of the store; aborts the batch when it is already completed. */
const completeReservation = (reservation: number, storeId: string): Write[] => [
  update(signupReservations)
    .set({ storeSeq: sql`(select ${stores.seq} from ${stores} where ${stores.id} = ${storeId})` })
    .where(and(eq(signupReservations.id, reservation), isNull(signupReservations.storeSeq))),
  abortUnlessTouched,
]

/** Updates the plan's row only while the plan is on offer, so the commit aborts when it is not. */
const assertStillOffered = (plan: Plan) => update(plans).set({ updatedAt: plan.updatedAt }).where(isPlanUnchanged(plan))

/** The value of `meta.source` in `store.created`. */
export function getStoreSource(actor: Actor): EventPayloads["store.created"]["meta"]["source"] {
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
    default:
      return assertNever(actor)
  }
}
