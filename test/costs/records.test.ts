// What single records cost: those that every change writes, and their deletion.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test, vi } from "vitest"
import { commit } from "../../src/core/write/commit"
import { deleteExpiredResponses } from "../../src/core/write/idempotency"
import { DAY, MINUTE } from "../../src/lib/time"
import { prune } from "../../src/webhooks/sweep/prune"
import type { PhasedCost } from "../../tools/lib/cost-table"
import { platform, run } from "../support/app"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { count } from "../support/rows"
import { AUDIT_DRAFT, markRouted } from "../support/webhook-factories"
import { cloneNewestRow } from "./clone"
import { emitExample } from "./emit"
import { divide, drainQueues, measure, START, subtract } from "./measure"
import { expectCost, expectRows } from "./table"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START })
})

const MANY = 1_000

const audit = () => run((ctx) => commit(ctx, { auditLog: [{ audit: AUDIT_DRAFT }] }))

/** Measures the deletion of rows by work that runs later, for each of `MANY` rows. */
async function measureDeletion(table: string, later: number, work: () => Promise<unknown>): Promise<PhasedCost> {
  expect(await count(table)).toBe(MANY)
  vi.setSystemTime(START.getTime() + later)
  const cost = await measure(async () => undefined, work)
  expect(await count(table)).toBe(0)
  return divide(cost, MANY)
}

const pruneEvents = () => measureDeletion("webhook_events", 31 * DAY, () => run(prune))

async function cloneEvents() {
  await cloneNewestRow("webhook_events", MANY - 1, { seq: "seq + n", id: "substr(id, 1, 20) || printf('%06d', n)" })
  await markRouted()
}

const KINDS: Record<string, () => Promise<PhasedCost>> = {
  "audit entry": () => measure(audit),
  "audit entry of a store": async () => {
    const storeId = await makeReadyStore()
    return measure(() => run((ctx) => commit(ctx, { auditLog: [{ audit: { storeId, type: "store_updated" } }] })))
  },
  event: async () => {
    await emitExample()
    return subtract(await measure(emitExample), await measure(audit))
  },
  "event, pruned (one of 1,000)": async () => {
    await emitExample()
    await cloneEvents()
    return pruneEvents()
  },
  "event with its delivery, pruned (one of 1,000)": async () => {
    const { id } = await makeEndpoint()
    await emitExample()
    await drainQueues()
    await cloneEvents()
    await cloneNewestRow("webhook_deliveries", MANY - 1, {
      id: "id + n * 1048576",
      event_id: "substr(event_id, 1, 20) || printf('%06d', n)",
    })
    expect(await count(`webhook_deliveries where status = 'delivered' and endpoint_id = ${id}`)).toBe(MANY)
    return pruneEvents()
  },
  "idempotent response": async () => {
    const [store, token] = [await makeReadyStore(), await makeKey()]
    const patch = (name: string, headers = {}) =>
      platform("PATCH", `/stores/${store}`, { token, json: { name }, headers })
    await patch("First", { "Idempotency-Key": "first" })
    const without = await measure(() => patch("Second"))
    return subtract(await measure(() => patch("Third", { "Idempotency-Key": "third" })), without)
  },
  "idempotent response, deleted (one of 1,000)": async () => {
    const [store, token] = [await makeReadyStore(), await makeKey()]
    await platform("PATCH", `/stores/${store}`, { token, json: { name: "x" }, headers: { "Idempotency-Key": "key" } })
    // In the part of the ids that the clean-up visits in the minute of the deletion.
    const part = ((START.getTime() + 2 * DAY) / MINUTE) % 256
    await env.DB.prepare("update idempotency_records set id = ? || substr(id, 3)")
      .bind(part.toString(16).padStart(2, "0"))
      .run()
    await cloneNewestRow("idempotency_records", MANY - 1, { id: "substr(id, 1, 20) || printf('%012x', n)" })
    return measureDeletion("idempotency_records", 2 * DAY, () => run(deleteExpiredResponses))
  },
}

test.for(Object.entries(KINDS))("%s costs what the table lists", async ([name, measureRecord], context) => {
  mockReceiver()
  expectCost(context, "records", name, Object.keys(KINDS).indexOf(name), await measureRecord())
})

test("the table lists these records", () => expectRows("records", Object.keys(KINDS)))
