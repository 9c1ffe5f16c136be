// The provider's messages, applied: each with its id in one commit, so that it counts once whatever dies. What the store becomes is
// decided on the whole set of messages about the provider's subscription, which the commit holds on to.
import { and, eq, isNotNull, or, type SQL, sql } from "drizzle-orm"
import { type Change, change } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { forgetRows } from "../../core/forget"
import { batch } from "../../db/client"
import { payments } from "../../db/schema/central/orders"
import { plans } from "../../db/schema/central/plans"
import { providerMessages } from "../../db/schema/central/provider-messages"
import { stores } from "../../db/schema/central/stores"
import { insert, insertSelect, update, type Write } from "../../db/write"
import { DAY, later } from "../../lib/time"
import { mailWrite, postMails } from "../mails/outbox"
import { ownerMail } from "../mails/owner"
import type { Plan } from "../plans/schemas"
import { oneStore, selectStore } from "../stores/queries"
import type { StoreFacts } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { movesChange } from "../subscriptions/change"
import { cancelOfDeleted } from "./cancel"
import { follow } from "./follow"
import { type Life, lifeOf } from "./life"
import type { Invoice, Message, MessageFacts } from "./message"

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
  forgetRows(
    ctx,
    "messages of no store, past their time",
    providerMessages,
    (limit) => sql`select rowid from ${providerMessages} where forget_at <= ${ctx.now.getTime()} limit ${limit}`,
  )

interface Loaded {
  /** All messages about the subscription so far. */
  messages: (Message & { storeSeq: number | null })[]
  facts: StoreFacts | null
  plans: Plan[]
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
  // The store that is billed by it, or was: by the number of the store, since a later one may have its name.
  const seq = sql`(select ${providerMessages.storeSeq} from ${providerMessages} where ${and(ofSubscription, isNotNull(providerMessages.storeSeq))} limit 1)`
  const id = sql`(select ${stores.id} from ${stores} where ${stores.seq} = ${seq})`
  const named = facts.kind === "checkout" ? facts.store : ""
  const [messages, found, known] = await batch(ctx.db, [
    ctx.db.select().from(providerMessages).where(ofSubscription),
    selectStore(ctx.db, sql`case when ${seq} is null then ${named} else ${id} end`),
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
  ])
  return {
    messages: messages.map((row) => ({ ...row, facts: row.facts as MessageFacts })),
    facts: found.length ? oneStore(found) : null,
    plans: known,
  }
}

/** Plans that the messages so far name by slug. */
const heldBy = (seq: SQL): SQL =>
  sql`${plans.slug} in (select ${providerMessages.facts} ->> '$.plan' from ${providerMessages} where ${providerMessages.storeSeq} = ${seq})`

function decide(ctx: Ctx, message: Message, { messages, facts, plans: known }: Loaded): Change {
  const { subscription: id } = message
  const bySlug = new Map(known.map((plan) => [plan.slug, plan]))
  const byPrice = new Map(known.flatMap((plan) => (plan.stripePrice ? [[plan.stripePrice, plan.slug]] : [])))
  const lived = (set: Message[]) =>
    lifeOf(
      set,
      (price) => byPrice.get(price),
      (slug) => bySlug.has(slug),
    )
  const life = lived([...messages, message])
  for (const price of life.unknownPrices) ctx.log.warn("no plan has the provider's price", { price })
  const row = {
    id: message.id,
    type: message.type,
    created: message.created,
    subscription: id,
    customer: message.customer,
    storeSeq: message.facts.kind === "checkout" ? (facts?.store.seq ?? null) : null,
    facts: { ...message.facts },
    receivedAt: ctx.now,
  }
  // Whoever adds to the set meanwhile has it decided again.
  const unchanged = sql`(select count(*) from ${providerMessages} where ${eq(providerMessages.subscription, id)}) = ${messages.length}`
  if (!facts || !life.checkout) {
    const { facts: said } = message
    return {
      guard: insertSelect(providerMessages, { ...row, forgetAt: later(ctx.now, KEPT) }, sql`where ${unchanged}`),
      writes: said.kind === "checkout" && !facts ? [cancelOfDeleted(ctx, id, said.store)] : [],
      trail: { untold: "a message that no store is known for yet" },
    }
  }

  const before = lived(messages)
  const isNew = !before.checkout || !before.plan
  const isBilled = isNew || facts.subscription?.stripeSubscription === id
  const moves = isBilled ? follow(facts, id, life, bySlug, followSettings(ctx), ctx.now) : []
  const moving: Change = moves.length
    ? movesChange(ctx, facts, moves, unchanged)
    : { guard: guardedUpdate(facts, {}, unchanged), writes: [], trail: { untold: "a message that moves nothing" } }
  // Once it is tied to a store, what was said before counts; from then on each message for itself.
  const isAbout = (invoice: Invoice) => isNew || invoice.id === invoiceOf(message)?.id
  const booked = life.paid.filter(({ invoice }) => isAbout(invoice))
  return {
    ...moving,
    writes: [
      ...(moving.writes ?? []),
      insert(providerMessages).values(row),
      ...(isNew ? [update(providerMessages).set({ forgetAt: null }).where(eq(providerMessages.subscription, id))] : []),
      ...booked.map((payment) => ledgerWrite(ctx, facts, payment, byPrice)),
      ...(isBilled ? failureMails(ctx, facts, { ...life, failed: life.failed.filter(isAbout) }) : []),
    ],
    trail:
      moves.length || !booked.length
        ? moving.trail
        : [{ audit: { storeId: facts.store.id, type: "payment_received", data: { plan: life.plan?.slug } } }],
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
