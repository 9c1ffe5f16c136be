// The billing clock: for every store whose moment has come, one step after the other, each a guarded change in its own commit. A
// run that dies leaves what it did and nothing half done; two at once do everything once.

import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { runJob } from "../../core/queue/leased-jobs"
import { SYSTEM } from "../../core/write/actor"
import { change } from "../../core/write/commit"
import { later, SECOND, timestamp } from "../../lib/time"
import { postMails } from "../../mails/outbox"
import { endReservations } from "../signups/service"
import { enqueuePurge } from "../stores/enqueue"
import { loadStore } from "../stores/queries"
import { removal } from "../stores/remove"
import { assertDeletable } from "../stores/rules"
import type { StoreFacts } from "../stores/schemas"
import { type SubscribedFacts, subscriptionChange } from "./commit-transition"
import { waitingSubscriptions } from "./due-subscriptions"
import { type DueStep, dueStep, stepMove, stepsUntilDone } from "./next-step"

type StepName = DueStep["step"]

/** What a run did: the stores it took a step for, and how many steps of each kind. */
export type ClockRun = { at: string; stores: number } & Record<Exclude<StepName, "dunned">, number>

/** Stores a run handles before it hands on to the next, so that no invocation does too much. */
const BATCH = 100

/**
 * The hourly run: as many stores as one invocation may take, and a message for the rest. It begins nothing while the run before it is
 * still under way.
 */
export async function startBilling(ctx: Ctx): Promise<void> {
  await endReservations(ctx)
  await continueBilling(ctx, { after: 0, at: ctx.now.getTime() })
}

/**
 * A batch of the hourly run.
 * @param from the id of the last subscription that was looked at, the moment of the run, and the token of the job's lease
 */
export const continueBilling = (ctx: Ctx, from: { after: number; at: number; lease?: string }): Promise<void> =>
  runJob(ctx, { job: "billing", ...from }, async () => {
    const { run, last } = await runBatch(at(ctx, new Date(from.at)), from.after)
    if (run.stores) ctx.log.info("billing clock", { ...run })
    return last === null ? null : { job: "billing", after: last, at: from.at }
  })

/**
 * What an operator asks of the clock: to run, or to tell what it would do. Another moment than now is for test clocks only.
 * @throws Refusal `forbidden` for another moment where TENANCY_TEST_CLOCK is off; as of `runBilling`
 */
export async function operateBilling(
  ctx: Ctx,
  { dryRun, ...given }: { at?: Date; store?: string; dryRun: boolean },
): Promise<ClockRun | Awaited<ReturnType<typeof foreseeBilling>>> {
  const input = { ...given, at: given.at && wholeSecond(given.at) }
  if (dryRun) return foreseeBilling(ctx, input)
  if (input.at && !ctx.settings.TENANCY_TEST_CLOCK) throw new Refusal("forbidden")
  return runBilling(ctx, input)
}

/** The end of the second that a moment names: whoever names the second in which something is due, as answers show it, means it too. */
const wholeSecond = (at: Date): Date => (at.getTime() % SECOND === 0 ? later(at, SECOND - 1) : at)

/**
 * Runs the clock for every store that has something due, or for one.
 * @param input `at`: the moment to run it for, now when absent; `store`: only this one
 * @throws Refusal `not_found`; `no_subscription`; `clock_behind` when the store's billing was changed after that moment
 */
