// What requests cost, until their response and in the background.
import { beforeEach, expect, test, vi } from "vitest"
import { platform, sendOperatorCommand, type TestResponse } from "../support/app"
import { runOperatorCommand } from "../support/blog-factories"
import { stripe } from "../support/card-providers/stripe"
import { content, hostOfStore, makeDevice, makeSettings, makeUser, PASSWORD } from "../support/content-factories"
import { makeEndpoint, makeKey, makePlan, makeReadyStore } from "../support/factories"
import { externalClient, internalClient, makeActive, makeProduct } from "../support/license-factories"
import { makeSubscribedStore } from "../support/platform-writes"
import { mockReceiver } from "../support/receiver"
import { cloneNewestRow } from "./clone"
import { measure, START } from "./measure"
import { expectCost, expectRows } from "./table"

/** Creates the preconditions of a request, and returns a function that sends it. */
type Prepare = () => Promise<() => Promise<TestResponse>>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START })
})

/** Prepares a request of the control plane. */
const control =
  (method: string, prepare: () => Promise<[path: string, json?: unknown]>, headers?: Record<string, string>): Prepare =>
  async () => {
    const token = await makeKey()
    const [path, json] = await prepare()
    return () => platform(method, path, { token, json, headers })
  }

/** Prepares a change of a store's name. */
const patch = (endpoints: number, options: { events?: string[]; key?: string } = {}): Prepare =>
  control(
    "PATCH",
    async () => {
      const store = await makeReadyStore()
      await makeEndpoints(endpoints, options.events)
      return [`/stores/${store}`, { name: "Renamed" }]
    },
    options.key === undefined ? undefined : { "Idempotency-Key": options.key },
  )

/** Creates endpoints, by default those that receive every event. */
async function makeEndpoints(count: number, events = ["*"]): Promise<void> {
  if (count === 0) return
  await makeEndpoint({ events })
  await cloneNewestRow("webhook_endpoints", count - 1, { id: "id + n" })
}

const OTHER_EVENTS = { events: ["license.*"] }
const KEY = { key: "costs" }

/** Prepares an action on a store, by default a ready one without a subscription. */
const storeAction = (
  action: string,
  json?: () => Promise<unknown>,
  makeStore: () => Promise<string> = makeReadyStore,
) => control("POST", async () => [`/stores/${await makeStore()}${action}`, await json?.()])

const suspendedStore = async () => {
  const store = await makeReadyStore()
  await platform("POST", `/stores/${store}/suspend`, { token: await makeKey() })
  return store
}

const endpointChange = (method: string, action: string, json?: unknown) =>
  control(method, async () => [`/webhooks/${(await makeEndpoint()).id}${action}`, json])

/** Prepares a request of licensed software with an activated license. */
const licensed =
  (path: string, input: "proof" | "input", headers?: Record<string, string>): Prepare =>
  async () => {
    const external = await externalClient()
    const active = await makeActive(external)
    // Another installation, so that no counter begins with the measured request.
    await external("POST", "/license/activate", {
      json: active.input,
      headers: { "X-API-URL": "https://first.example" },
    })
    return () => external("POST", path, { json: active[input], headers })
  }

/** Prepares an operator command for a store's site. */
const siteCommand =
  (command: string, prepare: (site: string) => Promise<object>): Prepare =>
  async () => {
    const site = await makeReadyStore()
    const input = await prepare(site)
    return () => sendOperatorCommand(command, { site, ...input })
  }

const post = { name: "A post", slug: "a-post", content: "Text", status: "published" }

