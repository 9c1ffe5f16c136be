// Service functions of a store's billing for its own staff, on the store's host, in every state of the store.
import * as z from "zod"
import { type Input, validInput } from "../../core/http/input"
import { addressLimits, takeTokens } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { LOCALES } from "../../core/i18n/locale"
import type { Actor } from "../../core/write/actor"
import { commit, prefetched, retryOnConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { publicUrl } from "../../env"
import { fullName } from "../../lib/full-name"
import { HOUR, MINUTE } from "../../lib/time"
import {
  type BillingDetails,
  type SaveBillingDetails,
  saveBillingDetails,
  selectBillingDetails,
} from "../../platform/invoices/details"
import { type Invoice, selectCreditNotes } from "../../platform/invoices/service"
import { selectOrders, selectPayments } from "../../platform/orders/queries"
import type { Order, Payment, RequestOrder } from "../../platform/orders/schemas"
import { approveOrder, loadOrder, loadOrderState, requestOrder, withdrawOrder } from "../../platform/orders/service"
import { type OfflineSettings, parseOfflineSettings, selectOfflineSettings } from "../../platform/orders/settings"
import { changeCardPlan } from "../../platform/payments/change-plan"
import { getCheckoutStart } from "../../platform/payments/checkout-start"
import { openCheckout, selectCheckout } from "../../platform/payments/checkouts"
import { findCheckoutProvider } from "../../platform/payments/providers"
import { buildPurchaseDiscount } from "../../platform/payments/purchase-discount"
import { resolveReference } from "../../platform/payments/references"
import type { Plan } from "../../platform/plans/schemas"
import { selectActivePlan, selectActivePlans } from "../../platform/plans/service"
import { loadStore, requireStore, selectStore } from "../../platform/stores/queries"
import type { StoreDetails } from "../../platform/stores/schemas"
import { changeToUnpaidPlan } from "../../platform/subscriptions/owner-change"
import { assertBilledLocally, isBilledByCard, isLive } from "../../platform/subscriptions/rules"
import type { ChangePlan } from "../../platform/subscriptions/schemas"
import {
  cancelSubscription,
  withdrawPlanChange,
  withdrawScheduledCancellation,
} from "../../platform/subscriptions/service"
import type { SubscribedStore } from "../../platform/subscriptions/transition"
import { countStoreUsage, countUsage, getUsage } from "../../platform/usage/collect"
import { assertWithinLimits, NO_USAGE } from "../../platform/usage/rules"
import { buildSnapshot } from "../../platform/usage/snapshots"
import { findStaffSession } from "../accounts/staff-sessions"
import { UpdateSiteSettings } from "../keys/schemas"
import { type SiteSettings, updateSiteSettings } from "../keys/service"
import type { SiteCtx } from "../site"
import { hasRole } from "../staff/rules"
import { authenticate, type UserCtx } from "../user"
import { actAsOperator } from "./support"

/** The context of a request by a store's own staff. */
export interface OwnerCtx extends UserCtx {
  readonly storeId: string
  readonly email: string
}

export const ChooseLanguage = z.object({ language: z.enum(LOCALES) })

/** Path of the billing page. */
const BILLING_PATH = "/billing"

/**
 * Limits per store, and per client network over all stores. All stores share the payment provider's rate limit; each
 * bank-transfer order stays in the store's history and notifies the operators.
 */
const RATE_LIMITS = {
  card: { perNetwork: 60, perStore: 30, windowMs: MINUTE },
  order: { perNetwork: 120, perStore: 30, windowMs: HOUR },
}

/** Orders and payments that the billing page lists. */
const MAX_HISTORY_ROWS = 100

/**
 * Authenticates the caller as an owner of the store.
 * @throws Refusal `not_found` on the central site, `unauthenticated`, `forbidden`
 */
export async function authenticateOwner(ctx: UserCtx): Promise<OwnerCtx> {
  const storeId = getStoreId(ctx)
  const { user, support } = await authenticate(ctx, undefined, { role: "owner" })
  const actor: Actor = { type: "customer", id: user.id, name: fullName(user) }
  const owner = { ...ctx, actor, storeId, email: user.email }
  return support ? actAsOperator(owner, support) : owner
}

/**
 * Finds the owner of a session of the store's admin.
 * @returns null for a session that has ended, for other members of the staff, and for any other kind of login
 */
export async function findOwnerInAdmin(ctx: SiteCtx, token: string): Promise<OwnerCtx | null> {
  const session = await findStaffSession(ctx, token)
  if (!session || !hasRole(session.user, "owner")) return null
  return { ...session.ctx, storeId: getStoreId(session.ctx), email: session.user.email }
}

/**
 * Returns the id of the request's store.
 * @throws Refusal `not_found` on the central site
 */
function getStoreId({ site }: UserCtx): string {
  if (!site.store) throw new Refusal("not_found")
  return site.store.id
}

/** A store's billing, as the billing page and API show it. */
export interface Billing {
  facts: StoreDetails
  plans: Plan[]
  orders: Order[]
  payments: Payment[]
  creditNotes: Invoice[]
  details: BillingDetails | undefined
  offline: OfflineSettings
  card: { enabled: boolean }
}

/**
 * Reads the store's billing for one of its owners, who is authenticated in parallel.
 * @throws Refusal as `authenticateOwner` does
 */
export async function readBillingAsOwner(ctx: UserCtx): Promise<Billing> {
  const storeId = getStoreId(ctx)
  const billing = prefetched(() => readBilling({ ...ctx, storeId }))
  // An authentication error takes precedence over an error of the read.
  await authenticateOwner(ctx)
  return billing()
}

const selectStoreOrders = prepareRead<Order, { store: string }>((db) =>
  selectOrders(db, { storeId: param("store") }, MAX_HISTORY_ROWS),
)

const selectStorePayments = prepareRead<Payment, { store: string }>((db) =>
  selectPayments(db, param("store"), MAX_HISTORY_ROWS),
)

/** Reads the store's billing in one round trip. */
export async function readBilling(
  ctx: Pick<OwnerCtx, "db" | "settings" | "env" | "storeId" | "pinned">,
): Promise<Billing> {
  const [store, plans, orders, payments, offline, creditNotes, [details]] = await batch(ctx.db, [
    selectStore(ctx.db, ctx.storeId),
    selectActivePlans({}),
    selectStoreOrders({ store: ctx.storeId }),
    selectStorePayments({ store: ctx.storeId }),
    selectOfflineSettings({}),
    selectCreditNotes(ctx, ctx.storeId, MAX_HISTORY_ROWS),
    selectBillingDetails(ctx.db, ctx.storeId),
  ])
  const card = { enabled: findCheckoutProvider(ctx.settings) !== null }
  const facts = requireStore(ctx, store)
  return { facts, plans, orders, payments, creditNotes, details, offline: parseOfflineSettings(offline), card }
}

/**
 * Reads the store's billing with its usage as of now, counted in parallel. While the store's database cannot be queried,
 * the usage is that of the last snapshot.
 */
export async function readCurrentBilling(ctx: OwnerCtx): Promise<Billing> {
  const { site } = ctx
  const count = async () => {
    try {
      return await countUsage(ctx, site.database, [site.id])
    } catch (cause) {
      ctx.log.error("usage could not be counted", cause, { database: site.database })
      return null
    }
  }
  const [billing, counted] = await Promise.all([readBilling(ctx), count()])
  if (!counted) return billing
  const usage = buildSnapshot(ctx, site.id, counted.get(site.id) ?? NO_USAGE)
  return { ...billing, facts: { ...billing.facts, usage } }
}

/**
 * Orders a plan by bank transfer for one of the store's owners, who is authenticated in parallel with the load. Settles
 * the order immediately if a discount covers its whole price.
 * @throws Refusal as `authenticateOwner` does, `rate_limited`, then as `assertPlanFits` and `requestOrder` do
 */
export async function orderPlan(ctx: UserCtx, input: Input<typeof RequestOrder>): Promise<Order> {
  const storeId = getStoreId(ctx)
  const load = prefetched(() => loadOrderState(ctx, storeId, input.valid.plan))
  const owner = await authenticateAndCount(ctx, "order")
  const order = await requestOrder(owner, storeId, input, async () => {
    const state = await load()
    const [store, [plan]] = state
    await assertPlanFits(owner, requireStore(owner, store), plan)
    return state
  })
  return order.amountCents === 0 ? settleFreeOrder(owner, order) : order
}

/**
 * Asserts that another plan allows what the store uses, as a change of plan does. While the store is closed, its owner
 * cannot remove anything, so every plan may be paid.
 * @throws Refusal `usage_unavailable`, `plan_too_small`
 */
async function assertPlanFits(
  ctx: OwnerCtx,
  { store, subscription }: StoreDetails,
  plan: Plan | undefined,
): Promise<void> {
  if (!plan || !subscription || !isLive(subscription) || subscription.plan?.slug === plan.slug) return
  assertWithinLimits(getUsage(store, await countStoreUsage(ctx, store.id)), plan.limits)
}

/** Settles an order of 0. One that can't be settled stays pending, and an operator decides about it. */
async function settleFreeOrder(owner: OwnerCtx, order: Order): Promise<Order> {
  try {
    return await approveOrder(owner, order)
  } catch (error) {
    if (error instanceof Refusal) return order
    throw error
  }
}

/**
 * Authenticates the caller as one of the store's owners and counts the request. Unauthenticated requests are not
 * counted, so they cannot use up the limit of the store or of a network shared with an owner.
 * @throws Refusal as `authenticateOwner` does, then `rate_limited`
 */
async function authenticateAndCount(ctx: UserCtx, kind: keyof typeof RATE_LIMITS): Promise<OwnerCtx> {
  const owner = await authenticateOwner(ctx)
  const { perNetwork, perStore, windowMs } = RATE_LIMITS[kind]
  await takeTokens(ctx.env, ctx.log, [
    ...addressLimits(`${kind}-ip`, ctx.address ?? "unknown", perNetwork, windowMs),
    { name: `${kind}:${owner.storeId}:${ctx.site.store?.seq}`, limit: perStore, windowMs },
  ])
  return owner
}

/**
 * Withdraws one of the store's orders for one of its staff, who is authenticated in parallel.
 * @throws Refusal as `authenticateOwner` does, then as `withdrawOrder` does
 */
export async function withdrawOwnOrder(ctx: UserCtx, reference: string): Promise<Order> {
  const storeId = getStoreId(ctx)
  const load = prefetched(() => loadOrder(ctx, reference))
  return withdrawOrder(await authenticateOwner(ctx), storeId, reference, load)
}

/**
 * Cancels the store's subscription at the end of its period, or now when nothing remains of it.
 * @throws Refusal `no_subscription`, `illegal_transition`; `stripe_managed` for one that the owner cancels at the card
 *   provider
 */
export const cancelOwnSubscription = (ctx: OwnerCtx): Promise<SubscribedStore> =>
  cancelSubscription(ctx, ctx.storeId, { at_period_end: true, notify: true })

/**
 * Changes the plan where nothing has to be paid here: of a card subscription at its provider, to a free plan, or during
 * the trial.
 * @throws Refusal `rate_limited`, `validation_failed` about `plan`, `usage_unavailable`, `plan_too_small`,
 *   `illegal_transition` for a plan that has to be ordered or bought, `card_disabled`, `provider_unreachable`
 */
export async function changeOwnPlan(ctx: UserCtx, input: Input<typeof ChangePlan>): Promise<void> {
  const owner = await authenticateAndCount(ctx, "card")
  const slug = input.valid.plan ?? ""
  const { subscription } = await loadStore(owner, owner.storeId)
  if (subscription && isBilledByCard(subscription)) await changeCardPlan(owner, owner.storeId, slug)
  else await changeToUnpaidPlan(owner, owner.storeId, slug)
}

/**
 * Withdraws the change to a free plan at the end of the period.
 * @throws Refusal `illegal_transition`, `stripe_managed`
 */
export const withdrawOwnPlanChange = (ctx: OwnerCtx): Promise<SubscribedStore> => withdrawPlanChange(ctx, ctx.storeId)

/**
 * Withdraws the scheduled cancellation of the store's subscription.
 * @throws Refusal `no_subscription`, `stripe_managed`; `illegal_transition` when none is scheduled
 */
export const withdrawCancellation = (ctx: OwnerCtx): Promise<SubscribedStore> =>
  withdrawScheduledCancellation(ctx, ctx.storeId)

/** Saves the buyer's address and tax number for the next invoices. */
export const saveOwnBillingDetails = (ctx: OwnerCtx, input: z.output<typeof SaveBillingDetails>): Promise<null> =>
  saveBillingDetails(ctx, ctx.storeId, input)

/** Sets the language of the owner's mails, billing page and shop. */
export const chooseLanguage = (ctx: OwnerCtx, { language }: z.output<typeof ChooseLanguage>): Promise<SiteSettings> =>
  updateSiteSettings(ctx, ctx.storeId, validInput(UpdateSiteSettings, { language }))

/** Loads in one round trip what a checkout depends on. */
async function loadCheckout(ctx: Pick<OwnerCtx, "db" | "pinned">, storeId: string, slug = "") {
  const [store, [plan], [open]] = await batch(ctx.db, [
    selectStore(ctx.db, storeId),
    selectActivePlan(ctx, slug),
    selectCheckout(ctx.db, storeId),
  ])
  return { facts: requireStore(ctx, store), plan, open }
}

/**
 * Creates a checkout with the payment provider, or returns the open one for the same plan.
 * @param load loads the store, the plan and the open checkout
 * @returns the URL of the provider's payment page
 * @throws Refusal `card_disabled`, `stripe_managed`, `validation_failed` about `plan` for one that is not sold by card,
 *   `illegal_transition` for another plan while a period is paid, and for every plan in its last two days;
 *   `usage_unavailable`, `plan_too_small`, `provider_unreachable`
 */
async function createCheckout(
  ctx: OwnerCtx,
  input: Input<typeof ChangePlan>,
  load: () => ReturnType<typeof loadCheckout>,
): Promise<string> {
  const provider = findCheckoutProvider(ctx.settings)
  if (!provider) throw new Refusal("card_disabled")
  const url = await retryOnConflict(async () => {
    const { facts, plan, open } = await load()
    const { store, subscription } = facts
    if (subscription) assertBilledLocally(subscription)
    if (!plan?.cardPrice || plan.priceCents === 0) throw input.reject("plan", "selected")
    const { isAvailable, from } = getCheckoutStart(subscription, plan.slug, ctx.now)
    if (!isAvailable) throw new Refusal("illegal_transition")
    await assertPlanFits(ctx, facts, plan)
    const customer = subscription?.cardCustomer ? resolveReference(subscription.cardCustomer) : null
    return openCheckout(ctx, provider, facts, open, {
      store: store.id,
      storeSeq: store.seq,
      plan: plan.slug,
      price: plan.cardPrice,
      buyer: customer?.provider === provider ? { customer: customer.id } : { email: ctx.email },
      discount: buildPurchaseDiscount(subscription?.discount, plan, from ?? ctx.now, ctx.now),
      trialEnd: from,
      returnUrl: publicUrl(ctx.settings, ctx.site.hostname, BILLING_PATH),
    })
  })
  await auditSupportAction(ctx, "checkout_opened", { plan: input.valid.plan })
  return url
}

/**
 * Starts a card payment for one of the store's owners, who is authenticated in parallel with the load.
 * @returns the URL of the provider's payment page
 * @throws Refusal as `authenticateOwner` does, `rate_limited`, then as `createCheckout` does
 */
export async function startCheckout(ctx: UserCtx, input: Input<typeof ChangePlan>): Promise<string> {
  const storeId = getStoreId(ctx)
  const load = prefetched(() => loadCheckout(ctx, storeId, input.valid.plan))
  return createCheckout(await authenticateAndCount(ctx, "card"), input, load)
}

/**
 * Opens the payment provider's billing portal.
 * @returns the URL of the portal, where cards are changed and the subscription is cancelled
 * @throws Refusal as `authenticateOwner` does, `rate_limited`; `card_disabled`, also for a store that never paid by
 *   card; `provider_unreachable`
 */
export async function openBillingPortal(ctx: UserCtx): Promise<string> {
  const owner = await authenticateAndCount(ctx, "card")
  if (!findCheckoutProvider(owner.settings)) throw new Refusal("card_disabled")
  const { subscription } = await loadStore(owner, owner.storeId)
  if (!subscription?.cardCustomer) throw new Refusal("card_disabled")
  const returnUrl = publicUrl(owner.settings, owner.site.hostname, BILLING_PATH)
  const { provider, id: customer } = resolveReference(subscription.cardCustomer)
  const url = await provider.createPortal(owner, customer, returnUrl)
  await auditSupportAction(owner, "portal_opened")
  return url
}

/**
 * Audits an operator who is redirected to the provider under support access. An owner's redirect changes nothing here.
 */
async function auditSupportAction(
  ctx: OwnerCtx,
  action: "checkout_opened" | "portal_opened",
  data = {},
): Promise<void> {
  const { supportAccess: id, storeId: siteId } = ctx
  if (id !== undefined)
    await commit(ctx, { auditLog: [{ audit: { subject: "support_access", id, action, siteId, data } }] })
}
