// Checks that the client has an operation for every route and sends valid input.
import { describe, expect, test } from "vitest"
import { Tenancy, type TenancyOptions } from "../../src/client/index"
import type { Operation } from "../../src/client/types"
import { routeTable } from "../../src/core/http/route"
import { platform } from "../../src/platform/app"

type Fetch = NonNullable<TenancyOptions["fetch"]>

/** A call of every operation. */
const CALLS: Record<Operation, (tenancy: Tenancy) => Promise<unknown>> = {
  "platform.get": (tenancy) => tenancy.platform.get(),
  "me.get": (tenancy) => tenancy.me.get(),
  "plans.list": (tenancy) => tenancy.plans.list({ include_inactive: true }).all(),
  "plans.get": (tenancy) => tenancy.plans.get("a"),
  "plans.create": (tenancy) =>
    tenancy.plans.create({ slug: "a", name: "A", price_cents: 0, currency: "EUR", interval: "month" }),
  "plans.update": (tenancy) => tenancy.plans.update("a", { is_active: false, limits: { products: 5 } }),
  "coupons.list": (tenancy) => tenancy.coupons.list({ updated_since: "2026-09-02T10:15:00Z" }).page(),
  "coupons.create": (tenancy) => tenancy.coupons.create({ code: "SPRING", trial_days: 30 }),
  "coupons.get": (tenancy) => tenancy.coupons.get("SPRING"),
  "coupons.update": (tenancy) => tenancy.coupons.update("SPRING", { max_redemptions: null }),
  "keys.list": (tenancy) => tenancy.keys.list().page(),
  "keys.create": (tenancy) => tenancy.keys.create({ name: "A", scopes: ["stores:read"], store_ids: ["a"] }),
  "keys.get": (tenancy) => tenancy.keys.get(1),
  "keys.revoke": (tenancy) => tenancy.keys.revoke(1),
  "stores.list": (tenancy) => tenancy.stores.list({ status: "ready", q: "a b" }).page(2),
  "stores.create": (tenancy) =>
    tenancy.stores.create({ subdomain: "a", name: "A", owner_email: "a@example.com", password: "correct-horse" }),
  "stores.get": (tenancy) => tenancy.stores.get("a"),
  "stores.update": (tenancy) => tenancy.stores.update("a", { name: "B" }),
  "stores.delete": (tenancy) => tenancy.stores.delete("a", { confirm: "a" }),
  "stores.suspend": (tenancy) => tenancy.stores.suspend("a", { notify: true }),
  "stores.resume": (tenancy) => tenancy.stores.resume("a"),
  "stores.cancel": (tenancy) => tenancy.stores.cancel("a"),
  "stores.setTheme": (tenancy) => tenancy.stores.setTheme("a", { theme: "bazaar" }),
  "subscriptions.get": (tenancy) => tenancy.subscriptions.get("a"),
  "subscriptions.assign": (tenancy) => tenancy.subscriptions.assign("a", { plan: "p" }),
  "subscriptions.changePlan": (tenancy) => tenancy.subscriptions.changePlan("a", { plan: "p" }),
  "subscriptions.extend": (tenancy) => tenancy.subscriptions.extend("a", { days: 1 }),
  "subscriptions.reactivate": (tenancy) => tenancy.subscriptions.reactivate("a"),
  "subscriptions.cancel": (tenancy) => tenancy.subscriptions.cancel("a", { at_period_end: true }),
  "usage.get": (tenancy) => tenancy.usage.get("a", { refresh: true }),
  "audit.list": (tenancy) => tenancy.audit.list("a").page(),
  "domains.list": (tenancy) => tenancy.domains.list("a").all(),
  "domains.create": (tenancy) => tenancy.domains.create("a", { domain: "a.example" }),
  "domains.verify": (tenancy) => tenancy.domains.verify("a", "a.example"),
  "domains.makePrimary": (tenancy) => tenancy.domains.makePrimary("a", 1),
  "domains.delete": (tenancy) => tenancy.domains.delete("a", "a.example"),
  "apps.list": (tenancy) => tenancy.apps.list("a").all(),
  "apps.enable": (tenancy) => tenancy.apps.enable("a", "reviews"),
  "apps.disable": (tenancy) => tenancy.apps.disable("a", "reviews"),
  "webhooks.list": (tenancy) => tenancy.webhooks.list().page(),
  "webhooks.create": (tenancy) => tenancy.webhooks.create({ url: "https://a.example/", events: ["*"] }),
  "webhooks.get": (tenancy) => tenancy.webhooks.get(1),
  "webhooks.update": (tenancy) => tenancy.webhooks.update(1, { is_active: true }),
  "webhooks.delete": (tenancy) => tenancy.webhooks.delete(1),
  "webhooks.rotateSecret": (tenancy) => tenancy.webhooks.rotateSecret(1, { grace_seconds: 60 }),
  "webhooks.test": (tenancy) => tenancy.webhooks.test(1, { event: "store.ready" }),
  "webhooks.recover": (tenancy) =>
    tenancy.webhooks.recover(1, { since: "2026-09-02T10:15:00+00:00", mode: "all", events: ["store.*"] }),
  "webhooks.stats": (tenancy) => tenancy.webhooks.stats(1, { hours: 2 }),
  "deliveries.get": (tenancy) => tenancy.deliveries.get(1, { include: "payload" }),
  "deliveries.attempts": (tenancy) => tenancy.deliveries.attempts(1).all(),
  "deliveries.list": (tenancy) => tenancy.deliveries.list(1, { status: "failed", include: "payload" }).page(),
  "events.list": (tenancy) => tenancy.events.list({ after: "now", types: ["store.*", "app.enabled"], wait: 5 }),
  "events.get": (tenancy) => tenancy.events.get("01K4YQZ0M8T3V6N9R2B5C7D1EF"),
  "deliveries.retry": (tenancy) => tenancy.deliveries.retry(1),
}

