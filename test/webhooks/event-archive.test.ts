// With TENANCY_EVENTS_ARCHIVE, events are archived before they are pruned, and an export has all of them in order.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test, vi } from "vitest"
import type { Env } from "../../src/bindings"
import { archiveEvents } from "../../src/webhooks/events/archive"
import { buildExample } from "../../src/webhooks/examples"
import { prune } from "../../src/webhooks/sweep/prune"
import { run, sendOperatorCommand, withSettings } from "../support/app"
import { listArchiveKeys } from "../support/archives"
import { failCalls } from "../support/external-calls"
import { failRoundTrips } from "../support/faults"
import { count, rows } from "../support/rows"
import { emitEvent } from "../support/webhook-factories"

const DAY = 86_400_000
const START = Date.parse("2026-03-20T12:00:00Z")

let settings: Env
beforeEach(async () => {
  settings = withSettings({ TENANCY_EVENTS_ARCHIVE: "true" })
  // Across the end of a month, an hour apart.
  for (const daysAgo of [22, 21, 20, 19, 18, 10, 1]) {
    vi.useFakeTimers({ toFake: ["Date"], now: START - daysAgo * DAY })
    await emitEvent("store.updated", { ...buildExample("store.updated", new Date(START)) })
  }
  vi.useFakeTimers({ toFake: ["Date"], now: START })
  await env.DB.exec(
    "insert into counters values ('webhook_events', 'routed', 100) on conflict do update set total = 100",
  )
})

const archive = () => run((ctx) => archiveEvents(ctx, START), { env: settings })
const pruneEvents = () => run(prune, { env: settings })

/** Exports all pages, and returns the ids. */
async function exportIds(input: object = {}): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const { status, body } = await sendOperatorCommand("events:export", { ...input, ...(after && { after }) })
    expect(status, JSON.stringify(body)).toBe(200)
    ids.push(...body.data.events.map((line: string) => JSON.parse(line).id))
    after = body.data.next
  }
  return ids
}

const storedIds = async () => (await rows("select id from webhook_events order by seq")).map(({ id }) => String(id))

test("prunes only events that are archived, and exports those of the archive and the database in order", async () => {
  const ids = await storedIds()
  const [{ events }] = [(await sendOperatorCommand("events:export")).body.data]
  await pruneEvents()
  expect(await storedIds()).toEqual(ids)
  await archive()
  await pruneEvents()
  expect(await storedIds()).toEqual(ids.slice(6))
  expect(await exportIds()).toEqual(ids)
  // The archive has the very texts that were signed.
  const [first] = (await sendOperatorCommand("events:export")).body.data.events
  expect(first).toBe(events[0])
  const at = (daysAgo: number) => new Date(START - daysAgo * DAY).toISOString()
  expect(await exportIds({ since: at(20) })).toEqual(ids.slice(2))
  expect(await exportIds({ until: at(18) })).toEqual(ids.slice(0, 4))
  expect(await exportIds({ since: at(19), until: at(1) })).toEqual(ids.slice(3, 6))
  expect(await exportIds({ since: at(0) })).toEqual([])
  expect((await sendOperatorCommand("events:verify")).body.data).toMatchObject({ entries: 6, objects: 2, problems: [] })
})

test("continues an export without a gap when events were archived and pruned since its last page", async () => {
  const ids = await storedIds()
  await archive()
  await pruneEvents()
  for (let seq = 0; seq < ids.length; seq++) expect(await exportIds({ after: `seq-${seq}` })).toEqual(ids.slice(seq))
})

test("prunes as before without the setting, and archives nothing", async () => {
  const ids = await storedIds()
  await run((ctx) => archiveEvents(ctx, START))
  await run(prune)
  expect([await storedIds(), await listArchiveKeys()]).toEqual([ids.slice(6), []])
})

test("loses and repeats no event when a run dies before or after any call", async () => {
  const ids = await storedIds()
  const saved = await rows("select * from webhook_events")
  const columns = Object.keys(saved[0] ?? {})
  let calls = 1
  for (const fault of ["before", "after"] as const) {
    for (let at = 0; at < calls; at++) {
      for (const table of ["archives", "archive_objects", "webhook_events"]) await env.DB.exec(`delete from ${table}`)
      await env.DB.exec("delete from counters where filter in ('pruned', 'horizon')")
      await env.DB.prepare(
        `insert into webhook_events (${columns}) select ${columns.map((name) => `value ->> '${name}'`)} from json_each(?)`,
      )
        .bind(JSON.stringify(saved))
        .run()
      let made = 0
      const decide = () => (made++ === at ? fault : null)
      const [trips, restore] = [failRoundTrips(decide, "the Worker died"), failCalls(decide)]
      await archive().catch(() => undefined)
      await pruneEvents().catch(() => undefined)
      restore()
      trips.mockRestore()
      calls = Math.max(calls, made)
      expect(await exportIds(), `${fault} ${at}`).toEqual(ids)
      await archive()
      await pruneEvents()
      expect(await exportIds(), `${fault} ${at}`).toEqual(ids)
      expect(await count("webhook_events")).toBe(1)
    }
  }
  expect(calls).toBeGreaterThan(6)
}, 120_000)