export async function runBilling(ctx: Ctx, input: { at?: Date; store?: string }): Promise<ClockRun> {
  const clock = at(ctx, input.at ?? ctx.now)
  const total = nothingDone(clock)
  if (input.store !== undefined) {
    await readStoreAt(clock, input.store)
    await takeSteps(clock, input.store, total)
    postMails(clock)
    return total
  }
  await endReservations(clock)
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
 * The steps that a run would take, store by store; nothing is written.
 * @param input as for `runBilling`
 * @throws Refusal as of `runBilling`
 */
export async function foreseeBilling(ctx: Ctx, input: { at?: Date; store?: string }) {
  const clock = at(ctx, input.at ?? ctx.now)
  if (input.store !== undefined) return [foreseen(clock, await readStoreAt(clock, input.store))]
  const all: ReturnType<typeof foreseen>[] = []
  for (let after = 0; ; ) {
    const batch = await waitingSubscriptions(clock, after, BATCH)
    for (const { storeId } of batch) all.push(foreseen(clock, await readStoreAt(clock, storeId)))
    const last = batch.at(-1)
    if (!last || batch.length < BATCH) return all
    after = last.id
  }
}

const foreseen = (ctx: Ctx, facts: SubscribedFacts) => ({
  store: facts.store.id,
  steps: stepsUntilDone(facts, ctx.settings, ctx.now).map(({ step, dueAt }) => ({ step, due_at: timestamp(dueAt) })),
})

/** The platform itself at another moment. */
const at = (ctx: Ctx, now: Date): Ctx => ({ ...ctx, now, actor: SYSTEM })

const nothingDone = (ctx: Ctx): ClockRun => ({
  at: timestamp(ctx.now),
  stores: 0,
  reminded: 0,
  activated: 0,
  past_due: 0,
  suspended: 0,
  warned: 0,
  purged: 0,
})

/** @returns what was done, and the id to go on after; null when nothing is left */
async function runBatch(ctx: Ctx, after: number): Promise<{ run: ClockRun; last: number | null }> {
  const run = nothingDone(ctx)
  const batch = await waitingSubscriptions(ctx, after, BATCH)
  for (const { storeId } of batch) {
    // A store that fails is logged and tried again in an hour; it stops nobody.
    await takeSteps(ctx, storeId, run).catch((cause) =>
      ctx.log.error("billing clock failed", cause, { store: storeId }),
    )
  }
  if (run.stores) postMails(ctx)
  return { run, last: batch.length < BATCH ? null : (batch.at(-1)?.id ?? null) }
}

/** Takes a store's steps until none is due. */
async function takeSteps(ctx: Ctx, storeId: string, run: ClockRun): Promise<void> {
  let moved = false
  for (let step = await takeStep(ctx, storeId); step; step = await takeStep(ctx, storeId)) {
    if (!moved) run.stores += 1
    moved = true
    if (step !== "dunned") run[step] += 1
    if (step === "purged") return
  }
}

/** Takes the next step of a store, decided on the store as it stands when it is committed. */
async function takeStep(ctx: Ctx, storeId: string): Promise<StepName | null> {
  const taken = await change(
    ctx,
    () => loadStore(ctx, storeId).catch(missing),
    (found) => {
      if (!found || !isSubscribed(found) || isBehind(ctx, found)) return { answer: null }
      const due = dueStep(found, ctx.settings, ctx.now)
      const move = due && stepMove(found, due, ctx.settings, ctx.now)
      if (!due) return { answer: null }
      const answer = { step: due.step, store: found.store }
      if (move) return { answer, change: subscriptionChange(ctx, found, move).change }
      assertDeletable(found.store, storeId, ctx.now)
      return { answer, change: removal(ctx, found, "retention") }
    },
  )
  if (taken?.step === "purged") enqueuePurge(ctx, taken.store)
  return taken?.step ?? null
}

const isSubscribed = (facts: StoreFacts): facts is SubscribedFacts => facts.subscription !== null

/** Whether a store's billing was changed after the moment of the run; moments are whole seconds to those who name them. */
const isBehind = (ctx: Ctx, { subscription }: SubscribedFacts): boolean =>
  subscription.updatedAt.getTime() - ctx.now.getTime() >= SECOND

/** @throws Refusal `not_found`, `no_subscription`, `clock_behind` */
async function readStoreAt(ctx: Ctx, storeId: string): Promise<SubscribedFacts> {
  const facts = await loadStore(ctx, storeId)
  if (!isSubscribed(facts)) throw new Refusal("no_subscription")
  if (isBehind(ctx, facts)) throw new Refusal("clock_behind")
  return facts
}

/** A store deleted meanwhile has nothing due. */
function missing(thrown: unknown): null {
  if (thrown instanceof Refusal && thrown.code === "not_found") return null
  throw thrown
}
