// Every write of the control plane, with what makes it possible: for tests that go over all of them.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { platform } from "./app"
import { makeEndpoint, makeKey, makePlan, makeReadyStore } from "./factories"
import { rows } from "./rows"
import { makeDelivery } from "./webhook-factories"

export interface Write {
  verb: string
  path: string
  json?: unknown
}

const act = (verb: string, path: string, json?: unknown): Write => ({ verb, path, json })

export async function subscribed(status = "active"): Promise<string> {
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

/** Every write route: what makes it possible, and the request. A route that is missing here fails a test. */
export const WRITES: Record<string, () => Promise<Write>> = {
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