const OPERATIONS = Object.keys(CALLS) as Operation[]

/** Captures the request of an operation. */
async function captureRequest(name: Operation): Promise<Request> {
  const sent: Request[] = []
  const fetch: Fetch = async (input, init) => {
    sent.push(new Request(input as string, init as RequestInit))
    return Response.json({ data: [], meta: {} })
  }
  await CALLS[name](new Tenancy({ baseUrl: "https://shops.example.com", key: "tnk_test", fetch }))
  if (!sent[0]) throw new Error(`${name} sent nothing`)
  return sent[0]
}

/** Finds the route of a request. */
const findRoute = ({ method, url }: Request) => {
  const { pathname } = new URL(url)
  const matching = routeTable(platform).filter(
    (route) => route.method === method && new RegExp(`^${route.path.replaceAll(/:[a-z]+/g, "[^/]+")}$`).test(pathname),
  )
  // A fixed segment goes before a variable one.
  return matching.sort((a, b) => a.path.split(":").length - b.path.split(":").length)[0]
}

describe("the client's operations", () => {
  test("the client has an operation for every route of the control plane, with the route's name", async () => {
    const matchedRoutes = await Promise.all(
      OPERATIONS.map(async (name) => [name, findRoute(await captureRequest(name))?.id]),
    )
    expect(matchedRoutes).toEqual(OPERATIONS.map((name) => [name, name]))
    expect(OPERATIONS.toSorted()).toEqual(
      routeTable(platform)
        .map(({ id }) => id)
        .toSorted(),
    )
  })

  test.each(OPERATIONS)("%s sends input that its route accepts", async (name) => {
    const request = await captureRequest(name)
    const input = findRoute(request)?.input ?? {}
    const query = Object.fromEntries(new URL(request.url).searchParams)
    if (input.query) expect(input.query.safeParse(query).error).toBeUndefined()
    else expect(query).toEqual({})
    if (input.json) expect(input.json.safeParse(await request.json()).error).toBeUndefined()
  })

  test("rejects an empty, . or .. path segment before sending a request", async () => {
    const tenancy = new Tenancy({ baseUrl: "https://shops.example.com", key: "tnk_test" })
    for (const id of ["", ".", ".."]) expect(() => tenancy.stores.get(id)).toThrow(TypeError)
  })

  test("encodes path segments", async () => {
    const urls: string[] = []
    const fetch: Fetch = async (input) => {
      urls.push(String(input))
      return Response.json({ data: {} })
    }
    await new Tenancy({ baseUrl: "https://shops.example.com/", key: "tnk_test", fetch }).stores.get("a/b?c#d é")
    expect(urls).toEqual(["https://shops.example.com/api/platform/v1/stores/a%2Fb%3Fc%23d%20%C3%A9"])
  })
})
