// A database that fails under a write of the control plane, before or after each of its batches, under an Idempotency-Key: the change, its
// entry in the trail, its events and the mark of the key are all there or none is, and the repetition makes the change once.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { routeTable } from "../../src/core/route"
import { platform as app } from "../../src/platform/app"
import { type Answer, platform } from "../support/app"
import { makeEndpoint, makeKey, makePlan, makeReadyStore } from "../support/factories"
import { type Fault, failBatches } from "../support/faults"
import { receive } from "../support/receiver"
import { rows } from "../support/rows"
import { makeDelivery } from "../support/webhook-factories"

interface Write {
  verb: string
  path: string
  json?: unknown
}

const act = (verb: string, path: string, json?: unknown): Write => ({ verb, path, json })

async function subscribed(status = "active"): Promise<string> {
  const { slug } = await makePlan()
  const id = await makeReadyStore()
  const token = await makeKey()
  await platform("POST", `/stores/${id}/subscription/assign`, { token, json: { plan: slug } })
  if (status === "cancelled") await platform("POST", `/stores/${id}/subscription/cancel`, { token })
  return id
}

async function withDomain(verified: boolean): Promise<[store: string, domain: number]> {
  const id = await makeReadyStore()
  const token = await makeKey()
  const { body } = await platform("POST", `/stores/${id}/domains`, { token, json: { domain: `${id}.example.org` } })
  if (verified) await env.DB.prepare("update domains set verified_at = 1 where id = ?").bind(body.data.id).run()
  return [id, body.data.id]
}

/** Every write route: what makes it possible, and the request. A route that is missing here fails the last test. */
const WRITES: Record<string, () => Promise<Write>> = {
  "stores.create": async () =>
    act("POST", "/stores", {
      subdomain: "brandnew",
      name: "New",
      owner_email: "o@example.com",
      password: "correct-horse",
    }),
  "stores.update": async () => act("PATCH", `/stores/${await makeReadyStore()}`, { name: "Renamed" }),
  "stores.delete": async () => {
    const id = await makeReadyStore()
    return act("DELETE", `/stores/${id}`, { confirm: id })
  },
  "stores.suspend": async () => act("POST", `/stores/${await makeReadyStore()}/suspend`),
  "stores.resume": async () => {
    const id = await makeReadyStore()
    await platform("POST", `/stores/${id}/suspend`, { token: await makeKey() })
    return act("POST", `/stores/${id}/resume`)
  },
  "stores.cancel": async () => act("POST", `/stores/${await subscribed()}/cancel`),
  "stores.setTheme": async () => act("POST", `/stores/${await makeReadyStore()}/theme`, { theme: "nocturne" }),
  "subscriptions.assign": async () =>
    act("POST", `/stores/${await makeReadyStore()}/subscription/assign`, { plan: (await makePlan()).slug }),
  "subscriptions.changePlan": async () =>
    act("POST", `/stores/${await subscribed()}/subscription/change-plan`, { plan: (await makePlan()).slug }),
  "subscriptions.extend": async () => act("POST", `/stores/${await subscribed()}/subscription/extend`, { days: 3 }),
  "subscriptions.reactivate": async () =>
    act("POST", `/stores/${await subscribed("cancelled")}/subscription/reactivate`),
  "subscriptions.cancel": async () => act("POST", `/stores/${await subscribed()}/subscription/cancel`),
  "domains.create": async () =>
    act("POST", `/stores/${await makeReadyStore()}/domains`, { domain: "shop.example.org" }),
  "domains.verify": async () => {
    const [store, domain] = await withDomain(false)
    const [row] = await rows("select verification_token as token from domains where id = ?", domain)
    const txt = { Status: 0, Answer: [{ type: 16, data: `"${row?.token}"` }] }
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json(txt))
    return act("POST", `/stores/${store}/domains/${domain}/verify`)
  },
  "domains.makePrimary": async () => {
    const [store, domain] = await withDomain(true)
    return act("POST", `/stores/${store}/domains/${domain}/primary`)
  },
  "domains.delete": async () => {
    const [store, domain] = await withDomain(true)
    return act("DELETE", `/stores/${store}/domains/${domain}`)
  },
  "apps.enable": async () => act("POST", `/stores/${await makeReadyStore()}/apps/contact/enable`),
  "apps.disable": async () => {
    const id = await makeReadyStore()
    await platform("POST", `/stores/${id}/apps/contact/enable`, { token: await makeKey() })
    return act("POST", `/stores/${id}/apps/contact/disable`)
  },
  "deliveries.retry": async () => {
    const { id } = await makeEndpoint()
    const delivery = await makeDelivery(id, { status: "exhausted", attempt: 6, nextAttemptAt: null })
    return act("POST", `/webhooks/deliveries/${delivery.id}/retry`)
  },
  "webhooks.create": async () => act("POST", "/webhooks", { url: "https://new.example/hook", events: ["*"] }),
  "webhooks.update": async () => act("PATCH", `/webhooks/${(await makeEndpoint()).id}`, { description: "changed" }),
  "webhooks.delete": async () => act("DELETE", `/webhooks/${(await makeEndpoint()).id}`),
  "webhooks.rotateSecret": async () => act("POST", `/webhooks/${(await makeEndpoint()).id}/rotate-secret`),
  "webhooks.test": async () => act("POST", `/webhooks/${(await makeEndpoint()).id}/test`),
  "webhooks.recover": async () => {
    const { id } = await makeEndpoint()
    await makeDelivery(id, { status: "exhausted", attempt: 6, nextAttemptAt: null })
    return act("POST", `/webhooks/${id}/recover`, { since: new Date(0).toISOString(), mode: "failed" })
  },
}

