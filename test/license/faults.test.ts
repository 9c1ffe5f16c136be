// A database that fails under a write, before or after it did what it was asked: the change, its entry in the trail and its event are
// all there, or none of them is.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { type Answer, call } from "../support/app"
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

/** Everything that a write of the license manager can change, as numbers that each change moves. */
const MEASURES = {
  products: "select count(*) * 1000 + coalesce(sum(revision), 0) as n from license_products",
  versions: "select count(*) * 1000 + coalesce(sum(revision), 0) as n from license_versions",
  licenses: "select count(*) * 1000 + coalesce(sum(revision), 0) as n from licenses",
  activations:
    "select count(*) * 1000 + coalesce(sum(is_active), 0) + total(ip = '192.0.2.77') * 100 as n from license_activations",
  keys: "select count(*) * 1000 + count(revoked_at) as n from license_keys",
  settings: "select count(*) as n from settings",
  trail: "select count(*) as n from audit_entries",
  events: "select count(*) as n from webhook_events",
  deliveries: "select count(*) as n from webhook_deliveries",
}

type State = Record<keyof typeof MEASURES, number>

async function state(): Promise<State> {
  const found = await Promise.all(
    Object.entries(MEASURES).map(async ([name, sql]) => [name, Number((await rows(sql))[0]?.n)]),
  )
  return Object.fromEntries(found)
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
  old: Awaited<ReturnType<typeof legacyClient>>
  oldVendor: Awaited<ReturnType<typeof legacyClient>>
}

/** Makes what a write is about, and answers the write. */
type Make = (clients: Clients) => Promise<() => Promise<Answer>>

let serial = 0
const operator = (command: string, json: object) =>
  call("POST", `/api/operator/v1/${command}`, { json, token: env.OPERATOR_TOKEN })

const ofProduct =
  (write: (clients: Clients, reference: string) => Promise<Answer>): Make =>
  async (clients) => {
    const { referenceId } = await makeProduct()
    return () => write(clients, referenceId)
  }

const ofLicense =
  (write: (clients: Clients, code: string, reference: string) => Promise<Answer>, given = {}): Make =>
  async (clients) => {
    const product = await makeProduct()
    const { code } = await makeLicense(product, given)
    return () => write(clients, code, product.referenceId)
  }

