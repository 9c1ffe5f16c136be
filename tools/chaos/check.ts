// What has to be true when all is done: no event lost, made up or doubled, no change half done, no count that is wrong.
import { setTimeout as sleep } from "node:timers/promises"
import type { Deed, World } from "./load.ts"
import type { Inbox } from "./receiver.ts"
import type { Server } from "./server.ts"

/** Milliseconds without progress after which the run has failed: a store whose provisioning was killed waits for its lease of 5 minutes. */
const PATIENCE_MS = 360_000

interface Event {
  id: string
  type: string
  data: { store?: { id: string; name: string }; changes?: { name?: { from: string; to: string } } }
}

const auth = (token: string) => ({ Authorization: `Bearer ${token}` })

/** Every page of a list of the control plane, and what its `meta` says of the whole. */
async function all(server: Server, path: string, key: string, host = "localhost") {
  // biome-ignore lint/suspicious/noExplicitAny: rows are read as they come
  const rows: any[] = []
  for (let page = 1; ; page += 1) {
    const { status, body } = await server.ask(`${path}${path.includes("?") ? "&" : "?"}per_page=100&page=${page}`, {
      host,
      headers: auth(key),
    })
    if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(body).slice(0, 300)}`)
    rows.push(...body.data)
    const total: number = body.meta.total
    if (rows.length >= total || body.data.length === 0) return { rows, total }
  }
}

/** How many rows a list counts. */
async function total(server: Server, path: string, key: string): Promise<number> {
  const { status, body } = await server.ask(`${path}&per_page=1`, { headers: auth(key) })
  if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(body).slice(0, 300)}`)
  return body.meta.total
}

/** The log of events from its beginning. */
async function events(server: Server, key: string): Promise<Event[]> {
  const found: Event[] = []
  let after: string | undefined
  for (;;) {
    const from = after === undefined ? "" : `&after=${encodeURIComponent(after)}`
    const { status, body } = await server.ask(`/api/platform/v1/events?limit=100${from}`, {
      headers: auth(key),
    })
    if (status !== 200) throw new Error(`the log answered ${status} ${JSON.stringify(body)}`)
    found.push(...body.data)
    if (!body.meta.has_more) return found
    after = body.meta.next_cursor
  }
}

/** Drives the minute's cron until everything that was lost is found again. */
export async function settle(server: Server, key: string, endpoint: number): Promise<void> {
  let moved = Date.now()
  let least = Number.POSITIVE_INFINITY
  const minute = new URLSearchParams({ cron: "* * * * *" })
  for (;;) {
    const { body: scheduled } = await server.ask(`/cdn-cgi/local/scheduled?${minute}&time=${Date.now()}`)
    void scheduled
    const open = await Promise.all([
      ...["pending", "failed"].map((status) =>
        total(server, `/api/platform/v1/webhooks/${endpoint}/deliveries?status=${status}`, key),
      ),
      ...["pending", "provisioning"].map((status) => total(server, `/api/platform/v1/stores?status=${status}`, key)),
    ])
    const left = open.reduce((sum, count) => sum + count, 0)
    if (left === 0) return
    if (left < least) [least, moved] = [left, Date.now()]
    if (Date.now() - moved > PATIENCE_MS) {
      const [pending, failed, ...stores] = open
      throw new Error(
        `for ${PATIENCE_MS / 1000} s nothing gets on: there are ${pending} deliveries pending, ${failed} failed, ${stores} stores in the making`,
      )
    }
    await sleep(1000)
  }
}

