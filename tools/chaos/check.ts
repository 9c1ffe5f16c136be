// Checks the platform's consistency after a chaos run: no lost, forged or duplicate event, no partial write, no wrong
// count.
import { setTimeout as sleep } from "node:timers/promises"
import type { Fixtures, Write } from "./load.ts"
import type { Inbox } from "./receiver.ts"
import type { Server } from "./server.ts"

/** Time without progress after which the run fails; longer than the lease of a killed job. */
const STALL_TIMEOUT_MS = 360_000

/** A run that settles slowly prints this often what it waits for. */
const REPORT_INTERVAL_MS = 30_000

interface LoggedEvent {
  id: string
  type: string
  data: { store?: { id: string; name: string }; changes?: { name?: { from: string; to: string } } }
}

/** An endpoint that received events while the platform was killed. */
export interface ChaosEndpoint {
  id: number
  inbox: Inbox
  /** Whether its receiver accepted every request. */
  isSteady: boolean
  ordered: boolean
  /** Its `max_per_second`; null without a limit. */
  rate: number | null
}

const auth = (token: string) => ({ Authorization: `Bearer ${token}` })

/** Loads all pages of a control-plane list, and the total from its `meta`. */
async function listAll(server: Server, path: string, key: string, host = "localhost") {
  // biome-ignore lint/suspicious/noExplicitAny: rows are read as they come
  const rows: any[] = []
  for (let page = 1; ; page += 1) {
    const { status, body } = await server.request(`${path}${path.includes("?") ? "&" : "?"}per_page=100&page=${page}`, {
      host,
      headers: auth(key),
    })
    if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(body).slice(0, 300)}`)
    rows.push(...body.data)
    const countRows: number = body.meta.total
    if (rows.length >= countRows || body.data.length === 0) return { rows, total: countRows }
  }
}

/** Returns the total of a list. */
async function total(server: Server, path: string, key: string): Promise<number> {
  const { status, body } = await server.request(`${path}&per_page=1`, { headers: auth(key) })
  if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(body).slice(0, 300)}`)
  return body.meta.total
}

/** Loads the whole event log. */
async function listEvents(server: Server, key: string): Promise<LoggedEvent[]> {
  const found: LoggedEvent[] = []
  let after: string | undefined
  for (;;) {
    const from = after === undefined ? "" : `&after=${encodeURIComponent(after)}`
    const { status, body } = await server.request(`/api/platform/v1/events?limit=100${from}`, {
      headers: auth(key),
    })
    if (status !== 200) throw new Error(`the event log returned ${status} ${JSON.stringify(body)}`)
    found.push(...body.data)
    if (!body.meta.has_more) return found
    after = body.meta.next_cursor
  }
}

/**
 * Runs the minute cron until no delivery and no store is pending.
 * @param endpoints the endpoints whose deliveries have to be completed
 */
export async function waitUntilSettled(server: Server, key: string, endpoints: readonly number[]): Promise<void> {
  let lastProgressAt = Date.now()
  let lastReportAt = Date.now()
  let fewestOpen = Number.POSITIVE_INFINITY
  const minute = new URLSearchParams({ cron: "* * * * *" })
  for (;;) {
    const { body: scheduled } = await server.request(`/cdn-cgi/local/scheduled?${minute}&time=${Date.now()}`)
    void scheduled
    const open = await Promise.all([
      ...["pending", "provisioning"].map((status) => total(server, `/api/platform/v1/stores?status=${status}`, key)),
      ...endpoints.flatMap((endpoint) =>
        ["pending", "failed"].map((status) =>
          total(server, `/api/platform/v1/webhooks/${endpoint}/deliveries?status=${status}`, key),
        ),
      ),
    ])
    const openCount = open.reduce((sum, count) => sum + count, 0)
    if (openCount === 0) return
    if (openCount < fewestOpen) [fewestOpen, lastProgressAt] = [openCount, Date.now()]
    const [pending, provisioning, ...deliveries] = open
    const waiting = `${pending} stores pending, ${provisioning} provisioning; pending and failed deliveries of each endpoint: ${deliveries}`
    if (Date.now() - lastProgressAt > STALL_TIMEOUT_MS)
      throw new Error(`no progress for ${STALL_TIMEOUT_MS / 1000} s: ${waiting}`)
    if (Date.now() - lastReportAt > REPORT_INTERVAL_MS) {
      lastReportAt = Date.now()
      console.log(`waiting: ${waiting}`)
    }
    await sleep(1000)
  }
}

