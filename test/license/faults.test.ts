// Fails every database batch of every license manager write, before and after it takes effect, and asserts that either
// all of the change, its audit log entry and its event exist, or none of it.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { routeEvents } from "../../src/core/write/event-router"
import { call, run, type TestResponse } from "../support/app"
import { makeEndpoint } from "../support/factories"
import { failBatches } from "../support/faults"
import {
  externalClient,
  internalClient,
  legacyClient,
  makeActive,
  makeLicense,
  makeProduct,
  makeVersion,
} from "../support/license-factories"
import { rows } from "../support/rows"
import { nextSerial } from "../support/serial"

/** Everything that a license manager write can change, as numbers that every change modifies. */
const MEASURES = {
  products: "select count(*) * 1000 + coalesce(sum(revision), 0) as n from license_products",
  versions: "select count(*) * 1000 + coalesce(sum(revision), 0) as n from license_versions",
  licenses: "select count(*) * 1000 + coalesce(sum(revision), 0) as n from licenses",
  activations:
    "select count(*) * 1000 + coalesce(sum(is_active), 0) + total(ip = '192.0.2.77') * 100 as n from license_activations",
  keys: "select count(*) * 1000 + count(revoked_at) as n from license_keys",
  settings: "select count(*) as n from settings",
  auditLog: "select count(*) as n from audit_entries",
  events: "select count(*) as n from webhook_events",
  deliveries: "select count(*) as n from webhook_deliveries",
}

type State = Record<keyof typeof MEASURES, number>

async function readState(): Promise<State> {
  // After a fault, the cron routes what the request did not.
  await run(routeEvents)
  const measures = await Promise.all(
    Object.entries(MEASURES).map(async ([name, sql]) => [name, Number((await rows(sql))[0]?.n)]),
  )
  return Object.fromEntries(measures)
}

const difference = (from: State, to: State): Partial<State> =>
  Object.fromEntries(
    Object.entries(to)
      .map(([name, n]) => [name, n - from[name as keyof State]])
      .filter(([, n]) => n !== 0),
  )

interface Clients {
  external: Awaited<ReturnType<typeof externalClient>>
  internal: Awaited<ReturnType<typeof internalClient>>
  legacy: Awaited<ReturnType<typeof legacyClient>>
  legacyInternal: Awaited<ReturnType<typeof legacyClient>>
}

/** Creates a write's prerequisites and returns the write. */
type Make = (clients: Clients) => Promise<() => Promise<TestResponse>>

const operator = (command: string, json: object) =>
  call("POST", `/api/operator/v1/${command}`, { json, token: env.OPERATOR_TOKEN })

const ofProduct =
  (write: (clients: Clients, reference: string) => Promise<TestResponse>): Make =>
  async (clients) => {
    const { referenceId } = await makeProduct()
    return () => write(clients, referenceId)
  }

const ofLicense =
  (write: (clients: Clients, code: string, reference: string) => Promise<TestResponse>, fields = {}): Make =>
  async (clients) => {
    const product = await makeProduct()
    const { code } = await makeLicense(product, fields)
    return () => write(clients, code, product.referenceId)
  }

const ofActive =
  (
    write: (clients: Clients, active: Awaited<ReturnType<typeof makeActive>>, id: number) => Promise<TestResponse>,
  ): Make =>
  async (clients) => {
    const active = await makeActive(clients.external)
    const [row] = await rows("select max(id) as id from license_activations")
    return () => write(clients, active, Number(row?.id))
  }