/** What a change leaves beside itself. */
async function left() {
  const [row] = await rows(
    `select (select count(*) from audit_entries) as trail, (select count(*) from webhook_events) as events,
      (select count(*) from idempotency_keys where committed_at is not null) as marks`,
  )
  return { trail: Number(row?.trail), events: Number(row?.events), marks: Number(row?.marks) }
}

/** What the writes are about, as text: it differs when anything of it was changed. */
async function state(): Promise<string> {
  const tables = await Promise.all([
    rows("select id, name, status, theme, apps, owner_email from stores order by seq"),
    rows("select * from subscriptions order by store_id"),
    rows("select domain, is_primary, verified_at from domains order by id"),
    rows("select id, url, events, description, secret, is_active, deleted_at, recovery from webhook_endpoints"),
    rows("select id, attempt from webhook_deliveries where event = 'ping' or attempt > 6"),
  ])
  return JSON.stringify(tables)
}

async function difference(work: () => Promise<unknown>) {
  const [before, was] = [await left(), await state()]
  await work()
  const after = await left()
  return {
    changed: (await state()) !== was,
    trail: after.trail - before.trail,
    events: after.events - before.events,
    marks: after.marks - before.marks,
  }
}

const FAULTS: Exclude<Fault, null>[] = ["before", "after"]
/** Batches that a write makes at most, its key's and its answer's included. */
const BATCHES = 8

test.each(Object.keys(WRITES))("%s is made whole or not at all, and once", async (name) => {
  receive()
  const token = await makeKey()
  const make = WRITES[name] as () => Promise<Write>
  const send = ({ verb, path, json }: Write, key: string): Promise<Answer> =>
    platform(verb, path, { token, json, headers: { "Idempotency-Key": key } })

  const clean = await make()
  const whole = await difference(async () => expect((await send(clean, "clean")).status).toBeLessThan(300))
  expect(whole.trail).toBeGreaterThan(0)
  expect(whole.changed).toBe(true)
  expect(whole.marks).toBe(1)
  if (name === "stores.create" || name === "webhooks.create" || name === "domains.create") await forget(name)

  for (const fault of FAULTS) {
    for (let at = 1; at <= BATCHES; at++) {
      const write = await make()
      const key = `${fault}-${at}`
      let batches = 0
      const spy = failBatches(() => (++batches === at ? fault : null))
      let first: Answer | undefined
      const made = await difference(async () => {
        first = await send(write, key)
      })
      spy.mockRestore()
      const reached = batches >= at
      expect([name, fault, at, made]).toSatisfy(
        ([, , , found]: [string, string, number, typeof whole]) => isWhole(found, whole) || isNothing(found),
      )
      // The first request is taken for dead after a minute; its repetition makes what is not made, unless it was refused for good.
      const isAnswered = isWhole(made, whole) || (first?.status ?? 500) < 500
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 })
      const again = await difference(() => send(write, key))
      vi.useRealTimers()
      expect([name, fault, at, again]).toSatisfy(([, , , found]: [string, string, number, typeof whole]) =>
        isAnswered ? isNothing(found) : isWhole(found, whole),
      )
      if (name === "stores.create" || name === "webhooks.create" || name === "domains.create") await forget(name)
      if (!reached) break
    }
  }
})

