// Lists every write of the control plane with its preconditions, for tests that cover all of them.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { platform } from "./app"
import { makeEndpoint, makeKey, makePlan, makeReadyStore } from "./factories"
import { rows } from "./rows"
import { makeDelivery } from "./webhook-factories"

export interface Write {
  method: string
  path: string
  json?: unknown
}

const write = (method: string, path: string, json?: unknown): Write => ({ method, path, json })

export async function makeSubscribedStore(status = "active"): Promise<string> {
  const { slug } = await makePlan()
  const id = await makeReadyStore()
  const token = await makeKey()
  await platform("POST", `/stores/${id}/subscription/assign`, { token, json: { plan: slug } })
  if (status === "cancelled") await platform("POST", `/stores/${id}/subscription/cancel`, { token })
  return id
}

async function makeDomain(isVerified: boolean): Promise<[store: string, domain: number]> {
  const id = await makeReadyStore()
  const token = await makeKey()
  const { body } = await platform("POST", `/stores/${id}/domains`, { token, json: { domain: `${id}.example.org` } })
  if (isVerified) await env.DB.prepare("update domains set verified_at = 1 where id = ?").bind(body.data.id).run()
  return [id, body.data.id]
}

/** The preparation and request of every write route. A missing route fails a test. */
export const WRITES: Record<string, () => Promise<Write>> = {
  "stores.create": async () =>
    write("POST", "/stores", {
      subdomain: "brandnew",
      name: "New",
      owner_email: "o@example.com",
      password: "correct-horse",
    }),
  "stores.update": async () => write("PATCH", `/stores/${await makeReadyStore()}`, { name: "Renamed" }),
  "stores.delete": async () => {
    const id = await makeReadyStore()
    return write("DELETE", `/stores/${id}`, { confirm: id })
  },
  "stores.suspend": async () => write("POST", `/stores/${await makeReadyStore()}/suspend`),
  "stores.resume": async () => {
    const id = await makeReadyStore()
    await platform("POST", `/stores/${id}/suspend`, { token: await makeKey() })
    return write("POST", `/stores/${id}/resume`)
  },
  "stores.cancel": async () => write("POST", `/stores/${await makeSubscribedStore()}/cancel`),
  "stores.setTheme": async () => write("POST", `/stores/${await makeReadyStore()}/theme`, { theme: "nocturne" }),
  "subscriptions.assign": async () =>
    write("POST", `/stores/${await makeReadyStore()}/subscription/assign`, { plan: (await makePlan()).slug }),
  "subscriptions.changePlan": async () =>
    write("POST", `/stores/${await makeSubscribedStore()}/subscription/change-plan`, { plan: (await makePlan()).slug }),
  "subscriptions.extend": async () =>
    write("POST", `/stores/${await makeSubscribedStore()}/subscription/extend`, { days: 3 }),
  "subscriptions.reactivate": async () =>
    write("POST", `/stores/${await makeSubscribedStore("cancelled")}/subscription/reactivate`),
  "subscriptions.cancel": async () => write("POST", `/stores/${await makeSubscribedStore()}/subscription/cancel`),
  "domains.create": async () =>
    write("POST", `/stores/${await makeReadyStore()}/domains`, { domain: "shop.example.org" }),
  "domains.verify": async () => {
    const [store, domain] = await makeDomain(false)
    const [row] = await rows("select verification_token as token from domains where id = ?", domain)
    const dnsResponse = { Status: 0, Answer: [{ type: 16, data: `"${row?.token}"` }] }
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json(dnsResponse))
    return write("POST", `/stores/${store}/domains/${domain}/verify`)
  },
  "domains.makePrimary": async () => {
    const [store, domain] = await makeDomain(true)
    return write("POST", `/stores/${store}/domains/${domain}/primary`)
  },
  "domains.delete": async () => {
    const [store, domain] = await makeDomain(true)
    return write("DELETE", `/stores/${store}/domains/${domain}`)
  },
  "apps.enable": async () => write("POST", `/stores/${await makeReadyStore()}/apps/contact/enable`),
  "apps.disable": async () => {
    const id = await makeReadyStore()
    await platform("POST", `/stores/${id}/apps/contact/enable`, { token: await makeKey() })
    return write("POST", `/stores/${id}/apps/contact/disable`)
  },
  "keys.create": async () => write("POST", "/keys", { name: "Created", scopes: ["stores:read"] }),
  "keys.revoke": async () => {
    await makeKey({ name: "revoked later" })
    const [key] = await rows("select max(id) as id from api_keys")
    return write("DELETE", `/keys/${key?.id}`)
  },
  "plans.create": async () =>
    write("POST", "/plans", { slug: "brandnew", name: "New", price_cents: 900, currency: "EUR", interval: "month" }),
  "plans.update": async () => write("PATCH", `/plans/${(await makePlan()).slug}`, { name: "Renamed" }),
  "coupons.create": async () => write("POST", "/coupons", { code: "BRANDNEW", trial_days: 30 }),
  "coupons.update": async () => {
    await platform("POST", "/coupons", { token: await makeKey(), json: { code: "SPRING", trial_days: 30 } })
    return write("PATCH", "/coupons/SPRING", { trial_days: 60 })
  },
  "deliveries.retry": async () => {
    const { id } = await makeEndpoint()
    const delivery = await makeDelivery(id, { status: "exhausted", attempt: 6, nextAttemptAt: null })
    return write("POST", `/webhooks/deliveries/${delivery.id}/retry`)
  },
  "webhooks.create": async () => write("POST", "/webhooks", { url: "https://new.example/hook", events: ["*"] }),
  "webhooks.update": async () => write("PATCH", `/webhooks/${(await makeEndpoint()).id}`, { description: "changed" }),
  "webhooks.delete": async () => write("DELETE", `/webhooks/${(await makeEndpoint()).id}`),
  "webhooks.rotateSecret": async () => write("POST", `/webhooks/${(await makeEndpoint()).id}/rotate-secret`),
  "webhooks.test": async () => write("POST", `/webhooks/${(await makeEndpoint()).id}/test`),
  "webhooks.recover": async () => {
    const { id } = await makeEndpoint()
    await makeDelivery(id, { status: "exhausted", attempt: 6, nextAttemptAt: null })
    return write("POST", `/webhooks/${id}/recover`, { since: new Date(0).toISOString(), mode: "failed" })
  },
}
