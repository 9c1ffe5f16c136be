// Applies the provider's messages. Each is stored in the same commit as its effects, so it is applied once. The store's
// new state is derived from all messages about its subscriptions, and the commit fails if that set has changed
// meanwhile.
import { and, eq, isNotNull, or, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { deleteExpired } from "../../core/queue/delete-expired"
import { type AuditRecord, applyChange, auditEntriesOf, type Change } from "../../core/write/commit"
import { batch } from "../../db/client"
import { cardCheckouts } from "../../db/schema/central/card-checkouts"
import { billingDetails } from "../../db/schema/central/invoices"
import { mails } from "../../db/schema/central/mails"
import { operators } from "../../db/schema/central/operators"
import { orders } from "../../db/schema/central/orders"
import { plans } from "../../db/schema/central/plans"
import { providerMessages } from "../../db/schema/central/provider-messages"
import { stores } from "../../db/schema/central/stores"
import { type Discount, subscriptions } from "../../db/schema/central/subscriptions"
import { insert, insertSelect, remove, update, type Write } from "../../db/write"
import { isNonEmpty } from "../../lib/non-empty"
import { addMs, DAY, SECOND } from "../../lib/time"
import { buildMailWrite, enqueueMailRun } from "../../mails/outbox"
import { isApplicable, recordDiscountedPeriod } from "../coupons/discounts"
import { buildCardPayment, buildDocument, type InvoiceTerms } from "../invoices/issue"
import { buildOrderPaidByCard } from "../orders/paid-by-card"
import type { Order } from "../orders/schemas"
import type { Plan } from "../plans/schemas"
import { requireStore, selectStore } from "../stores/queries"
import type { StoreDetails } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { buildTransitionsChange } from "../subscriptions/commit-transition"
import { buildOwnerMail } from "../subscriptions/mail"
import { isBilledByCard } from "../subscriptions/rules"
import { calculateTax } from "../tax/rules"
import { parseTaxSettings, selectTaxSettings } from "../tax/settings"
import { insertCancellation, selectStoreDeletion } from "./cancel"
import { deriveTransitions } from "./derive-transitions"
import { type CheckoutMessageData, getPrice, type Invoice, isPayment, type Message, readStoredFacts } from "./message"
import { buildPriceWrites } from "./prices"
import { type FindPlanByPrice, projectSubscription, type SubscriptionProjection, withEarlierPrices } from "./projection"
import { resolveReference } from "./references"
import { decideBilling } from "./superseded"

/** How long messages without a store are retained, in milliseconds; a checkout may still bind their subscription. */
const UNBOUND_RETENTION_MS = 30 * DAY

/** Schedules the deletion of the messages about a store; part of the commit that deletes the store. */
export const expireStoreMessages = (ctx: Ctx, seq: number): Write =>
  update(providerMessages)
    .set({ deleteAt: addMs(ctx.now, UNBOUND_RETENTION_MS) })
    .where(
      sql`${providerMessages.subscription} in (select subscription from ${providerMessages} where store_seq = ${seq})`,
    )

/** Deletes messages without a store, or of a deleted one, after their retention. */
export const deleteExpiredMessages = (ctx: Ctx): Promise<void> =>
  deleteExpired(
    ctx,
    providerMessages,
    (limit) => sql`select rowid from ${providerMessages} where forget_at <= ${ctx.now.getTime()} limit ${limit}`,
  )

interface LoadedState {
  /** All stored messages about the subscription and the other subscriptions of its store. */
  messages: (Message & { storeSeq: number | null })[]
  facts: StoreDetails | null
  plans: Plan[]
  /** The store's pending order, which its first payment by card closes. */
  openOrder: Order | undefined
  /** For the invoices of its payments; of the store that the subscription is bound to. */
  terms: InvoiceTerms
  /** Whether the incarnation that the checkout names, or an earlier store with the same id, was deleted. */
  isStoreDeleted: boolean
}

/**
 * Applies a message. A duplicate changes nothing.
 * @throws WriteConflict after too many conflicts with concurrent messages; the provider sends it again
 */
export async function receiveMessage(ctx: Ctx, message: Message): Promise<void> {
  await applyChange(
    ctx,
    () => loadState(ctx, message),
    (loaded) => {
      if (loaded.messages.some(({ id }) => id === message.id)) return { result: null }
      return { result: null, change: decideChange(ctx, message, loaded) }
    },
  )
  enqueueMailRun(ctx)
}

async function loadState(ctx: Ctx, { subscription, facts }: Message): Promise<LoadedState> {
  const isAboutSubscription = eq(providerMessages.subscription, subscription)
  // The subscription is bound to the store's incarnation, because a later store may have the same id.
  const boundSeq = sql`(select ${providerMessages.storeSeq} from ${providerMessages} where ${and(isAboutSubscription, isNotNull(providerMessages.storeSeq))} limit 1)`
  const boundId = sql`(select ${stores.id} from ${stores} where ${stores.seq} = ${boundSeq})`
  const checkoutStore = facts.kind === "checkout" ? facts.store : ""
  const seq = sql`(select coalesce(${boundSeq}, (select ${stores.seq} from ${stores} where ${stores.id} = ${checkoutStore})))`
  const [messages, storeRows, knownPlans, deletions, taxRows, [details], [openOrder]] = await batch(ctx.db, [
    ctx.db.select().from(providerMessages).where(isAbout(subscription, seq)),
    selectStore(ctx.db, sql`case when ${boundSeq} is null then ${checkoutStore} else ${boundId} end`),
    ctx.db
      .select()
      .from(plans)
      .where(
        or(
          isNotNull(plans.cardPrice),
          sql`${plans.slug} = ${facts.kind === "checkout" ? facts.plan : null}`,
          isNamedByMessages(subscription, seq),
        ),
      ),
    selectStoreDeletion(ctx.db, facts),
    selectTaxSettings({}),
    ctx.db.select().from(billingDetails).where(eq(billingDetails.storeSeq, seq)),
    ctx.db
      .select()
      .from(orders)
      .where(and(eq(orders.storeSeq, seq), eq(orders.status, "pending"))),
  ])
  return {
    messages: messages.map((row) => ({ ...row, facts: readStoredFacts(row.facts) })),
    facts: storeRows.length ? requireStore({}, storeRows) : null,
    plans: knownPlans,
    openOrder,
    terms: { settings: parseTaxSettings(taxRows), details },
    isStoreDeleted: deletions.length > 0,
  }
}

/** Deletes the row of a completed or expired checkout session. */
export const removeCheckout = (session: string): Write =>
  remove(cardCheckouts).where(eq(cardCheckouts.session, session))

/** Matches the plans that the stored messages about a subscription, or of a store, name by slug. */
const isNamedByMessages = (subscription: string, seq: SQL): SQL =>
  sql`${plans.slug} in (select ${providerMessages.facts} ->> '$.plan' from ${providerMessages} where ${isAbout(subscription, seq)})`

/** Matches the messages about a subscription, and about the others of a store. */
const isAbout = (subscription: string, seq: SQL): SQL =>
  sql`${providerMessages.subscription} in (select ${subscription} union select subscription from ${providerMessages} where store_seq = ${seq})`

/** Whether a checkout was started for this store, and not for an earlier one with the same id. */
const isCheckoutForStore = (
  checkout: CheckoutMessageData,
  { store }: StoreDetails,
  isStoreDeleted: boolean,
): boolean =>
  checkout.storeSeq !== null
    ? checkout.storeSeq === String(store.seq)
    : !isStoreDeleted || checkout.startedAt >= Math.floor(store.createdAt.getTime() / SECOND)

/** Plans by slug, and slugs by the provider's price. */
interface PlanIndex {
  bySlug: ReadonlyMap<string, Plan>
  slugByPrice: ReadonlyMap<string, string>
}

const indexPlans = (list: readonly Plan[]): PlanIndex => ({
  bySlug: new Map(list.map((plan) => [plan.slug, plan])),
  slugByPrice: new Map(list.flatMap((plan) => (plan.cardPrice ? [[plan.cardPrice, plan.slug]] : []))),
})

/** Returns a function that finds the plans of prices in the messages about a subscription. */
const findPlanIn = (messages: readonly Message[], { slugByPrice }: PlanIndex): FindPlanByPrice =>
  withEarlierPrices(messages, (price) => slugByPrice.get(price))

const project = (messages: readonly Message[], index: PlanIndex): SubscriptionProjection =>
  projectSubscription(messages, findPlanIn(messages, index), (slug) => index.bySlug.has(slug))

/** A message, and the projection of its subscription including the message. */
interface Received {
  message: Message
  checkout: CheckoutMessageData | null
  projection: SubscriptionProjection
  findPlanByPrice: FindPlanByPrice
  /** Whether the stored messages about the subscription are still the ones that were read. */
  isUnchanged: SQL
}

function decideChange(
  ctx: Ctx,
  message: Message,
  { messages, facts, plans: knownPlans, terms, openOrder, isStoreDeleted }: LoadedState,
): Change {
  const { subscription: id } = message
  const index = indexPlans(knownPlans)
  const previous = messages.filter(({ subscription }) => subscription === id)
  const projection = project([...previous, message], index)
  for (const price of projection.unknownPrices) ctx.log.warn("no plan has the provider's price", { price })
  const checkout = message.facts.kind === "checkout" ? message.facts : null
  // If a concurrent request adds a message, this one decides again.
  const isUnchanged = sql`(select count(*) from ${providerMessages} where ${eq(providerMessages.subscription, id)}) = ${previous.length}`
  const findPlanByPrice = findPlanIn(previous, index)
  const received = { message, checkout, projection, findPlanByPrice, isUnchanged }
  const isBound = previous.some(({ storeSeq }) => storeSeq !== null)
  const isForeign = !isBound && checkout && facts ? !isCheckoutForStore(checkout, facts, isStoreDeleted) : false
  if (!facts || isForeign || !projection.checkout) {
    return storeUnboundMessage(ctx, received, isForeign || isStoreDeleted)
  }
  const bySubscription = Map.groupBy(messages, ({ subscription }) => subscription)
  const projections = new Map([...bySubscription].map(([subscription, set]) => [subscription, project(set, index)]))
  const isNew = !isBound || !project(previous, index).plan
  return applyToStore(ctx, received, {
    facts,
    index,
    projections: projections.set(id, projection),
    isNew,
    terms,
    openOrder,
  })
}

const buildMessageRow = (
  ctx: Ctx,
  { message, findPlanByPrice }: Pick<Received, "message" | "findPlanByPrice">,
  storeSeq: number | null,
) => ({
  id: message.id,
  type: message.type,
  created: message.created,
  subscription: message.subscription,
  customer: message.customer,
  storeSeq,
  facts: { ...message.facts, ...describePlan(message, findPlanByPrice) },
  receivedAt: ctx.now,
})

/** Returns the plan that has the price of a message, so that it is known when the plan gets another price. */
function describePlan({ facts }: Message, findPlanByPrice: FindPlanByPrice): { plan?: string } {
  const price = getPrice(facts)
  const plan = price === null ? undefined : findPlanByPrice(price)
  return plan === undefined ? {} : { plan }
}

/**
 * Stores a message without a store until a checkout binds its subscription.
 * @param isOfDeletedStore cancels a subscription that was paid: one of a deleted store must not charge anyone
 */
function storeUnboundMessage(
  ctx: Ctx,
  { message, checkout, projection, findPlanByPrice, isUnchanged }: Received,
  isOfDeletedStore: boolean,
): Change {
  const id = message.subscription
  const isOrphan = checkout && !projection.endedAt && isOfDeletedStore
  if (isOrphan) ctx.log.warn("a checkout of a store that no longer exists was paid", { store: checkout.store })
  return {
    guard: insertSelect(
      providerMessages,
      { ...buildMessageRow(ctx, { message, findPlanByPrice }, null), deleteAt: addMs(ctx.now, UNBOUND_RETENTION_MS) },
      sql`where ${isUnchanged}`,
    ),
    writes: [
      ...buildPriceWrites(message),
      ...(isOrphan
        ? [
            insertCancellation(ctx, id, checkout.store),
            insertRefundMails(ctx, "card_orphaned", id, { id: checkout.store }),
          ]
        : []),
    ],
    auditLog: { auditSkipped: "external_state" },
  }
}

/**
 * Applies a message to the store that its subscription is bound to.
 * @param projections of all the store's subscriptions, including the message
 * @param isNew whether the message makes its subscription billable
 */
function applyToStore(
  ctx: Ctx,
  { message, checkout, projection, findPlanByPrice, isUnchanged }: Received,
  {
    facts,
    index,
    projections,
    isNew,
    terms,
    openOrder,
  }: {
    facts: StoreDetails
    index: PlanIndex
    projections: ReadonlyMap<string, SubscriptionProjection>
    isNew: boolean
    terms: InvoiceTerms
    openOrder: Order | undefined
  },
): Change {
  const id = message.subscription
  const { store } = facts
  const billed = facts.subscription?.cardSubscription ?? null
  const { winner, superseded } = decideBilling(projections, id, { isNew, billed })
  const winnerProjection = winner === null ? undefined : projections.get(winner)
  const supersedes =
    winner !== id || (facts.subscription !== null && isBilledByCard(facts.subscription) && billed !== id)
  // The message that binds the subscription applies all earlier invoices; after that, each message applies its own.
  const isRelevant = (invoice: Invoice) => isNew || invoice.id === getInvoice(message)?.id
  const newPayments = projection.paid.filter(({ invoice }) => isRelevant(invoice))
  const discounted = newPayments.length ? applyCardDiscount(facts, projection, findPlanByPrice) : facts
  const transitions =
    winner !== null && winnerProjection
      ? deriveTransitions(
          discounted,
          winner,
          winnerProjection,
          index.bySlug,
          getTransitionSettings(ctx),
          ctx.now,
          supersedes,
        )
      : []
  const isPaid = newPayments.some(({ invoice }) => isPayment(invoice))
  const findInvoicedPlan = (price: string | null): InvoicedPlan => {
    const slug = (price && findPlanByPrice(price)) || null
    const plan = index.bySlug.get(slug ?? projection.plan?.slug ?? "")
    return { slug, name: plan?.name ?? "" }
  }
  const closing = isPaid && openOrder ? buildOrderPaidByCard(ctx, facts, openOrder) : null
  const condition = and(isUnchanged, closing?.condition)
  const storeChange: Change = isNonEmpty(transitions)
    ? buildTransitionsChange(ctx, facts, transitions, condition)
    : buildDiscountChange(ctx, facts, discounted.subscription?.discount, condition)
  const auditLog: AuditRecord[] = [
    ...auditEntriesOf(storeChange.auditLog),
    ...(closing?.auditLog ?? []),
    ...superseded.map((subscription): AuditRecord => {
      const data = { plan: projections.get(subscription)?.plan?.slug }
      return { audit: { subject: "card_subscription", id: store.id, action: "superseded", siteId: store.id, data } }
    }),
  ]
  if (!auditLog.length && newPayments.length) {
    auditLog.push({ audit: { storeId: store.id, type: "payment_received", data: { plan: projection.plan?.slug } } })
  }
  return {
    ...storeChange,
    writes: [
      ...(storeChange.writes ?? []),
      insert(providerMessages).values(buildMessageRow(ctx, { message, findPlanByPrice }, checkout ? store.seq : null)),
      ...buildPriceWrites(message),
      ...(isNew ? [update(providerMessages).set({ deleteAt: null }).where(eq(providerMessages.subscription, id))] : []),
      ...(checkout?.session ? [removeCheckout(checkout.session)] : []),
      ...superseded.flatMap((subscription) => [
        insertCancellation(ctx, subscription, store.id),
        insertRefundMails(ctx, "card_superseded", subscription, { id: store.id, store: store.name }),
      ]),
      ...newPayments.flatMap((payment) => buildPaymentWrites(ctx, facts, id, payment, terms, findInvoicedPlan)),
      ...(closing?.writes ?? []),
      ...(winner === id
        ? buildFailureMails(ctx, facts, { ...projection, failed: projection.failed.filter(isRelevant) })
        : []),
    ],
    auditLog: isNonEmpty(auditLog) ? auditLog : { auditSkipped: "external_state" },
  }
}

/**
 * Returns the store after its paid invoices: the first one that a coupon reduced starts the coupon's months. All of
 * them count, because earlier releases started no months.
 */
function applyCardDiscount(
  facts: StoreDetails,
  { paid }: SubscriptionProjection,
  findPlanByPrice: FindPlanByPrice,
): StoreDetails {
  const { subscription } = facts
  const discount = subscription?.discount
  if (!discount) return facts
  const applied = paid
    .filter(({ invoice, at }) => {
      const plan = (invoice.price && findPlanByPrice(invoice.price)) ?? subscription.plan?.slug ?? ""
      return invoice.discountCents && isApplicable({ ...discount, ends_at: null }, plan, at)
    })
    .reduce((next, { at }) => recordDiscountedPeriod(next, at), discount)
  return applied === discount ? facts : { ...facts, subscription: { ...subscription, discount: applied } }
}

/** Builds the change of a store without a transition. At most its discount starts. */
function buildDiscountChange(
  ctx: Ctx,
  facts: StoreDetails,
  discount: Discount | null | undefined,
  condition: SQL | undefined,
): Change {
  const isStarted = discount !== facts.subscription?.discount
  return {
    guard: guardedUpdate(facts, isStarted ? { updatedAt: ctx.now } : {}, condition),
    writes: isStarted
      ? [update(subscriptions).set({ discount, updatedAt: ctx.now }).where(eq(subscriptions.storeId, facts.store.id))]
      : [],
    auditLog: { auditSkipped: "no_change" },
  }
}

const getTransitionSettings = ({ settings }: Ctx) => ({
  graceDays: settings.TENANCY_BILLING_GRACE_DAYS,
  retentionDays: settings.TENANCY_RETENTION_DAYS,
})

const getInvoice = ({ facts }: Message): Invoice | null => ("invoice" in facts ? facts.invoice : null)

/** The plan of an invoice; one with an unknown price has at most the name of the subscription's plan. */
interface InvoicedPlan {
  slug: string | null
  name: string
}

/** Adds a paid invoice to the ledger and issues the platform's own, once per invoice of the provider. */
function buildPaymentWrites(
  ctx: Ctx,
  facts: StoreDetails,
  subscription: string,
  { invoice, at }: SubscriptionProjection["paid"][number],
  terms: InvoiceTerms,
  findPlan: (price: string | null) => InvoicedPlan,
): Write[] {
  const plan = findPlan(invoice.price)
  const until = invoice.until === null ? null : new Date(invoice.until * SECOND)
  const document = buildDocument(facts, terms, {
    plan: plan.name,
    period: until && until > at ? { from: at.toISOString(), to: until.toISOString() } : null,
    method: "card",
    // The provider collected the amount, so it includes the tax.
    amount: {
      ...calculateTax(invoice.amountCents, true, terms.details, terms.settings),
      ...(invoice.discountCents && {
        discount: {
          code: facts.subscription?.couponCode ?? "",
          cents: invoice.discountCents,
          price_cents: invoice.amountCents + invoice.discountCents,
        },
      }),
    },
  })
  const { provider } = resolveReference(subscription)
  const payment = { document, currency: invoice.currency, paidAt: at, plan: plan.slug }
  return buildCardPayment(ctx, facts, payment, { provider: provider.name, invoice: invoice.id })
}

/**
 * Enqueues one mail per operator about a subscription that is being cancelled: its last payment may have to be
 * refunded.
 */
const insertRefundMails = (
  ctx: Ctx,
  kind: "card_superseded" | "card_orphaned",
  subscription: string,
  facts: { id: string; store?: string },
): Write =>
  insertSelect(
    mails,
    {
      key: sql`${`${kind}:${subscription}:`} || ${operators.id}`,
      kind,
      recipient: sql`${operators.email}`,
      locale: "en",
      data: facts,
      dueAt: new Date(0),
      attempts: 0,
      unconfirmed: 0,
      createdAt: ctx.now,
    },
    sql`from ${operators} where ${operators.disabledAt} is null`,
  ).onConflictDoNothing()

/** Builds the mails to the owner about failed payments, one per invoice. */
const buildFailureMails = (ctx: Ctx, facts: StoreDetails, projection: SubscriptionProjection): Write[] =>
  projection.endedAt
    ? []
    : projection.failed.map((invoice) =>
        buildMailWrite(
          ctx,
          buildOwnerMail(ctx.settings, facts, "payment_failed", invoice.id, {
            amount_cents: invoice.amountCents,
            currency: invoice.currency,
          }),
        ),
      )