const KINDS: Record<string, Prepare> = {
  "PATCH of a store, 0 endpoints": patch(0),
  "PATCH of a store, 1 endpoint that listens": patch(1),
  "PATCH of a store, 3 endpoints that listen": patch(3),
  "PATCH of a store, 300 endpoints that listen": patch(300),
  "PATCH of a store, 300 endpoints that do not listen": patch(300, OTHER_EVENTS),
  "PATCH with Idempotency-Key, 0 endpoints": patch(0, KEY),
  "PATCH with Idempotency-Key, 1 endpoint that listens": patch(1, KEY),
  "PATCH with Idempotency-Key, 3 endpoints that listen": patch(3, KEY),
  "PATCH with Idempotency-Key, 300 endpoints that listen": patch(300, KEY),
  "PATCH with Idempotency-Key, 300 endpoints that do not listen": patch(300, { ...KEY, ...OTHER_EVENTS }),
  "PATCH with an API key that was not used for a minute": async () => {
    const store = await makeReadyStore()
    const token = await makeKey({ unused: true })
    return () => platform("PATCH", `/stores/${store}`, { token, json: { name: "Renamed" } })
  },
  "store: create and provision": control("POST", async () => [
    "/stores",
    { subdomain: "acme", name: "Acme", owner_email: "owner@example.com", password: "correct-horse" },
  ]),
  "store: create and provision with a plan": control("POST", async () => [
    "/stores",
    {
      subdomain: "acme",
      name: "Acme",
      owner_email: "owner@example.com",
      password: "correct-horse",
      plan: (await makePlan()).slug,
    },
  ]),
  "store: suspend": storeAction("/suspend"),
  "store: resume": storeAction("/resume", undefined, suspendedStore),
  "store: set theme": storeAction("/theme", async () => ({ theme: "nocturne" })),
  "store: enable an app": storeAction("/apps/contact/enable"),
  "store: add a domain": storeAction("/domains", async () => ({ domain: "shop.example.org" })),
  "store: delete and purge": control("DELETE", async () => {
    const store = await makeReadyStore()
    return [`/stores/${store}`, { confirm: store }]
  }),
  "subscription: assign": storeAction("/subscription/assign", async () => ({ plan: (await makePlan()).slug })),
  "subscription: change plan": storeAction(
    "/subscription/change-plan",
    async () => ({ plan: (await makePlan()).slug }),
    makeSubscribedStore,
  ),
  "subscription: extend": storeAction("/subscription/extend", async () => ({ days: 3 }), makeSubscribedStore),
  "subscription: cancel": storeAction("/subscription/cancel", undefined, makeSubscribedStore),
  "subscription: completed card checkout": async () => {
    const { slug } = await makePlan({ stripe_price_id: "price_a" })
    const store = await makeReadyStore()
    const message = stripe.checkoutMessage(store, slug, START.getTime() / 1000)
    return () => stripe.deliver(message)
  },
  "subscription: paid invoice": async () => {
    const { slug } = await makePlan({ stripe_price_id: "price_a" })
    const store = await makeReadyStore()
    await stripe.deliver(stripe.checkoutMessage(store, slug, START.getTime() / 1000))
    const message = stripe.invoiceMessage("paid", START.getTime() / 1000 + 1)
    return () => stripe.deliver(message)
  },
  "endpoint: create": control("POST", async () => ["/webhooks", { url: "https://new.example/hook", events: ["*"] }]),
  "endpoint: PATCH": endpointChange("PATCH", "", { description: "changed" }),
  "endpoint: rotate the secret": endpointChange("POST", "/rotate-secret"),
  "endpoint: delete and purge": endpointChange("DELETE", ""),
  "license: create": async () => {
    const internal = await internalClient()
    const { referenceId } = await makeProduct()
    await internal("POST", "/product-licenses", { json: { product_reference_id: referenceId, license_code: "FIRST" } })
    return () =>
      internal("POST", "/product-licenses", { json: { product_reference_id: referenceId, license_code: "SECOND" } })
  },
  "license: activate a new installation": licensed("/license/activate", "input", {
    "X-API-URL": "https://new.example",
  }),
  "license: activate a known installation": licensed("/license/activate", "input"),
  "license: deactivate": licensed("/license/deactivate", "proof"),
  "license: verify": licensed("/license/verify", "proof"),
  "license: check": licensed("/license/check", "input"),
  "content: create a post": siteCommand("posts:save", async (site) => {
    await runOperatorCommand("posts:save", { site, ...post, slug: "first" })
    return post
  }),
  "content: update a post": siteCommand("posts:save", async (site) => {
    await runOperatorCommand("posts:save", { site, ...post })
    return { ...post, name: "Renamed", content: "Other text" }
  }),
  "content: customer sign-up": async () => {
    const store = await makeReadyStore()
    await makeSettings(store)
    const json = { name: "Ada", email: "ada@example.com", password: PASSWORD, password_confirmation: PASSWORD }
    return () => content("POST", "/register", { host: hostOfStore(store), json })
  },
  "content: customer log-in": async () => {
    const store = await makeReadyStore()
    await makeSettings(store)
    const { email } = await makeUser(store)
    return () => content("POST", "/login", { host: hostOfStore(store), json: { email, password: PASSWORD } })
  },
  "content: notification to 10 users": siteCommand("api:send-notification", async (site) => {
    for (let count = 0; count < 10; count++) await makeDevice(await makeUser(site))
    return { title: "Sale", message: "Today" }
  }),
}

test.for(Object.entries(KINDS))("%s costs what the table lists", async ([name, prepare], context) => {
  mockReceiver()
  const send = await prepare()
  const responses: TestResponse[] = []
  const cost = await measure(async () => responses.push(await send()))
  expect(responses[0]?.status, responses[0]?.text).toBeLessThan(300)
  expectCost(context, "requests", name, Object.keys(KINDS).indexOf(name), cost)
})

test("the table lists these requests", () => expectRows("requests", Object.keys(KINDS)))
