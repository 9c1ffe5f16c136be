// Resumes suspended stores. For a subscription that is not in order, the caller chooses a resolution: another trial, a
// payment that was made outside the platform, or nothing.
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Precondition } from "../../core/http/precondition"
import { invalid, Refusal } from "../../core/http/refusal"
import { applyChange, auditEntriesOf, type Change } from "../../core/write/commit"
import { batch } from "../../db/client"
import { assertNever } from "../../lib/assert-never"
import { isNonEmpty } from "../../lib/non-empty"
import { formatTimestamp } from "../../lib/time"
import { enqueueMailRun } from "../../mails/outbox"
import { applyDiscount, calculateAmount } from "../coupons/discounts"
import { selectBillingDetails } from "../invoices/details"
import { buildDocument, buildLocalPayment, type InvoiceTerms } from "../invoices/issue"
import { extendTrial } from "../subscriptions/actions"
import { buildTransitionChange } from "../subscriptions/commit-transition"
import { getPeriodEnd } from "../subscriptions/periods"
import { assertBilledLocally, isFreePlan, isInOrder } from "../subscriptions/rules"
import type { ResumeStore } from "../subscriptions/schemas"
import { activate } from "../subscriptions/steps"
import type { SubscribedStore } from "../subscriptions/transition"
import { parseTaxSettings, selectTaxSettings } from "../tax/settings"
import { loadStore, requireStore, selectStore } from "./queries"
import { assertResumable } from "./rules"
import type { StoreDetails } from "./schemas"
import { changeStatus, storeTag, withNextVersion } from "./service"

type Input = z.output<typeof ResumeStore>

/**
 * Brings a suspended store back online.
 * @param input `resolution`: what happens to a subscription that is past due or suspended; by default, nothing
 * @throws Refusal `not_found`, `precondition_failed`, `not_provisioned`, `illegal_transition`. With a resolution other
 *   than `leave`: `illegal_transition` for a subscription in order; `no_subscription`, `stripe_managed`, `no_plan`;
 *   `validation_failed` about `resolution` for a payment of a free plan
 */
export async function resumeStore(
  ctx: Ctx,
  id: string,
  input: Input = {},
  precondition?: Precondition,
): Promise<StoreDetails> {
  const facts = await applyChange(
    ctx,
    () => load(ctx, id, input),
    ({ facts: loaded, terms }) => {
      precondition?.(storeTag(loaded))
      assertResumable(loaded.store)
      const values = { status: "ready", operatorSuspendedAt: null, suspensionReason: null } as const
      const resume = (state: StoreDetails) => changeStatus(ctx, state, values, "resumed", { notify: false })
      const resolved = resolve(ctx, loaded, input, terms)
      if (!resolved) return resume(loaded)
      const { change, result } = resolved
      const resumed = resume({ ...loaded, subscription: result.subscription }).change.auditLog
      const auditLog = [...auditEntriesOf(resumed), ...auditEntriesOf(change.auditLog)]
      return {
        result: withNextVersion(result),
        change: { ...change, auditLog: isNonEmpty(auditLog) ? auditLog : change.auditLog },
      }
    },
  )
  if (input.resolution === "mark_paid") enqueueMailRun(ctx)
  return facts
}

/** Loads the store, and for a payment what its invoice contains. */
async function load(
  ctx: Ctx,
  id: string,
  { resolution }: Input,
): Promise<{ facts: StoreDetails; terms?: InvoiceTerms }> {
  if (resolution !== "mark_paid") return { facts: await loadStore(ctx, id) }
  const [rows, tax, [details]] = await batch(ctx.db, [
    selectStore(ctx.db, id),
    selectTaxSettings({}),
    selectBillingDetails(ctx.db, id),
  ])
  return { facts: requireStore(ctx, rows), terms: { settings: parseTaxSettings(tax), details } }
}

/** Decides what happens to the subscription; null for nothing. Its change also opens the store. */
function resolve(
  ctx: Ctx,
  facts: StoreDetails,
  { resolution = "leave", days }: Input,
  terms: InvoiceTerms | undefined,
): { change: Change; result: SubscribedStore } | null {
  const { subscription } = facts
  if (resolution === "leave") return null
  if (!subscription) throw new Refusal("no_subscription")
  assertBilledLocally(subscription)
  const state = { ...facts, subscription }
  switch (resolution) {
    case "extend_trial":
      return buildTransitionChange(ctx, facts, extendTrial(state, days, ctx.now))
    case "mark_paid":
      if (!terms) throw new Error("the terms of the invoice were not loaded")
      return markPaid(ctx, state, terms)
    default:
      return assertNever(resolution)
  }
}

/** Builds the change that books a payment for one period from now, with its invoice, and activates the subscription. */
function markPaid(ctx: Ctx, facts: SubscribedStore, terms: InvoiceTerms): { change: Change; result: SubscribedStore } {
  const { subscription } = facts
  const { plan } = subscription
  if (isInOrder(subscription)) throw new Refusal("illegal_transition")
  if (!plan) throw new Refusal("no_plan")
  if (isFreePlan(plan)) throw invalid("resolution", "selected")
  const until = getPeriodEnd(plan.interval, ctx.now)
  const charge = { plan: plan.slug, priceCents: plan.price_cents, from: ctx.now }
  const amount = calculateAmount(charge, subscription.discount, terms.details, terms.settings)
  const document = buildDocument(facts, terms, {
    plan: plan.name,
    period: { from: formatTimestamp(ctx.now), to: formatTimestamp(until) },
    method: "other",
    amount,
  })
  const issued = { document, currency: plan.currency, paidAt: ctx.now, plan: plan.slug }
  const { writes, number } = buildLocalPayment(ctx, facts, issued, null)
  const activated = activate(facts, until, ctx.now)
  const discount = applyDiscount(subscription, amount, ctx.now)
  const transition = {
    ...activated,
    ...{ store: "ready" as const, subscription: { ...activated.subscription, discount } },
  }
  const { change, result } = buildTransitionChange(ctx, facts, transition)
  const payment = { storeId: facts.store.id, type: "payment_received", data: { plan: plan.slug, number } } as const
  return {
    result,
    change: {
      ...change,
      writes: [...change.writes, ...writes],
      auditLog: [{ audit: payment }, ...change.auditLog],
    },
  }
}
