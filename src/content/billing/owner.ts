// What a store's owner sees of its billing and does about it: its staff, on its own host, whatever state the store is in.

import * as z from "zod"
import { addressLimits, spend } from "../../core/http/rate-limit"
import { invalid, Refusal } from "../../core/http/refusal"
import { LOCALES } from "../../core/i18n/locale"
import type { Actor } from "../../core/write/actor"
import { prefetched, commit, retryOnConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import { publicUrl } from "../../env"
import { DAY, HOUR, later, MINUTE } from "../../lib/time"
import { selectOrders, selectPayments } from "../../platform/orders/queries"
import type { Order, Payment, RequestOrder } from "../../platform/orders/schemas"
import { loadOrder, loadOrderable, requestOrder, withdrawOrder } from "../../platform/orders/service"
import { type OfflineSettings, offlineFrom, offlineRow } from "../../platform/orders/settings"
import { openCheckout, selectCheckout } from "../../platform/payments/checkouts"
import { portalPage, takesCards } from "../../platform/payments/provider"
import type { Plan } from "../../platform/plans/schemas"
import { activePlan, plansOnSale } from "../../platform/plans/service"
import { loadStore, oneStore, selectStore } from "../../platform/stores/queries"
import type { StoreFacts } from "../../platform/stores/schemas"
import { assertOurs } from "../../platform/subscriptions/rules"
import { fullName } from "../accounts/schemas"
import { type SiteSettings, updateSiteSettings } from "../keys/service"
import { authed, type UserCtx } from "../user"
import { asOperator } from "./support"

/** A request of a store's own staff. */
export interface OwnerCtx extends UserCtx {
  readonly storeId: string
  readonly email: string
}

export const ChooseLanguage = z.object({ language: z.enum(LOCALES) })

/** The page where an owner pays. */
const BILLING_PATH = "/billing"

/**
 * What one store, and one client network over all stores, may do. All stores share the card provider's own limit; each bank-transfer order
 * stays in the store's history and notifies the operators.
 */
const LIMITS = {
  card: { perNetwork: 60, perStore: 30, windowMs: MINUTE },
  order: { perNetwork: 120, perStore: 30, windowMs: HOUR },
}

/** Orders and receipts that are shown. */
const SHOWN = 100

/** The remaining trial must be longer than that for the provider to take it over. */
const SHORTEST_TRIAL = 2 * DAY

/**
 * The caller as one of the store's staff.
 * @throws Refusal `not_found` on the central site, `unauthenticated`, `forbidden`
 */
export async function ownerOf(ctx: UserCtx): Promise<OwnerCtx> {
  const storeId = storeOf(ctx)
  const { user, support } = await authed(ctx)
  if (!user.isStaff) throw new Refusal("forbidden")
  const actor: Actor = { type: "customer", id: user.id, name: fullName(user) }
  const owner = { ...ctx, actor, storeId, email: user.email }
  return support ? asOperator(owner, support) : owner
}

/** @throws Refusal `not_found` on the central site */
function storeOf({ site }: UserCtx): string {
  if (!site.store) throw new Refusal("not_found")
  return site.store.id
}

/** All that the owner's page shows. */
export interface Billing {
  facts: StoreFacts
  plans: Plan[]
  orders: Order[]
  payments: Payment[]
  offline: OfflineSettings
  card: { enabled: boolean }
}

/**
 * The store's billing for one of its staff: who asks is found out beside it.
 * @throws Refusal as of `ownerOf`
 */
export async function readOwnBilling(ctx: UserCtx): Promise<Billing> {
  const storeId = storeOf(ctx)
  const billing = prefetched(() => readBilling({ ...ctx, storeId }))
  // Whatever comes of it, who may not see it is told so first.
  await ownerOf(ctx)
  return billing()
}

const ordersOfStore = compiled<Order, { store: string }>((db) => selectOrders(db, { storeId: given("store") }, SHOWN))

const paymentsOfStore = compiled<Payment, { store: string }>((db) => selectPayments(db, given("store"), SHOWN))

/** The store's billing, in one round trip. */
export async function readBilling(
  ctx: Pick<OwnerCtx, "db" | "settings" | "env" | "storeId" | "pinned">,
): Promise<Billing> {
  const [store, plans, orders, payments, offline] = await batch(ctx.db, [
    selectStore(ctx.db, ctx.storeId),
    plansOnSale({}),
    ordersOfStore({ store: ctx.storeId }),
    paymentsOfStore({ store: ctx.storeId }),
    offlineRow({}),
  ])
  const card = { enabled: takesCards(ctx) }
  return { facts: oneStore(ctx, store), plans, orders, payments, offline: offlineFrom(offline), card }
}

/**
 * Orders a plan by bank transfer for one of the store's staff; who asks is checked in parallel with the load.
 * @throws Refusal as of `ownerOf`, `rate_limited`, then of `requestOrder`
 */
export async function orderPlan(ctx: UserCtx, input: z.output<typeof RequestOrder>): Promise<Order> {
  const storeId = storeOf(ctx)
  const load = prefetched(() => loadOrderable(ctx, storeId, input.plan))
  const owner = await countedOwner(ctx, "order")
  return requestOrder(owner, storeId, input, load)
}

/**
 * The caller as one of the store's staff, whose request is counted. Other requests are not, so that strangers use up neither the store's limit nor
 * that of a network they share with an owner.
 * @throws Refusal as of `ownerOf`, then `rate_limited`
 */
async function countedOwner(ctx: UserCtx, kind: keyof typeof LIMITS): Promise<OwnerCtx> {
  const owner = await ownerOf(ctx)
  const { perNetwork, perStore, windowMs } = LIMITS[kind]
  await spend(ctx.env, ctx.log, [
    ...addressLimits(`${kind}-ip`, ctx.address ?? "unknown", perNetwork, windowMs),
    { name: `${kind}:${owner.storeId}:${ctx.site.store?.seq}`, limit: perStore, windowMs },
  ])
  return owner
}

/**
 * Takes the store's order back for one of its staff: who asks is found out beside it.
 * @throws Refusal as of `ownerOf`, then of `withdrawOrder`
 */
export async function takeBackOrder(ctx: UserCtx, reference: string): Promise<Order> {
  const storeId = storeOf(ctx)
  const load = prefetched(() => loadOrder(ctx, reference))
  return withdrawOrder(await ownerOf(ctx), storeId, reference, load)
}

/** In which language the owner is written to, and the owner's page is. */
export const chooseLanguage = (ctx: OwnerCtx, { language }: z.output<typeof ChooseLanguage>): Promise<SiteSettings> =>
  updateSiteSettings(ctx, ctx.storeId, { language })

/** What a checkout is decided on, in one round trip. */
async function loadCheckout(ctx: Pick<OwnerCtx, "db" | "pinned">, storeId: string, slug: string) {
  const [store, [plan], [open]] = await batch(ctx.db, [
    selectStore(ctx.db, storeId),
    activePlan(ctx, slug),
    selectCheckout(ctx.db, storeId),
  ])
  return { facts: oneStore(ctx, store), plan, open }
}

/**
 * @param load what the checkout is decided on
 * @returns the address of the provider's page on which the plan is paid for
 * @throws Refusal `card_disabled`, `stripe_managed`, `validation_failed` about `plan` for one that is not sold by card,
 *   `provider_unreachable`
 */
async function checkoutUrl(
  ctx: OwnerCtx,
  input: { plan: string },
  load: () => ReturnType<typeof loadCheckout>,
): Promise<string> {
  if (!takesCards(ctx)) throw new Refusal("card_disabled")
  const url = await retryOnConflict(async () => {
    const { facts, plan, open } = await load()
    const { store, subscription } = facts
    if (subscription) assertOurs(subscription)
    if (!plan?.stripePrice || plan.priceCents === 0) throw invalid("plan", "selected")
    const trialEnd = subscription?.status === "trialing" ? subscription.trialEndsAt : null
    return openCheckout(ctx, facts, open, {
      store: store.id,
      storeSeq: store.seq,
      plan: plan.slug,
      price: plan.stripePrice,
      customer: subscription?.stripeCustomer ?? null,
      email: ctx.email,
      trialEnd: trialEnd && trialEnd >= later(ctx.now, SHORTEST_TRIAL) ? trialEnd : null,
      returnUrl: publicUrl(ctx.settings, ctx.site.hostname, BILLING_PATH),
    })
  })
  await recordSupport(ctx, "checkout_opened", { plan: input.plan })
  return url
}

/**
 * Starts a card payment for one of the store's staff; who asks is checked in parallel with the load.
 * @returns the address of the provider's page
 * @throws Refusal as of `ownerOf`, `rate_limited`, then of `checkoutUrl`
 */
export async function payByCard(ctx: UserCtx, input: { plan: string }): Promise<string> {
  const storeId = storeOf(ctx)
  const load = prefetched(() => loadCheckout(ctx, storeId, input.plan))
  return checkoutUrl(await countedOwner(ctx, "card"), input, load)
}

/**
 * @returns the address of the provider's page on which cards are changed and the subscription is ended
 * @throws Refusal as of `ownerOf`, `rate_limited`; `card_disabled`, also for a store that never paid by card; `provider_unreachable`
 */
export async function portalUrl(ctx: UserCtx): Promise<string> {
  const owner = await countedOwner(ctx, "card")
  if (!takesCards(owner)) throw new Refusal("card_disabled")
  const { subscription } = await loadStore(owner, owner.storeId)
  if (!subscription?.stripeCustomer) throw new Refusal("card_disabled")
  const returnUrl = publicUrl(owner.settings, owner.site.hostname, BILLING_PATH)
  const url = await portalPage(owner, subscription.stripeCustomer, returnUrl)
  await recordSupport(owner, "portal_opened")
  return url
}

/** Writes the audit entry of an operator who is about to be sent to the provider; an owner who goes there changes nothing here. */
async function recordSupport(ctx: OwnerCtx, deed: "checkout_opened" | "portal_opened", data = {}): Promise<void> {
  const { supportAccess: id, storeId: siteId } = ctx
  if (id !== undefined) await commit(ctx, { trail: [{ audit: { subject: "support_access", id, deed, siteId, data } }] })
}