/**
 * Compares the platform's state with the recorded writes.
 * @returns one message per problem
 */
export async function findInconsistencies(
  server: Server,
  world: Fixtures,
  writes: readonly Write[],
  endpoints: readonly ChaosEndpoint[],
): Promise<string[]> {
  const { key, stores, staff } = world
  const problems: string[] = []
  const log = await listEvents(server, key)
  const ids = new Set(log.map(({ id }) => id))
  if (ids.size !== log.length) problems.push(`the event log has ${log.length - ids.size} duplicate events`)

  // A confirmed write took effect once; one without a response once or never; nothing else happened.
  const renamed = new Map<string, number>()
  const created = new Map<string, number>()
  const ready = new Map<string, number>()
  const add = (counts: Map<string, number>, name = "") => counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const { type, data } of log) {
    if (type === "store.updated") add(renamed, data.changes?.name?.to)
    if (type === "store.created") add(created, data.store?.id)
    if (type === "store.ready") add(ready, data.store?.id)
  }
  const expectOnce = (what: string, counts: Map<string, number>, name: string, done: Write["done"]) => {
    const times = counts.get(name) ?? 0
    if (times > 1) problems.push(`${what} of "${name}" is duplicated: ${times} times`)
    if (done === true && times === 0) problems.push(`${what} of "${name}" is lost`)
    if (done === false && times > 0) problems.push(`${what} of "${name}" exists although the write was rejected`)
  }
  for (const { kind, name, store, done } of writes) {
    if (kind === "rename") expectOnce("the event", renamed, name, done)
    if (kind !== "create") continue
    expectOnce("the event", created, store, done)
    if (created.get(store)) expectOnce("readiness", ready, store, true)
  }
  const known = new Set(writes.map(({ name }) => name))
  for (const name of renamed.keys())
    if (/^name \d/.test(name) && !known.has(name)) problems.push(`the event of "${name}" belongs to no write`)

  // Each change starts from the result of the previous one, in the event log, the audit log and the row.
  for (const store of stores) {
    const changes = log
      .filter(({ type, data }) => type === "store.updated" && data.store?.id === store)
      .map(({ data }) => data.changes?.name)
    let name = store
    for (const change of changes) {
      if (change?.from !== name) problems.push(`${store} changed from "${name}" to "${change?.from}" without an event`)
      name = change?.to ?? ""
    }
    const { body } = await server.request(`/api/platform/v1/stores/${store}`, { headers: auth(key) })
    if (body.data.name !== name)
      problems.push(`${store} is named "${body.data.name}", but the event log says "${name}"`)
    const auditLog = await listAll(server, `/api/platform/v1/stores/${store}/events`, key)
    if (auditLog.rows.length !== auditLog.total)
      problems.push(`the audit log of ${store} has ${auditLog.rows.length} entries but counts ${auditLog.total}`)
    const auditedChanges = auditLog.rows.filter(({ type }) => type === "store_updated" || type === "updated").length
    if (auditedChanges !== changes.length)
      problems.push(`the audit log of ${store} has ${auditedChanges} changes, the event log ${changes.length}`)

    const products = await listAll(server, "/api/v1/products", staff[store] ?? "", `${store}.localhost`)
    const names = products.rows.map(({ name }) => name)
    if (names.length !== products.total)
      problems.push(`${store} has ${names.length} products but counts ${products.total}`)
    const written = writes.filter(({ kind, store: of }) => kind === "product" && of === store)
    for (const write of written) {
      const times = names.filter((name) => name === write.name).length
      if (times > 1 || (write.done === true && times === 0))
        problems.push(`the product "${write.name}" exists ${times} times`)
    }
    const usage = await server.request(`/api/platform/v1/stores/${store}/usage?refresh=1`, { headers: auth(key) })
    // Sample products are not counted.
    const own = names.filter((name) => written.some((write) => write.name === name)).length
    if (usage.body.data.usage.products !== own)
      problems.push(
        `${store} has ${own} products that are not samples, but its usage is ${usage.body.data.usage.products}`,
      )
  }

  const list = await listAll(server, "/api/platform/v1/stores", key)
  if (new Set(list.rows.map(({ id }) => id)).size !== list.total)
    problems.push(`the list has ${list.rows.length} stores but counts ${list.total}`)

  for (const endpoint of endpoints) {
    const { id, inbox, isSteady } = endpoint
    problems.push(...findDisorder(endpoint, log), ...findBursts(endpoint))
    // Further attempts may be made while the deliveries are listed; they do not explain earlier requests.
    const receivedBefore = new Map(inbox.receivedCounts)
    const deliveries = await listAll(server, `/api/platform/v1/webhooks/${id}/deliveries`, key)
    if (deliveries.rows.length !== deliveries.total)
      problems.push(`endpoint ${id} has ${deliveries.rows.length} deliveries but counts ${deliveries.total}`)
    const of = new Map<string, number>()
    for (const { event_id } of deliveries.rows) add(of, event_id)
    for (const [event, times] of of)
      if (times > 1) problems.push(`event ${event} has ${times} deliveries at endpoint ${id}`)
    for (const event of of.keys()) if (!ids.has(event)) problems.push(`a delivery refers to the unknown event ${event}`)
    for (const event of inbox.receivedCounts.keys())
      if (!ids.has(event)) problems.push(`the receiver got the unknown event ${event}`)
    problems.push(...inbox.errors.slice(0, 5).map((fault) => `the receiver could not verify: ${fault}`))
    for (const { event_id, status, attempt } of deliveries.rows) {
      if (status === "delivered" && !inbox.receivedCounts.has(event_id))
        problems.push(`event ${event_id} is marked as delivered but was not received`)
      if (isSteady && status !== "delivered") problems.push(`event ${event_id} is ${status}`)
      const times = receivedBefore.get(event_id) ?? 0
      if (times > attempt) problems.push(`event ${event_id} was received ${times} times in ${attempt} attempts`)
    }
    const received = log.filter((event) => of.has(event.id)).length
    if (deliveries.rows.length === 0) problems.push(`endpoint ${id} has no deliveries`)
    const since = log.findIndex((event) => of.has(event.id))
    if (since >= 0 && received !== log.length - since)
      problems.push(`endpoint ${id} has ${received} of ${log.length - since} events`)
  }
  return problems
}

