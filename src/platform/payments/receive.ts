// Applies the provider's messages, each with its id in one commit, so that it counts once. What the store becomes is decided on the whole
// set of messages about its subscriptions, and the commit fails if that set has changed meanwhile.
import { and, eq, isNotNull, or, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { deleteExpired } from "../../core/queue/delete-expired"
import { type Change, change, type AuditRecord } from "../../core/write/commit"
import { batch } from "../../db/client"
import { cardCheckouts } from "../../db/schema/central/card-checkouts"
import { mails } from "../../db/schema/central/mails"
import { operators } from "../../db/schema/central/operators"
import { payments } from "../../db/schema/central/orders"
import { plans } from "../../db/schema/central/plans"
import { providerMessages } from "../../db/schema/central/provider-messages"
import { stores } from "../../db/schema/central/stores"
import { insert, insertSelect, remove, update, type Write } from "../../db/write"
import { DAY, later, SECOND } from "../../lib/time"
import { mailWrite, postMails } from "../../mails/outbox"
import type { Plan } from "../plans/schemas"
import { oneStore, selectStore } from "../stores/queries"
import type { StoreFacts } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { movesChange } from "../subscriptions/commit-transition"
import { ownerMail } from "../subscriptions/mail"
import { cancelSubscription, selectDeletion } from "./cancel"
import type { CheckoutFacts, Invoice, Message, MessageFacts } from "./message"
import { follow } from "./plan-transitions"
import { type Life, lifeOf } from "./projection"
import { decideContest } from "./superseded"

/** How long a message waits for the checkout that ties its subscription to a store. */
const KEPT = 30 * DAY

/** Marks what was said of a deleted store's billing for being forgotten; belongs into the commit that deletes it. */
export const forgetMessagesOf = (ctx: Ctx, seq: number): Write =>
  update(providerMessages)
    .set({ forgetAt: later(ctx.now, KEPT) })
    .where(
      sql`${providerMessages.subscription} in (select subscription from ${providerMessages} where store_seq = ${seq})`,
    )

/** Forgets messages of no store, or of one that is gone, past their time. */
export const forgetMessages = (ctx: Ctx): Promise<void> =>
  deleteExpired(
    ctx,
    "messages of no store, past their time",
    providerMessages,
    (limit) => sql`select rowid from ${providerMessages} where forget_at <= ${ctx.now.getTime()} limit ${limit}`,
  )

interface Loaded {
  /** All messages so far about the subscription, and about the other subscriptions of its store. */
  messages: (Message & { storeSeq: number | null })[]
  facts: StoreFacts | null
  plans: Plan[]
  /** Whether an earlier store of the checkout's name, or the incarnation that it names, was deleted here. */
  isOfDeleted: boolean
}

/**
 * Takes a message in. One that is known already changes nothing.
 * @throws LostRace when too many came at once; the provider sends it again
 */
export async function receiveMessage(ctx: Ctx, message: Message): Promise<void> {
  await change(
    ctx,
    () => load(ctx, message),
    (loaded) => {
      if (loaded.messages.some(({ id }) => id === message.id)) return { answer: null }
      return { answer: null, change: decide(ctx, message, loaded) }
    },
  )
  postMails(ctx)
}

async function load(ctx: Ctx, { subscription, facts }: Message): Promise<Loaded> {
  const ofSubscription = eq(providerMessages.subscription, subscription)
  // The incarnation that the subscription is bound to, not its name: a later store may have the same one.
  const bound = sql`(select ${providerMessages.storeSeq} from ${providerMessages} where ${and(ofSubscription, isNotNull(providerMessages.storeSeq))} limit 1)`
  const id = sql`(select ${stores.id} from ${stores} where ${stores.seq} = ${bound})`
  const named = facts.kind === "checkout" ? facts.store : ""
  const seq = sql`(select coalesce(${bound}, (select ${stores.seq} from ${stores} where ${stores.id} = ${named})))`
  const [messages, found, known, deletions] = await batch(ctx.db, [
    ctx.db
      .select()
      .from(providerMessages)
      .where(
        sql`${providerMessages.subscription} in (select ${subscription} union select subscription from ${providerMessages} where store_seq = ${seq})`,
      ),
    selectStore(ctx.db, sql`case when ${bound} is null then ${named} else ${id} end`),
    ctx.db
      .select()
      .from(plans)
      .where(
        or(
          isNotNull(plans.stripePrice),
          sql`${plans.slug} = ${facts.kind === "checkout" ? facts.plan : null}`,
          heldBy(seq),
        ),
      ),
    selectDeletion(ctx.db, facts),
  ])
  return {
    messages: messages.map((row) => ({ ...row, facts: row.facts as MessageFacts })),
    facts: found.length ? oneStore({}, found) : null,
    plans: known,
    isOfDeleted: deletions.length > 0,
  }
}

/** Removes the row of a checkout session that is over. */
export const removeCheckout = (session: string): Write =>
  remove(cardCheckouts).where(eq(cardCheckouts.session, session))

/** Plans that the messages so far name by slug. */
const heldBy = (seq: SQL): SQL =>
  sql`${plans.slug} in (select ${providerMessages.facts} ->> '$.plan' from ${providerMessages} where ${providerMessages.storeSeq} = ${seq})`

/** Whether a checkout was started for this store, and not for an earlier one of its name. */
const isFor = (checkout: CheckoutFacts, { store }: StoreFacts, isOfDeleted: boolean): boolean =>
  checkout.storeSeq !== null
    ? checkout.storeSeq === String(store.seq)
    : !isOfDeleted || checkout.startedAt >= Math.floor(store.createdAt.getTime() / SECOND)

function decide(ctx: Ctx, message: Message, { messages, facts, plans: known, isOfDeleted }: Loaded): Change {
  const { subscription: id } = message
  const bySlug = new Map(known.map((plan) => [plan.slug, plan]))
  const byPrice = new Map(known.flatMap((plan) => (plan.stripePrice ? [[plan.stripePrice, plan.slug]] : [])))
  const lived = (set: Message[]) =>
    lifeOf(
      set,
      (price) => byPrice.get(price),
      (slug) => bySlug.has(slug),
    )
  const before = messages.filter(({ subscription }) => subscription === id)
  const life = lived([...before, message])
  for (const price of life.unknownPrices) ctx.log.warn("no plan has the provider's price", { price })
  const checkout = message.facts.kind === "checkout" ? message.facts : null
  const row = {
    id: message.id,
    type: message.type,
    created: message.created,
    subscription: id,
    customer: message.customer,
    storeSeq: checkout && facts ? facts.store.seq : null,
    facts: { ...message.facts },
    receivedAt: ctx.now,
  }
  // A message that another request adds meanwhile makes this one decide again.
  const unchanged = sql`(select count(*) from ${providerMessages} where ${eq(providerMessages.subscription, id)}) = ${before.length}`
  const isBound = before.some(({ storeSeq }) => storeSeq !== null)
  const isForeign = !isBound && checkout && facts ? !isFor(checkout, facts, isOfDeleted) : false
  if (!facts || isForeign || !life.checkout) {
    // A subscription that nobody is served for must not charge anybody.
    const isOrphan = checkout && !life.endedAt && (isForeign || isOfDeleted)
    if (isOrphan) ctx.log.warn("a checkout of a store that no longer exists was paid", { store: checkout.store })
    return {
      guard: insertSelect(
        providerMessages,
        { ...row, storeSeq: null, forgetAt: later(ctx.now, KEPT) },
        sql`where ${unchanged}`,
      ),
      writes: isOrphan
        ? [cancelSubscription(ctx, id, checkout.store), refundMails(ctx, "card_orphaned", id, { id: checkout.store })]
        : [],
      trail: { auditSkipped: "a message that no store is known for yet" },
    }
  }

  const isNew = !isBound || !lived(before).plan
  const billed = facts.subscription?.stripeSubscription ?? null
  const others = Map.groupBy(messages, ({ subscription }) => subscription)
  const lives = new Map([...others].map(([subscription, set]) => [subscription, lived(set)])).set(id, life)
  const { winner, superseded } = decideContest(lives, id, { isNew, billed })
  const winning = winner === null ? undefined : lives.get(winner)
  const supersedes = winner !== id || (facts.subscription?.provider === "stripe" && billed !== id)
  const moves =
    winner !== null && winning ? follow(facts, winner, winning, bySlug, followSettings(ctx), ctx.now, supersedes) : []
  const moving: Change = moves.length
    ? movesChange(ctx, facts, moves, unchanged)
    : { guard: guardedUpdate(facts, {}, unchanged), trail: [] }
  // Once it is bound to a store, what came before counts; from then on each message for itself.
  const isAbout = (invoice: Invoice) => isNew || invoice.id === invoiceOf(message)?.id
  const booked = life.paid.filter(({ invoice }) => isAbout(invoice))
  const { store } = facts
  const trail: AuditRecord[] = [
    ...("untold" in moving.trail ? [] : moving.trail),
    ...superseded.map((subscription): AuditRecord => {
      const data = { plan: lives.get(subscription)?.plan?.slug }
      return { audit: { subject: "card_subscription", id: store.id, deed: "superseded", siteId: store.id, data } }
    }),
  ]
  if (!trail.length && booked.length) {
    trail.push({ audit: { storeId: store.id, type: "payment_received", data: { plan: life.plan?.slug } } })
  }
  return {
    ...moving,
    writes: [
      ...(moving.writes ?? []),
      insert(providerMessages).values(row),
      ...(isNew ? [update(providerMessages).set({ forgetAt: null }).where(eq(providerMessages.subscription, id))] : []),
      ...(checkout?.session ? [removeCheckout(checkout.session)] : []),
      ...superseded.flatMap((subscription) => [
        cancelSubscription(ctx, subscription, store.id),
        refundMails(ctx, "card_superseded", subscription, { id: store.id, store: store.name }),
      ]),
      ...booked.map((payment) => ledgerWrite(ctx, facts, payment, byPrice)),
      ...(winner === id ? failureMails(ctx, facts, { ...life, failed: life.failed.filter(isAbout) }) : []),
    ],
    trail: trail.length ? trail : { auditSkipped: "a message that moves nothing" },
  }
}

const followSettings = ({ settings }: Ctx) => ({
  graceDays: settings.TENANCY_BILLING_GRACE_DAYS,
  retentionDays: settings.TENANCY_RETENTION_DAYS,
})

const invoiceOf = ({ facts }: Message): Invoice | null => ("invoice" in facts ? facts.invoice : null)

/** The ledger has a row an invoice, however often the provider says that it was paid. */
const ledgerWrite = (
  ctx: Ctx,
  { store }: StoreFacts,
  { invoice, at }: Life["paid"][number],
  planOfPrice: ReadonlyMap<string, string>,
): Write =>
  insert(payments)
    .values({
      storeId: store.id,
      storeSeq: store.seq,
      provider: "stripe",
      stripeInvoice: invoice.id,
      plan: (invoice.price && planOfPrice.get(invoice.price)) ?? null,
      amountCents: invoice.amountCents,
      currency: invoice.currency,
      paidAt: at,
      createdAt: ctx.now,
    })
    .onConflictDoNothing()

/** One mail per operator about a subscription that is being cancelled: its last payment may have to be refunded. */
const refundMails = (
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
      createdAt: ctx.now,
    },
    sql`from ${operators} where ${operators.disabledAt} is null`,
  ).onConflictDoNothing()

/** The owner is told of a failure once an invoice. */
const failureMails = (ctx: Ctx, facts: StoreFacts, life: Life): Write[] =>
  life.endedAt
    ? []
    : life.failed.map((invoice) =>
        mailWrite(
          ctx,
          ownerMail(ctx.settings, facts, "payment_failed", invoice.id, {
            amount_cents: invoice.amountCents,
            currency: invoice.currency,
          }),
        ),
      )
