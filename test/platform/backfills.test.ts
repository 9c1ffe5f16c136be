// Backfills change existing rows in steps, resume where they stopped, and change nothing twice.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { decompressText } from "../../src/db/compressed-text"
import { sendOperatorCommand } from "../support/app"
import { costsOf } from "../support/costs"
import { failRoundTrips } from "../support/faults"
import { rows } from "../support/rows"
import { emitEvent } from "../support/webhook-factories"

/** Adds events whose payloads are stored as plain text, and one that is compressed. */
async function makeEvents(events: number): Promise<string[]> {
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < cast(?1 as integer))
     insert into webhook_events (seq, id, type, is_test, payload, created_at)
     select i, printf('01M%023d', i), 'store.ready', 0, json_object('id', i, 'type', 'store.ready'), 1 from n`,
  )
    .bind(events)
    .run()
  await emitEvent()
  return readPayloads()
}

const readPayloads = async () =>
  (await rows("select payload from webhook_events order by seq")).map(({ payload }) => decompressText(String(payload)))

const countPlain = async () => (await rows("select 1 from webhook_events where substr(payload, 1, 1) = '{'")).length

const runBackfill = async (limit: number) => {
  const { status, body } = await sendOperatorCommand("backfill:run", { name: "compress-events", limit })
  expect(status).toBe(200)
  return body.data
}

test("compresses the payloads in steps, shows the progress, and changes no text", async () => {
  const payloads = await makeEvents(450)
  expect((await sendOperatorCommand("backfill:list")).body.data).toEqual([
    { name: "compress-events", summary: expect.any(String) },
  ])
  const progress = { name: "compress-events", last: 451 }
  expect(await runBackfill(300)).toEqual({ ...progress, position: 300, checked: 300, changed: 300, done: false })
  expect(await countPlain()).toBe(150)
  expect(await runBackfill(300)).toEqual({ ...progress, position: 451, checked: 451, changed: 450, done: true })
  expect([await countPlain(), await readPayloads()]).toEqual([0, payloads])
  const [listed] = (await sendOperatorCommand("backfill:list")).body.data
  expect(listed).toMatchObject({ position: 451, changed: 450, done: true })
  // One that is done is checked again.
  expect(await runBackfill(1_000)).toMatchObject({ checked: 451, changed: 0, done: true })
})

test("resumes after a failure before or after any round trip, and changes every row once", async () => {
  const payloads = await makeEvents(250)
  const plain = await rows("select seq, payload from webhook_events")
  let trips = 1
  for (const fault of ["before", "after"] as const) {
    for (let at = 0; at < trips; at++) {
      await env.DB.exec("delete from settings")
      for (const { seq, payload } of plain.filter((row) => Number(row.seq) % 50 === 0))
        await env.DB.prepare("update webhook_events set payload = ? where seq = ?").bind(payload, seq).run()
      let made = 0
      const faults = failRoundTrips(() => (made++ === at ? fault : null))
      await sendOperatorCommand("backfill:run", { name: "compress-events" })
      faults.mockRestore()
      trips = Math.max(trips, made)
      for (let done = false; !done; ) done = (await runBackfill(100)).done
      expect([await countPlain(), await readPayloads()], `${fault} ${at}`).toEqual([0, payloads])
    }
  }
  expect(trips).toBeGreaterThan(3)
})

test("reads as many rows per step in a large table as in a small one", async () => {
  await makeEvents(300)
  const read = async () => (await costsOf(() => runBackfill(100))).rowsRead
  const [first, second] = [await read(), await read()]
  expect(second).toBeLessThanOrEqual(first + 5)
})

test("returns 422 for a backfill that does not exist", async () => {
  const { status, body } = await sendOperatorCommand("backfill:run", { name: "constructor" })
  expect([status, body.error.code]).toEqual([422, "validation_failed"])
})
