// How many bytes a row takes with its indexes, its counters and its search index: the growth of the database from 1,000
// to 2,000 rows. Every row is a copy of one that the Worker has written.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test, vi } from "vitest"
import { commit } from "../../src/core/write/commit"
import { serializePayload } from "../../src/core/write/events"
import { ulid } from "../../src/lib/ulid"
import { buildExample } from "../../src/webhooks/examples"
import { platform, run } from "../support/app"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { externalClient, makeActive } from "../support/license-factories"
import { makeSubscribedStore } from "../support/platform-writes"
import { mockReceiver } from "../support/receiver"
import { AUDIT_DRAFT, buildEvent } from "../support/webhook-factories"
import { cloneNewestRow } from "./clone"
import { emitExample } from "./emit"
import { drainQueues, START } from "./measure"
import { expectBytes, expectRows } from "./table"

const MANY = 1_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START })
  // Sizes of encrypted and compressed values must not depend on chance.
  let state = 1
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return state & 255
  }
  vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => {
    const bytes = new Uint8Array((array as Uint8Array).buffer)
    for (let index = 0; index < bytes.length; index++) bytes[index] = next()
    return array
  })
})

/** Texts that sort in the order of `n`, as ULIDs do, and texts in a random order, as hashes are. */
const ordered = (column: string) => `substr(${column}, 1, 16) || printf('%010d', n + $)`
const hashed = (column: string) => `printf('%08x', (n + $) * 2654435761 % 4294967296) || substr(${column}, 9)`

/**
 * Measures the bytes of a row of the central database.
 * @param differing as for `cloneNewestRow`; `$` is the number of rows before
 */
async function measureBytes(table: string, differing: Record<string, string>): Promise<number> {
  const clone = (offset: number) =>
    cloneNewestRow(
      table,
      MANY,
      Object.fromEntries(Object.entries(differing).map(([name, sql]) => [name, sql.replaceAll("$", String(offset))])),
    )
  const readSize = async () => (await env.DB.prepare("select 1").run()).meta.size_after
  await clone(0)
  const before = await readSize()
  await clone(MANY)
  return Math.round(((await readSize()) - before) / MANY)
}

const PROSE =
  "Handmade linen and ceramics from a small workshop by the sea, packed with care and shipped on the same day. "

/** Measures an event `store.updated` whose payload has a certain length. */
async function measureEvent(length: number, hasSubscription: boolean): Promise<number> {
  const type = "store.updated"
  const { data } = structuredClone(buildExample(type, START)) as {
    data: { store: { name: string; subscription?: object } }
  }
  if (!hasSubscription) delete data.store.subscription
  await run(async (ctx) => {
    const measureLength = () => serializePayload(ctx, ulid(ctx.now), { type, data }).length
    data.store.name = PROSE.repeat(20).slice(0, data.store.name.length + length - measureLength())
    expect(measureLength()).toBe(length)
    await commit(ctx, { auditLog: [{ audit: AUDIT_DRAFT, events: [buildEvent(type, data)] }] })
  })
  return measureBytes("webhook_events", { seq: "seq + n", id: ordered("id") })
}

async function measureDelivery(excerptLength: number): Promise<number> {
  mockReceiver(new Response(PROSE.repeat(20).slice(0, excerptLength)))
  await makeEndpoint()
  await emitExample()
  await drainQueues()
  return measureBytes("webhook_deliveries", { id: "id + n * 1048576", event_id: ordered("event_id") })
}

const KINDS: Record<string, () => Promise<number>> = {
  "event with a payload of 813 bytes": () => measureEvent(813, false),
  "event with a payload of 1,513 bytes": () => measureEvent(1_513, true),
  "event with a payload of 2,010 bytes": () => measureEvent(2_010, true),
  "delivery with an empty response": () => measureDelivery(0),
  "delivery with an excerpt of 200 bytes": () => measureDelivery(200),
  "delivery with an excerpt of 1,024 bytes": () => measureDelivery(1_024),
  "audit entry of a store": async () => {
    const [store, token] = [await makeReadyStore(), await makeKey()]
    await platform("PATCH", `/stores/${store}`, { token, json: { name: "Renamed" } })
    return measureBytes("audit_entries", { id: "id + n", request_id: ordered("request_id") })
  },
  "idempotent response with a store and its subscription": async () => {
    const [store, token] = [await makeSubscribedStore(), await makeKey()]
    const headers = { "Idempotency-Key": "550e8400-e29b-41d4-a716-446655440000" }
    await platform("PATCH", `/stores/${store}`, { token, json: { name: "Renamed" }, headers })
    return measureBytes("idempotency_records", { id: hashed("id") })
  },
  license: async () => {
    const customer = { customer_id: "Client 10000001", email: "customer@example.com", invoice: "INV-2026-00001" }
    await makeActive(await externalClient(), { license_code: "00000000-1111-2222-3333-444444444444", ...customer })
    const code = hashed("code")
    const email = `${hashed("'00000000'")} || '@example.com'`
    const client = "'client ' || (10000000 + n + $)"
    return measureBytes("licenses", {
      id: "id + n",
      code,
      code_key: code,
      customer_id: client,
      customer_key: client,
      email,
      search_text: `${code} || ' ' || ${client} || ' ' || ${email} || ' inv-2026-00001'`,
    })
  },
  activation: async () => {
    await makeActive(await externalClient())
    return measureBytes("license_activations", { id: "id + n", license_id: "license_id + n + $" })
  },
  "store without its domain and subscription": async () => {
    await makeReadyStore()
    const [id, name] = [hashed("'00000000-shop'"), hashed("'00000000 Shop and Sons'")]
    const email = `${id} || '@example.com'`
    return measureBytes("stores", {
      seq: "seq + n",
      id,
      name,
      owner_email: email,
      search_text: `${id} || ' ' || ${name} || ' ' || ${email}`,
    })
  },
}

test.for(Object.entries(KINDS))("%s takes the bytes of the table", async ([name, measureKind], context) => {
  expectBytes(context, name, Object.keys(KINDS).indexOf(name), await measureKind())
})

test("the table lists these rows", () => expectRows("bytes", Object.keys(KINDS)))
