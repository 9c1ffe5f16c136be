// Compressed texts: the very text comes back, on D1, for any Unicode, and for rows that were stored before.
import { env } from "cloudflare:workers"
import { sql } from "drizzle-orm"
import fc from "fast-check"
import { expect, test } from "vitest"
import { compressedJson, compressText, decompressText } from "../../src/db/compressed-text"
import { RESOURCES_1 } from "../../src/db/dictionary"
import { sha256 } from "../../src/lib/hash"
import { ulid } from "../../src/lib/ulid"
import { buildExample } from "../../src/webhooks/examples"
import { platform, run } from "../support/app"
import { makeEndpoint, makeKey } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { emitEvent } from "../support/webhook-factories"

const NOW = new Date("2026-03-02T10:00:00Z")

/** Any UTF-16 code units, lone surrogates and control characters included, or characters beyond the first plane. */
const anyText = (maxLength: number) =>
  fc.oneof(
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength }).map((units) => String.fromCharCode(...units)),
    fc.array(fc.integer({ min: 0, max: 0x1f }), { maxLength }).map((units) => String.fromCharCode(...units)),
    fc.array(fc.integer({ min: 0xd800, max: 0xdfff }), { maxLength }).map((units) => String.fromCharCode(...units)),
    fc.string({ unit: "binary", maxLength }),
  )

/** Reads what SQLite makes of an expression. */
const evaluate = async (expression: ReturnType<typeof compressedJson>): Promise<string> =>
  run(async (ctx) => {
    const [row] = await ctx.db.select({ value: sql<string>`${expression}` }).from(sql`(select 1)`)
    return row?.value ?? ""
  })

test("restores any text byte for byte", () => {
  const isRestored = (name: string, note: string) => {
    const text = JSON.stringify({ id: name, data: { name, note } })
    expect(decompressText(compressText(text))).toBe(text)
  }
  fc.assert(fc.property(anyText(200), anyText(3_000), isRestored), { numRuns: 300 })
})

test("restores texts with values of the database as json_set would have built them", async () => {
  const isRestored = async (note: string) => {
    const value = { data: { order: { id: 0, note }, "late:x:0": '"late:x:0"' }, meta: {} }
    const order = { id: 42, note, number: null, reference: 'PO-1[" \\ \u{1f600}' }
    const late = {
      "$.data.order.number": sql`null`,
      "$.data.order.id": sql`40 + 2`,
      "$.data.order.reference": sql`'PO-1[" \\ ' || char(128512)`,
    } as const
    const stored = await evaluate(compressedJson(structuredClone(value), late, ulid(NOW)))
    expect(decompressText(stored)).toBe(JSON.stringify({ ...value, data: { ...value.data, order } }))
  }
  await fc.assert(fc.asyncProperty(anyText(200), isRestored), { numRuns: 25 })
})

test("never changes the dictionary, because stored texts refer to it", async () => {
  expect(await sha256(new TextDecoder().decode(RESOURCES_1))).toBe(
    "400fee681b3311a1ce8949042d7ae35378e111af624bab2b53a514709163e0df",
  )
})

test("throws on a damaged text instead of returning another one", () => {
  const stored = compressText(JSON.stringify(buildExample("store.updated", NOW)))
  expect(() => decompressText(stored.slice(0, -8))).toThrow()
})

test("stores an example of every kind in less than half of its length", () => {
  for (const type of ["store.updated", "subscription.extended", "order.paid", "license.activated"] as const) {
    const text = JSON.stringify(buildExample(type, NOW))
    expect(compressText(text).length, type).toBeLessThan(text.length / 2)
  }
})

test("returns an event's very text in the feed, on its page and in its delivery, stored compressed or plain", async () => {
  const hook = mockReceiver()
  const { id: endpoint } = await makeEndpoint()
  const token = await makeKey({ scopes: ["read"] })
  const name = 'Ünïcode \u0000\u2028 "quoted" \\ \u{1f468}\u200d\u{1f469} \ufeff'
  await emitEvent("store.ready", { mark: 1, name })
  const [event] = await rows("select id, payload from webhook_events")
  const text = String(event?.payload)
  const expectText = async () => {
    for (const path of ["/events", `/events/${event?.id}`]) {
      expect((await platform("GET", path, { token })).text).toContain(text)
    }
    const deliveries = await platform("GET", `/webhooks/${endpoint}/deliveries?include=payload`, { token })
    expect(deliveries.body.data[0].payload).toEqual(JSON.parse(text))
  }
  await expectText()
  const readStored = async () => (await env.DB.prepare("select payload from webhook_events").first("payload")) as string
  expect((await readStored()).startsWith("{")).toBe(false)
  await env.DB.prepare("update webhook_events set payload = ?").bind(text).run()
  await expectText()
  expect(hook.requests.every(({ body }) => body === text)).toBe(true)
})