const WRITES: Record<string, Make> = {
  "create a product":
    async ({ internal }) =>
    () =>
      internal("POST", "/products", { json: { name: "New" } }),
  "update a product": ofProduct(({ internal }, id) => internal("PUT", `/products/${id}`, { json: { name: "B" } })),
  "deactivate a product": ofProduct(({ internal }, id) => internal("DELETE", `/activated-products/${id}`)),
  "create a version": ofProduct(({ internal }, id) =>
    internal("POST", `/products/${id}/versions`, { json: { version: "1.0" } }),
  ),
  "update a version": async ({ internal }) => {
    const product = await makeProduct()
    const { versionId } = await makeVersion(product, "1.0")
    return () => internal("POST", `/products/${product.id}/versions/${versionId}`, { json: { summary: "s" } })
  },
  "create a license": ofProduct(({ internal }, product_reference_id) =>
    internal("POST", "/product-licenses", { json: { product_reference_id } }),
  ),
  "update a license": ofLicense(({ internal }, code) =>
    internal("PUT", `/product-licenses/${code}`, { json: { invoice: "#1" } }),
  ),
  "block a license": ofLicense(({ internal }, code) => internal("POST", `/blocked-product-licenses/${code}`)),
  "unblock a license": ofLicense(({ internal }, code) => internal("DELETE", `/blocked-product-licenses/${code}`), {
    is_valid: false,
  }),
  "create an activation": ofLicense(({ internal }, code) =>
    internal("POST", `/activated-product-activations/${code}`, { json: { domain: "a.example" } }),
  ),
  "deactivate an activation": ofActive(({ internal }, _, id) =>
    internal("DELETE", `/activated-product-activations/${id}`),
  ),
  "reactivate an activation": async ({ external, internal }) => {
    await makeActive(external)
    const [row] = await rows("select max(id) as id from license_activations")
    await internal("DELETE", `/activated-product-activations/${row?.id}`)
    return () => internal("POST", `/activated-product-activations/${row?.id}`)
  },
  "sign the first offline license file": async ({ internal }) => {
    const { code } = await makeLicense(await makeProduct())
    await env.DB.exec("delete from settings where name = 'lm_signing_key'")
    return () => internal("GET", `/product-licenses/${code}/file`)
  },
  activate: ofLicense(
    ({ external }, license_code, product_id) =>
      external("POST", "/license/activate", { json: { license_code, product_id } }),
    { expiry_days: 30 },
  ),
  "renew from another address": ofActive(({ external }, { input }) =>
    external("POST", "/license/activate", { json: input, headers: { "X-API-IP": "192.0.2.77" } }),
  ),
  deactivate: ofActive(({ external }, { proof }) => external("POST", "/license/deactivate", { json: proof })),
  "legacy add_product":
    async ({ legacyInternal }) =>
    () =>
      legacyInternal("POST", "/add_product", { json: { product_name: "N" } }),
  "legacy mark_product_inactive": ofProduct(({ legacyInternal }, product_id) =>
    legacyInternal("POST", "/mark_product_inactive", { json: { product_id } }),
  ),
  "legacy create_license": ofProduct(({ legacyInternal }, product_id) =>
    legacyInternal("POST", "/create_license", { json: { product_id } }),
  ),
  "legacy edit_license": ofLicense(({ legacyInternal }, license_code) =>
    legacyInternal("POST", "/edit_license", { json: { license_code, comments: "c" } }),
  ),
  "legacy block_license": ofLicense(({ legacyInternal }, license_code) =>
    legacyInternal("POST", "/block_license", { json: { license_code } }),
  ),
  "legacy delete_license": ofActive(({ legacyInternal }, { input }) =>
    legacyInternal("POST", "/delete_license", { json: input }),
  ),
  "legacy deactivate_license_activations": ofActive(({ legacyInternal }, { input }) =>
    legacyInternal("POST", "/deactivate_license_activations", { json: input }),
  ),
  "legacy activate_license": ofLicense(({ legacy }, license_code, product_id) =>
    legacy("POST", "/activate_license", { json: { license_code, product_id } }),
  ),
  "legacy deactivate_license": ofActive(({ legacy }, { input }) =>
    legacy("POST", "/deactivate_license", { json: input }),
  ),
  "create a key": async () => () => operator("license-keys:create", { type: "external", name: `k${nextSerial()}` }),
  "revoke a key": async () => {
    const { body } = await operator("license-keys:create", { type: "external", name: `k${nextSerial()}` })
    return () => operator("license-keys:revoke", { id: body.data.id })
  },
  "save settings": async () => {
    await env.DB.exec("delete from settings where name like 'lm_requests%'")
    return () => operator("license-settings", { lm_requests_rate_limiting_period: 5_000 })
  },
}

describe("atomicity", () => {
  test.each(Object.entries(WRITES))(
    "%s: a failed database call leaves all of the write or nothing",
    async (_, make) => {
      await makeEndpoint({ events: ["license.*"] })
      const clients: Clients = {
        external: await externalClient(),
        internal: await internalClient(),
        legacy: await legacyClient(),
        legacyInternal: await legacyClient("internal"),
      }
      // A key's first use is recorded in the background, in a separate batch.
      await clients.external("GET", "/connection-check")
      await clients.internal("GET", "/connection-check")
      await clients.legacy("POST", "/check_connection_ext")
      await clients.legacyInternal("POST", "/check_connection_int")

      const run = async (failure: "before" | "after" | "down" | null, failingBatch: number) => {
        const write = await make(clients)
        const before = await readState()
        let batches = 0
        const spy = failBatches(() => {
          const position = batches++ - failingBatch
          if (failure === "down") return position >= 0 ? "before" : null
          return position === 0 ? failure : null
        })
        const { status } = await write()
        spy.mockRestore()
        return { status, batches, changes: difference(before, await readState()) }
      }

      const successful = await run(null, -1)
      expect(successful.status).toBeLessThan(300)
      expect(successful.changes).toMatchObject({ auditLog: expect.any(Number) })
      expect(Object.keys(successful.changes).length).toBeGreaterThan(1)
      const outcomes = new Set<string>()
      for (let batch = 0; batch < successful.batches; batch++) {
        for (const failure of ["before", "after", "down"] as const) {
          const { status, changes } = await run(failure, batch)
          const isUnchanged = Object.keys(changes).length === 0
          if (status >= 300 || isUnchanged) expect(status, `failure ${failure} batch ${batch}`).toBe(503)
          if (!isUnchanged) expect(changes).toEqual(successful.changes)
          outcomes.add(isUnchanged ? "nothing" : "all")
        }
      }
      expect([...outcomes].sort()).toEqual(["all", "nothing"])
    },
  )
})