/** Lists events of an ordered endpoint that first arrived after a later event of the same store. */
function findDisorder({ id, ordered, inbox }: ChaosEndpoint, log: readonly LoggedEvent[]): string[] {
  if (!ordered) return []
  const stores = new Map(log.map(({ id, data }, position) => [id, { store: data.store?.id, position }]))
  const newest = new Map<string, number>()
  return [...inbox.receivedCounts.keys()].flatMap((event) => {
    const { store, position = 0 } = stores.get(event) ?? {}
    if (store === undefined) return []
    const before = newest.get(store) ?? -1
    newest.set(store, Math.max(before, position))
    return position < before ? [`event ${event} of ${store} arrived late at the ordered endpoint ${id}`] : []
  })
}

/**
 * A limiter that was killed or failed has forgotten the requests before, so a second may have this many times the rate.
 */
const BURST_FACTOR = 3

/** Lists the limits that the requests of a second exceed. */
function findBursts({ id, rate, inbox }: ChaosEndpoint): string[] {
  if (rate === null) return []
  const times = inbox.arrivals.map(({ at }) => at)
  const isBurst = times.some(
    (at, index) => at - (times[index - rate * BURST_FACTOR] ?? Number.NEGATIVE_INFINITY) < 1_000,
  )
  return isBurst ? [`endpoint ${id} got more than ${rate * BURST_FACTOR} requests in a second`] : []
}
