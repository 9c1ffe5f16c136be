// Sends writes while the platform is being killed, and records the known outcome of each.
import { setTimeout as sleep } from "node:timers/promises"
import { NoResponseError, type Server } from "./server.ts"

type Kind = "rename" | "create" | "product"

/** One write. */
export interface Write {
  kind: Kind
  /** The renamed or created store, or the store of the product. */
  store: string
  /** Unique per write. */
  name: string
  /** Whether the write took effect; unknown without a response. */
  done: boolean | "unknown"
}

export interface Fixtures {
  key: string
  stores: string[]
  /** Tokens of the stores' staff, by store. */
  staff: Record<string, string>
}

const auth = (token: string) => ({ Authorization: `Bearer ${token}` })

/** Creates the stores to write to, each with an enabled app and a staff user. */
export async function createFixtures(server: Server, count: number): Promise<Fixtures> {
  const key = server.credentials.platform?.write_key ?? ""
  const stores = Array.from({ length: count }, (_, n) => `chaos-${n}`)
  const staff: Record<string, string> = {}
  for (const store of stores) {
    const person = { owner_email: `${store}@example.com`, password: "correct-horse-battery" }
    await requestUntilOk(server, "/api/platform/v1/stores", {
      method: "POST",
      headers: { ...auth(key), "Idempotency-Key": `fixture-${store}` },
      json: { subdomain: store, name: store, ...person },
    })
    // A lost message delays provisioning until the cron finds the store.
    for (let tries = 0; tries < 1_800; tries += 1) {
      const { body } = await server.request(`/api/platform/v1/stores/${store}`, { headers: auth(key) })
      if (body.data?.status === "ready") break
      await sleep(100)
    }
    await requestUntilOk(server, `/api/platform/v1/stores/${store}/apps/ecommerce/enable`, {
      method: "POST",
      headers: auth(key),
    })
    const { body } = await requestUntilOk(server, "/api/v1/login", {
      method: "POST",
      host: `${store}.localhost`,
      json: { email: person.owner_email, password: person.password },
    })
    staff[store] = body.data.token
  }
  return { key, stores, staff }
}

/** Repeats a request that a failing call made temporarily unavailable. */
async function requestUntilOk(server: Server, ...request: Parameters<Server["request"]>) {
  for (let attempt = 1; ; attempt++) {
    const { status, body } = await server.request(...request)
    if (status < 300) return { status, body }
    if ((status !== 503 && status !== 429) || attempt === MAX_ATTEMPTS)
      throw new Error(`${request[0]}: ${status} ${JSON.stringify(body).slice(0, 500)}`)
    await sleep(1000)
  }
}

/** Attempts of a request without a response, all with the same idempotency key. */
const MAX_ATTEMPTS = 3

/**
 * Sends random writes.
 * @param random numbers from 0 to 1
 * @param writes filled as it goes
 * @param waitUntilUp resolves when the server is there
 * @param problems receives unexpected results
 */
export async function runWrites(
  server: Server,
  { key, stores, staff }: Fixtures,
  options: {
    until: () => boolean
    random: () => number
    writes: Write[]
    waitUntilUp: () => Promise<void>
    problems: string[]
  },
): Promise<void> {
  const { until, random, writes, waitUntilUp, problems } = options
  while (!until()) {
    await waitUntilUp()
    const store = stores[Math.floor(random() * stores.length)] ?? ""
    const chance = random()
    const kind: Kind = chance < 0.8 ? "rename" : chance < 0.84 ? "create" : "product"
    const write: Write = {
      kind,
      store: kind === "create" ? `made-${writes.length}` : store,
      name: `name ${writes.length}`,
      done: "unknown",
    }
    writes.push(write)
    const idempotency = { ...auth(key), "Idempotency-Key": `chaos-${writes.length}` }
    const json = { name: write.name }
    const send = () => {
      if (kind === "rename")
        return server.request(`/api/platform/v1/stores/${store}`, { method: "PATCH", headers: idempotency, json })
      if (kind === "create") {
        const person = { owner_email: "owner@example.com", password: "correct-horse-battery" }
        return server.request("/api/platform/v1/stores", {
          method: "POST",
          headers: idempotency,
          json: { subdomain: write.store, ...json, ...person },
        })
      }
      const product = { ...json, price_cents: 100, currency: "EUR" }
      return server.request("/api/v1/products", {
        method: "POST",
        host: `${store}.localhost`,
        headers: auth(staff[store] ?? ""),
        json: product,
      })
    }
    // Without a key a write that may have been done is not sent again.
    for (let times = 0; times < (kind === "product" ? 1 : MAX_ATTEMPTS); times += 1) {
      try {
        const { status, body } = await send()
        if (status < 300) write.done = true
        else if (status === 409 && body?.error?.code === "idempotency_in_progress") continue
        // A call failed, before or after it took effect.
        else if (status === 503 || status === 429) continue
        else {
          write.done = false
          problems.push(`${kind} ${write.name} was answered ${status} ${JSON.stringify(body).slice(0, 300)}`)
        }
        break
      } catch (cause) {
        if (!(cause instanceof NoResponseError)) throw cause
        await waitUntilUp()
      }
    }
  }
}