/** What a write may ask beside the database: none of it decides whether the change is made. */
const BESIDE: Record<string, () => void> = {
  "a queue that takes nothing": () => {
    for (const queue of [env.JOB_QUEUE, env.WEBHOOK_QUEUE, env.RETRY_QUEUE]) {
      vi.mocked(queue.send).mockRejectedValue(new Error("the queue is down"))
      vi.mocked(queue.sendBatch).mockRejectedValue(new Error("the queue is down"))
    }
  },
  "an object that cannot be reached": () => {
    for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES]) {
      vi.spyOn(namespace, "get").mockImplementation(() => {
        throw new Error("Durable Object reset because its code was updated.")
      })
    }
  },
  "an object that does not answer a call": () => {
    const stub = { fetch: async () => Promise.reject(new Error("Network connection lost.")) }
    for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES])
      vi.spyOn(namespace, "get").mockReturnValue(stub as unknown as DurableObjectStub)
  },
  "mail that nobody takes": () => {
    vi.spyOn(env.MAIL, "send").mockRejectedValue(new Error("mail is down"))
  },
  "a bucket that is down": () => {
    const down = async () => Promise.reject(new Error("put: We encountered an internal error. (10001)"))
    for (const bucket of [env.MEDIA, env.UPDATES])
      for (const call of ["put", "delete", "list", "get", "head"] as const)
        vi.spyOn(bucket, call).mockImplementation(down)
  },
}

/** What asks the world outside, and says so where nobody answers. */
const ASKS = new Set(["webhooks.create", "domains.verify", "deliveries.retry", "webhooks.test"])

test.each(Object.keys(BESIDE))(
  "no write is half made beside %s",
  async (what) => {
    const token = await makeKey()
    const wrong: string[] = []
    for (const [name, make] of Object.entries(WRITES)) {
      receive()
      const { verb, path, json } = await make()
      BESIDE[what]?.()
      let answer: Answer | undefined
      const made = await difference(async () => {
        answer = await platform(verb, path, { token, json, headers: { "Idempotency-Key": name } })
      })
      vi.restoreAllMocks()
      calmQueues()
      if (!answer || answer.status >= 500 || !made.changed || made.marks !== 1)
        wrong.push(`${name}: ${answer?.status} ${JSON.stringify(made)}`)
    }
    expect(wrong).toEqual([])
  },
  240_000,
)

test("a resolver and receivers that nobody reaches are said to be so, and nothing is half made", async () => {
  const token = await makeKey()
  const wrong: string[] = []
  for (const [name, make] of Object.entries(WRITES)) {
    receive()
    const { verb, path, json } = await make()
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("Network connection lost."))
    let answer: Answer | undefined
    const made = await difference(async () => {
      answer = await platform(verb, path, { token, json, headers: { "Idempotency-Key": name } })
    })
    vi.restoreAllMocks()
    calmQueues()
    const isGood = ASKS.has(name) ? answer && answer.status < 500 : made.changed && made.marks === 1
    if (!isGood) wrong.push(`${name}: ${answer?.status} ${JSON.stringify(made)}`)
  }
  expect(wrong).toEqual([])
}, 240_000)

/** Queues that only remember what they were sent, as every test begins with. */
function calmQueues(): void {
  const sent = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
  for (const queue of [env.JOB_QUEUE, env.WEBHOOK_QUEUE, env.RETRY_QUEUE]) {
    vi.spyOn(queue, "send").mockResolvedValue(sent)
    vi.spyOn(queue, "sendBatch").mockResolvedValue(sent)
  }
}

type Difference = Awaited<ReturnType<typeof difference>>

const isNothing = (found: Difference) => !found.changed && found.trail === 0 && found.events === 0 && found.marks === 0
const isWhole = (found: Difference, whole: Difference) =>
  found.changed && found.trail === whole.trail && found.events === whole.events && found.marks === whole.marks

/** Lets the same thing be created again. */
async function forget(name: string) {
  if (name === "stores.create") {
    for (const table of ["domains", "subscriptions", "usage_snapshots"]) {
      await env.DB.exec(`delete from ${table} where store_id = 'brandnew'`)
    }
    await env.DB.exec("delete from stores where id = 'brandnew'")
  }
  if (name === "domains.create") await env.DB.exec("delete from domains where domain = 'shop.example.org'")
}

test("no write route is left out", () => {
  const names = routeTable(app)
    .filter(({ method }) => method !== "GET")
    .map(({ id }) => id)
  expect(Object.keys(WRITES).sort()).toEqual(names.sort())
})