const ofActive =
  (write: (clients: Clients, active: Awaited<ReturnType<typeof makeActive>>, id: number) => Promise<Answer>): Make =>
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
  "change a product": ofProduct(({ internal }, id) => internal("PUT", `/products/${id}`, { json: { name: "B" } })),
  "switch a product off": ofProduct(({ internal }, id) => internal("DELETE", `/activated-products/${id}`)),
  "create a version": ofProduct(({ internal }, id) =>
    internal("POST", `/products/${id}/versions`, { json: { version: "1.0" } }),
  ),
  "change a version": async ({ internal }) => {
    const product = await makeProduct()
    const { versionId } = await makeVersion(product, "1.0")
    return () => internal("POST", `/products/${product.id}/versions/${versionId}`, { json: { summary: "s" } })
  },
  "create a license": ofProduct(({ internal }, product_reference_id) =>
    internal("POST", "/product-licenses", { json: { product_reference_id } }),
  ),
  "change a license": ofLicense(({ internal }, code) =>
    internal("PUT", `/product-licenses/${code}`, { json: { invoice: "#1" } }),
  ),
  "block a license": ofLicense(({ internal }, code) => internal("POST", `/blocked-product-licenses/${code}`)),
  "lift a block": ofLicense(({ internal }, code) => internal("DELETE", `/blocked-product-licenses/${code}`), {
    is_valid: false,
  }),
  "make an activation": ofLicense(({ internal }, code) =>
    internal("POST", `/activated-product-activations/${code}`, { json: { domain: "a.example" } }),
  ),
  "switch an activation off": ofActive(({ internal }, _, id) =>
    internal("DELETE", `/activated-product-activations/${id}`),
  ),
  "switch an activation on": async ({ external, internal }) => {
    await makeActive(external)
    const [row] = await rows("select max(id) as id from license_activations")
    await internal("DELETE", `/activated-product-activations/${row?.id}`)
    return () => internal("POST", `/activated-product-activations/${row?.id}`)
  },
  "sign the first offline file": async ({ internal }) => {
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
  "old add_product":
    async ({ oldVendor }) =>
    () =>
      oldVendor("POST", "/add_product", { json: { product_name: "N" } }),
  "old mark_product_inactive": ofProduct(({ oldVendor }, product_id) =>
    oldVendor("POST", "/mark_product_inactive", { json: { product_id } }),
  ),
  "old create_license": ofProduct(({ oldVendor }, product_id) =>
    oldVendor("POST", "/create_license", { json: { product_id } }),
  ),
  "old edit_license": ofLicense(({ oldVendor }, license_code) =>
    oldVendor("POST", "/edit_license", { json: { license_code, comments: "c" } }),
  ),
  "old block_license": ofLicense(({ oldVendor }, license_code) =>
    oldVendor("POST", "/block_license", { json: { license_code } }),
  ),
  "old delete_license": ofActive(({ oldVendor }, { input }) => oldVendor("POST", "/delete_license", { json: input })),
  "old deactivate_license_activations": ofActive(({ oldVendor }, { input }) =>
    oldVendor("POST", "/deactivate_license_activations", { json: input }),
  ),
  "old activate_license": ofLicense(({ old }, license_code, product_id) =>
    old("POST", "/activate_license", { json: { license_code, product_id } }),
  ),
  "old deactivate_license": ofActive(({ old }, { input }) => old("POST", "/deactivate_license", { json: input })),
  "issue a key": async () => () => operator("license-keys:create", { type: "external", name: `k${serial++}` }),
  "revoke a key": async () => {
    const { body } = await operator("license-keys:create", { type: "external", name: `k${serial++}` })
    return () => operator("license-keys:revoke", { id: body.data.id })
  },
  "save settings": async () => {
    await env.DB.exec("delete from settings where name like 'lm_requests%'")
    return () => operator("license-settings", { lm_requests_rate_limiting_period: 5_000 })
  },
}

describe("under a database that fails, there is all of a write or nothing", () => {
  test.each(Object.entries(WRITES))("%s", async (_, make) => {
    await makeEndpoint({ events: ["license.*"] })
    const clients: Clients = {
      external: await externalClient(),
      internal: await internalClient(),
      old: await legacyClient(),
      oldVendor: await legacyClient("internal"),
    }
    // A key's first use is noted behind the answer, in a batch of its own.
    await clients.external("GET", "/connection-check")
    await clients.internal("GET", "/connection-check")
    await clients.old("POST", "/check_connection_ext")
    await clients.oldVendor("POST", "/check_connection_int")

    const run = async (fault: "before" | "after" | null, at: number) => {
      const write = await make(clients)
      const from = await state()
      let batches = 0
      const spy = failBatches(() => (batches++ === at ? fault : null))
      const { status } = await write()
      spy.mockRestore()
      return { status, batches, made: difference(from, await state()) }
    }

    const whole = await run(null, -1)
    expect(whole.status).toBeLessThan(300)
    expect(whole.made).toMatchObject({ trail: expect.any(Number) })
    expect(Object.keys(whole.made).length).toBeGreaterThan(1)
    const seen = new Set<string>()
    for (let at = 0; at < whole.batches; at++) {
      for (const fault of ["before", "after"] as const) {
        const { status, made } = await run(fault, at)
        expect(status, `${fault} ${at}`).toBe(500)
        const isNothing = Object.keys(made).length === 0
        if (!isNothing) expect(made).toEqual(whole.made)
        seen.add(isNothing ? "nothing" : "all")
      }
    }
    expect([...seen].sort()).toEqual(["all", "nothing"])
  })
})
