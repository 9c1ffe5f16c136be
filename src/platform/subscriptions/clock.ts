// Runs the billing clock: takes the due steps of every store, one after the other, each a guarded change in its own
// commit. A run that crashes leaves no step half done, and concurrent runs take every step once.

import type { Ctx } from "../../core/context"
import { nullIfNotFound, Refusal } from "../../core/http/refusal"
import { enqueueJob } from "../../core/queue/leased-jobs"
import type { Job } from "../../core/queue/messages"
import { SYSTEM } from "../../core/write/actor"
import { applyChange } from "../../core/write/commit"
import { addMs, formatTimestamp, SECOND } from "../../lib/time"
import { enqueueMailRun } from "../../mails/outbox"
import { deleteExpiredReservations } from "../signups/service"
import { enqueuePurge } from "../stores/enqueue"
import { loadStore } from "../stores/queries"
import { buildStoreRemoval } from "../stores/remove"
import { assertDeletable } from "../stores/rules"
import type { StoreDetails } from "../stores/schemas"
import { buildTransitionChange } from "./commit-transition"
import { listDueSubscriptions } from "./due-subscriptions"
import { buildStepTransition, type DueStep, getDueStep, listDueSteps } from "./next-step"
import type { SubscribedStore } from "./transition"

type StepName = DueStep["step"]

/** Result of a run: the number of stores with at least one step, and the number of steps of each kind. */
export type ClockRun = { at: string; stores: number } & Record<Exclude<StepName, "dunned" | "plan_changed">, number>

/** Subscriptions per invocation; the queue continues with the next batch. */
const BATCH_SIZE = 100

/** Enqueues the hourly run, unless the previous one is still in progress. */
export async function startBillingRun(ctx: Ctx): Promise<void> {
  await deleteExpiredReservations(ctx)
  await enqueueJob(ctx, { job: "billing", after: 0, at: ctx.now.getTime() })
}

/**
 * Runs one batch of the hourly run.
 * @param from `after`: id of the last processed subscription; `at`: time of the run in milliseconds
 * @returns the next step; null when no subscription is left
 */
export async function continueBillingRun(ctx: Ctx, from: { after: number; at: number }): Promise<Job | null> {
  const { run, last } = await runBatch(contextAt(ctx, new Date(from.at)), from.after)
  if (run.stores) ctx.log.info("billing clock", { ...run })
  return last === null ? null : { job: "billing", after: last, at: from.at }
}

/**
 * Runs the billing clock for an operator, or previews the run. A time other than now requires TENANCY_TEST_CLOCK.
 * @throws Refusal `forbidden` for another time while TENANCY_TEST_CLOCK is off; otherwise like `runBilling`
 */
export async function runOrPreviewBilling(
  ctx: Ctx,
  { dryRun, at, store }: { at?: Date; store?: string; dryRun: boolean },
): Promise<ClockRun | Awaited<ReturnType<typeof previewBilling>>> {
  const input = { store, at: at && toEndOfSecond(at) }
  if (dryRun) return previewBilling(ctx, input)
  if (input.at && !ctx.settings.TENANCY_TEST_CLOCK) throw new Refusal("forbidden")
  return runBilling(ctx, input)
}

/**
 * Rounds up to the end of the second: the API shows due times in whole seconds, and a run at that second includes them.
 */
const toEndOfSecond = (at: Date): Date => (at.getTime() % SECOND === 0 ? addMs(at, SECOND - 1) : at)

/**
 * Runs the billing clock for all stores with due steps, or for one store.
 * @param input `at`: the time to run it for, now when absent; `store`: only this store
 * @throws Refusal `not_found`; `no_subscription`; `clock_behind` when the store's billing was changed after `at`
 */
export async function runBilling(ctx: Ctx, input: { at?: Date; store?: string }): Promise<ClockRun> {
  const clock = contextAt(ctx, input.at ?? ctx.now)
  const total = createEmptyRun(clock)
  if (input.store !== undefined) {
    await loadSubscribedStore(clock, input.store)
    await runSteps(clock, input.store, total)
    enqueueMailRun(clock)
    return total
  }
  await deleteExpiredReservations(clock)
  for (let after: number | null = 0; after !== null; ) {
    const { run, last } = await runBatch(clock, after)
    for (const name of Object.keys(total) as (keyof ClockRun)[]) {
      if (name !== "at") total[name] += run[name]
    }
    after = last
  }
  return total
}

/**
 * Lists the steps that a run would take, store by store, without writing anything.
 * @param input like `runBilling`
 * @throws Refusal like `runBilling`
 */