/** @returns what is wrong, a sentence each */
export async function check(
  server: Server,
  world: World,
  deeds: readonly Deed[],
  endpoints: { id: number; inbox: Inbox; isSteady: boolean }[],
): Promise<string[]> {
  const { key, stores, staff } = world
  const wrong: string[] = []
  const log = await events(server, key)
  const ids = new Set(log.map(({ id }) => id))
  if (ids.size !== log.length) wrong.push(`the log has ${log.length - ids.size} events twice`)

  // What was answered happened once; what was not, once or never; and nothing else did.
  const renamed = new Map<string, number>()
  const made = new Map<string, number>()
  const ready = new Map<string, number>()
  const add = (counts: Map<string, number>, name = "") => counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const { type, data } of log) {
    if (type === "store.updated") add(renamed, data.changes?.name?.to)
    if (type === "store.created") add(made, data.store?.id)
    if (type === "store.ready") add(ready, data.store?.id)
  }
  const judge = (what: string, counts: Map<string, number>, name: string, done: Deed["done"]) => {
    const times = counts.get(name) ?? 0
    if (times > 1) wrong.push(`${what} of "${name}" is doubled: ${times}`)
    if (done === true && times === 0) wrong.push(`${what} of "${name}" is lost`)
    if (done === false && times > 0) wrong.push(`${what} of "${name}" was refused and is there`)
  }
  for (const { kind, name, store, done } of deeds) {
    if (kind === "rename") judge("the event", renamed, name, done)
    if (kind !== "create") continue
    judge("the event", made, store, done)
    if (made.get(store)) judge("readiness", ready, store, true)
  }
  const known = new Set(deeds.map(({ name }) => name))
  for (const name of renamed.keys())
    if (/^name \d/.test(name) && !known.has(name)) wrong.push(`the event of "${name}" is made up`)

  // Each change begins where the one before it ended, in the log, in the trail and in the row.
  for (const store of stores) {
    const changes = log
      .filter(({ type, data }) => type === "store.updated" && data.store?.id === store)
      .map(({ data }) => data.changes?.name)
    let name = store
    for (const change of changes) {
      if (change?.from !== name) wrong.push(`${store} went from "${name}" to "${change?.from}" in silence`)
      name = change?.to ?? ""
    }
    const { body } = await server.ask(`/api/platform/v1/stores/${store}`, { headers: auth(key) })
    if (body.data.name !== name) wrong.push(`${store} is called "${body.data.name}", and the log says "${name}"`)
    const trail = await all(server, `/api/platform/v1/stores/${store}/events`, key)
    if (trail.rows.length !== trail.total)
      wrong.push(`the trail of ${store} has ${trail.rows.length} entries and counts ${trail.total}`)
    const told = trail.rows.filter(({ type }) => type === "store_updated" || type === "updated").length
    if (told !== changes.length) wrong.push(`the trail of ${store} has ${told} changes, the log ${changes.length}`)

    const products = await all(server, "/api/v1/products", staff[store] ?? "", `${store}.localhost`)
    const names = products.rows.map(({ name }) => name)
    if (names.length !== products.total)
      wrong.push(`${store} has ${names.length} products and counts ${products.total}`)
    for (const deed of deeds.filter(({ kind, store: of }) => kind === "product" && of === store)) {
      const times = names.filter((name) => name === deed.name).length
      if (times > 1 || (deed.done === true && times === 0))
        wrong.push(`the product "${deed.name}" is there ${times} times`)
    }
    const usage = await server.ask(`/api/platform/v1/stores/${store}/usage?refresh=1`, { headers: auth(key) })
    if (usage.body.data.usage.products !== products.total)
      wrong.push(`${store} has ${products.total} products and uses ${usage.body.data.usage.products}`)
  }

  const list = await all(server, "/api/platform/v1/stores", key)
  if (new Set(list.rows.map(({ id }) => id)).size !== list.total)
    wrong.push(`there are ${list.rows.length} stores, and ${list.total} are counted`)

  for (const { id, inbox, isSteady } of endpoints) {
    const deliveries = await all(server, `/api/platform/v1/webhooks/${id}/deliveries`, key)
    if (deliveries.rows.length !== deliveries.total)
      wrong.push(`endpoint ${id} has ${deliveries.rows.length} deliveries and counts ${deliveries.total}`)
    const of = new Map<string, number>()
    for (const { event_id } of deliveries.rows) add(of, event_id)
    for (const [event, times] of of)
      if (times > 1) wrong.push(`event ${event} has ${times} deliveries at endpoint ${id}`)
    for (const event of of.keys())
      if (!ids.has(event)) wrong.push(`a delivery is of event ${event}, which nobody knows`)
    for (const event of inbox.seen.keys())
      if (!ids.has(event)) wrong.push(`the receiver has event ${event}, which nobody knows`)
    wrong.push(...inbox.faults.slice(0, 5).map((fault) => `the receiver could not verify: ${fault}`))
    for (const { event_id, status, attempt } of deliveries.rows) {
      const times = inbox.seen.get(event_id) ?? 0
      if (status === "delivered" && times === 0) wrong.push(`event ${event_id} is said to be delivered, and is not`)
      if (isSteady && status !== "delivered") wrong.push(`event ${event_id} is ${status}`)
      if (times > attempt) wrong.push(`event ${event_id} came ${times} times in ${attempt} attempts`)
    }
    const heard = log.filter((event) => of.has(event.id)).length
    const since = log.findIndex((event) => of.has(event.id))
    if (since >= 0 && heard !== log.length - since)
      wrong.push(`endpoint ${id} has ${heard} of ${log.length - since} events`)
  }
  return wrong
}