export async function previewBilling(ctx: Ctx, input: { at?: Date; store?: string }) {
  const clock = contextAt(ctx, input.at ?? ctx.now)
  if (input.store !== undefined) return [previewStore(clock, await loadSubscribedStore(clock, input.store))]
  const previews: ReturnType<typeof previewStore>[] = []
  for (let after = 0; ; ) {
    const batch = await listDueSubscriptions(clock, after, BATCH_SIZE)
    // lint: each store is previewed separately, in a batch of bounded size
    for (const { storeId } of batch) previews.push(previewStore(clock, await loadSubscribedStore(clock, storeId)))
    const last = batch.at(-1)
    if (!last || batch.length < BATCH_SIZE) return previews
    after = last.id
  }
}

const previewStore = (ctx: Ctx, facts: SubscribedStore) => ({
  store: facts.store.id,
  steps: listDueSteps(facts, ctx.settings, ctx.now).map(({ step, dueAt }) => ({
    step,
    due_at: formatTimestamp(dueAt),
  })),
})

/** The context of the run: acts as the system, at the given time. */
const contextAt = (ctx: Ctx, now: Date): Ctx => ({ ...ctx, now, actor: SYSTEM })

const createEmptyRun = (ctx: Ctx): ClockRun => ({
  at: formatTimestamp(ctx.now),
  stores: 0,
  reminded: 0,
  activated: 0,
  cancelled: 0,
  past_due: 0,
  suspended: 0,
  warned: 0,
  purged: 0,
})

/** @returns the batch's result, and the id to continue after; null when no subscription is left */
async function runBatch(ctx: Ctx, after: number): Promise<{ run: ClockRun; last: number | null }> {
  const run = createEmptyRun(ctx)
  const batch = await listDueSubscriptions(ctx, after, BATCH_SIZE)
  let last = after
  // lint: each store is billed in its own transactions
  for (const { id, storeId } of batch) {
    if (last > after && ctx.run.isOutOfTime()) {
      if (run.stores) enqueueMailRun(ctx)
      return { run, last }
    }
    last = id
    // A store that fails is logged and retried by the next hourly run; the others continue.
    await runSteps(ctx, storeId, run).catch((cause) => ctx.log.error("billing clock failed", cause, { store: storeId }))
  }
  if (run.stores) enqueueMailRun(ctx)
  return { run, last: batch.length < BATCH_SIZE ? null : (batch.at(-1)?.id ?? null) }
}

/** Takes a store's steps until none is due, and counts them in `run`. */
async function runSteps(ctx: Ctx, storeId: string, run: ClockRun): Promise<void> {
  let hasStepped = false
  for (let step = await runNextStep(ctx, storeId); step; step = await runNextStep(ctx, storeId)) {
    if (!hasStepped) run.stores += 1
    hasStepped = true
    if (step !== "dunned" && step !== "plan_changed") run[step] += 1
    if (step === "purged") return
  }
}

/** Takes the next due step of a store. A concurrent change makes it decide again. */
async function runNextStep(ctx: Ctx, storeId: string): Promise<StepName | null> {
  const result = await applyChange(
    ctx,
    // A store that was deleted in the meantime has no due steps.
    () => loadStore(ctx, storeId).catch(nullIfNotFound),
    (facts) => {
      if (!facts || !isSubscribed(facts) || isBehind(ctx, facts)) return { result: null }
      const due = getDueStep(facts, ctx.settings, ctx.now)
      if (!due) return { result: null }
      const done = { step: due.step, store: facts.store }
      if (due.step === "purged") {
        assertDeletable(facts.store, storeId, ctx.now)
        return { result: done, change: buildStoreRemoval(ctx, facts, "retention") }
      }
      const transition = buildStepTransition(facts, due, ctx.settings, ctx.now)
      return { result: done, change: buildTransitionChange(ctx, facts, transition).change }
    },
  )
  if (result?.step === "purged") enqueuePurge(ctx, result.store)
  return result?.step ?? null
}

const isSubscribed = (facts: StoreDetails): facts is SubscribedStore => facts.subscription !== null

/** Whether the store's billing was changed after the time of the run, compared in whole seconds. */
const isBehind = (ctx: Ctx, { subscription }: SubscribedStore): boolean =>
  subscription.updatedAt.getTime() - ctx.now.getTime() >= SECOND

/** @throws Refusal `not_found`, `no_subscription`, `clock_behind` */
async function loadSubscribedStore(ctx: Ctx, storeId: string): Promise<SubscribedStore> {
  const facts = await loadStore(ctx, storeId)
  if (!isSubscribed(facts)) throw new Refusal("no_subscription")
  if (isBehind(ctx, facts)) throw new Refusal("clock_behind")
  return facts
}
