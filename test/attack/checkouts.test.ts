// OWASP API6, unrestricted access to sensitive business flows: a card checkout pays only for the store that started it,
// and only once.
import { beforeEach, describe, expect, test, vi } from "vitest"
import { addMs, DAY, HOUR, MINUTE } from "../../src/lib/time"
import { purgeStore } from "../../src/platform/stores/remove"
import { call, platform, run, sendOperatorCommand } from "../support/app"
import { collectSentMails } from "../support/billing-factories"
import { costsOf } from "../support/costs"
import { measureCriticalPath } from "../support/critical-path"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import {
  CARD_SETTINGS,
  checkoutMessage,
  deliverMessage,
  invoiceMessage,
  mockProvider,
  type ProviderMessage,
  providerMessage,
  subscriptionMessage,
} from "../support/provider-factories"
import { rows } from "../support/rows"
import { setSubscription } from "../support/subscription-factories"

const T = Math.floor(Date.now() / 1000)

let token: string
beforeEach(async () => {
  token = await makeKey()
  await makePlan({ slug: "a", name: "A", stripe_price: "price_a" })
  await makePlan({ slug: "b", name: "B", stripe_price: "price_b", price_cents: 4900 })
})

const readStore = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data
const getStoreSeq = async (id: string) => Number((await rows("select seq from stores where id = ?", id))[0]?.seq)
const listCancellations = async () =>
  (await rows("select subscription from provider_cancellations order by subscription")).map((row) => row.subscription)

async function send(...messages: ProviderMessage[]): Promise<void> {
  for (const message of messages) expect((await deliverMessage(message)).status).toBe(200)
}

async function signIn(store: string): Promise<string> {
  const json = { email: "owner@example.com", password: "correct-horse" }
  return (await call("POST", "/api/v1/login", { host: `${store}.localhost`, json })).body.data.token
}

/** Signs in as the owner of a store and returns a function that starts checkouts. */
async function createBuyer(store: string) {
  const owner = await signIn(store)
  return (plan: string, host = `${store}.localhost`) =>
    call("POST", "/api/v1/billing/checkout", { host, token: owner, json: { plan }, env: CARD_SETTINGS })
}

async function deleteStore(id: string): Promise<void> {
  expect((await platform("DELETE", `/stores/${id}`, { token, json: { confirm: id } })).status).toBe(204)
  await run((ctx) => purgeStore(ctx, id))
}

describe("a checkout is bound to the store's incarnation", () => {
  test("carries the incarnation to the session and to its subscription", async () => {
    const provider = mockProvider()
    const id = await makeReadyStore()
    expect((await (await createBuyer(id))("a")).body.data.url).toBe("https://pay.example/cs_1")
    const seq = String(await getStoreSeq(id))
    expect(Object.fromEntries(provider.forms[0] ?? [])).toMatchObject({
      client_reference_id: id,
      "metadata[plan]": "a",
      "metadata[store_seq]": seq,
      "subscription_data[metadata][store_seq]": seq,
    })
  })

  test("cancels the subscription of a deleted store's checkout and does not apply it to a later store of that name", async () => {
    const provider = mockProvider()
    const id = await makeReadyStore({ subdomain: "acme" })
    await (await createBuyer(id))("a")
    await deleteStore(id)
    expect(await rows("select * from card_checkouts")).toEqual([])
    await makeReadyStore({ subdomain: "acme" })
    await send(provider.pay("cs_1", "sub_1"), subscriptionMessage("created", T), invoiceMessage("paid", T + 1))
    expect(await readStore(id)).toMatchObject({ billing_provider: "none", subscription: null })
    expect(await listCancellations()).toEqual(["sub_1"])
    expect(await rows("select * from payments")).toEqual([])
  })

  test("reports a payment for a deleted store to every operator once, because it may have to be refunded", async () => {
    await sendOperatorCommand("operators:create", {
      name: "Op",
      email: "op@example.com",
      password: "correct-horse-battery",
    })
    const provider = mockProvider()
    const id = await makeReadyStore({ subdomain: "acme" })
    await (await createBuyer(id))("a")
    await deleteStore(id)
    const paid = provider.pay("cs_1", "sub_1")
    await send(paid, paid, subscriptionMessage("created", T))
    const mails = (await collectSentMails()).filter(({ to }) => to === "op@example.com")
    expect(mails).toHaveLength(1)
    expect(mails[0]?.subject).toContain("the deleted store acme")
    expect(JSON.stringify(mails)).not.toMatch(/sub_1|cus_1/)
  })

  test("detects a deleted store when the checkout message arrives last and when no store has the name", async () => {
    const provider = mockProvider()
    const id = await makeReadyStore({ subdomain: "acme" })
    await (await createBuyer(id))("a")
    await deleteStore(id)
    await send(subscriptionMessage("created", T), invoiceMessage("paid", T + 1), provider.pay("cs_1", "sub_1"))
    expect(await listCancellations()).toEqual(["sub_1"])
    await send(checkoutMessage("never", "a", T, "sub_x"), withSeq(checkoutMessage("never", "a", T, "sub_y"), 7))
    expect(await listCancellations()).toEqual(["sub_1"])
  })

  const withSeq = (message: ProviderMessage, seq: unknown): ProviderMessage => {
    const { metadata, ...object } = message.data.object
    return { ...message, data: { object: { ...object, metadata: { ...(metadata as object), store_seq: seq } } } }
  }
  const startedAt = (message: ProviderMessage, created: number): ProviderMessage => ({
    ...message,
    data: { object: { ...message.data.object, created } },
  })

  test("starts no checkout for a later store when the store is replaced while the provider responds", async () => {
    const provider = mockProvider()
    const id = await makeReadyStore({ subdomain: "acme" })
    const buy = await createBuyer(id)
    const respond = provider.fetch.getMockImplementation()
    provider.fetch.mockImplementationOnce(async (url, init) => {
      const response = await (respond?.(url, init) as Promise<Response>)
      await deleteStore(id)
      await makeReadyStore({ subdomain: "acme" })
      return response
    })
    // The token belongs to the earlier store too.
    expect((await buy("a")).status).toBe(401)
    expect(provider.open()).toEqual([])
    expect(provider.forms).toHaveLength(1)
  })

  test("applies a checkout only with the seq of its own incarnation", async () => {
    const id = await makeReadyStore()
    const seq = await getStoreSeq(id)
    for (const [index, bad] of [String(seq + 1), seq - 1, `${seq}.0`, "", "x"].entries()) {
      await send(withSeq(checkoutMessage(id, "a", T, `sub_bad_${index}`), bad))
    }
    expect((await readStore(id)).subscription).toBeNull()
    expect(await listCancellations()).toHaveLength(5)
    await send(withSeq(checkoutMessage(id, "a", T), String(seq)))
    expect((await readStore(id)).billing_provider).toBe("stripe")
  })

  test("applies a checkout without a seq, as other tools send it, only to a store older than the session", async () => {
    const id = await makeReadyStore({ subdomain: "acme" })
    await deleteStore(id)
    const created = Math.floor(Date.now() / 1000)
    await makeReadyStore({ subdomain: "acme" })
    // The session is older than the store; the payment is newer.
    await send(startedAt(checkoutMessage(id, "a", T + 60, "sub_old"), created - 60))
    await send(checkoutMessage(id, "a", created - 60, "sub_older"))
    expect([await listCancellations(), (await readStore(id)).subscription]).toEqual([["sub_old", "sub_older"], null])
    await send(startedAt(checkoutMessage(id, "a", T + 60, "sub_new"), Math.floor(Date.now() / 1000)))
    expect((await readStore(id)).billing_provider).toBe("stripe")
    expect(await listCancellations()).toEqual(["sub_old", "sub_older"])
  })

  test("applies a checkout without a seq to the first store of its name, regardless of the sender's clock", async () => {
    const id = await makeReadyStore()
    await send(checkoutMessage(id, "a", T - 1000))
    expect((await readStore(id)).billing_provider).toBe("stripe")
  })

  test("a later store of a reused name has neither the customer nor the portal of the deleted one", async () => {
    const provider = mockProvider()
    const id = await makeReadyStore({ subdomain: "acme" })
    await (await createBuyer(id))("a")
    await send(provider.pay("cs_1", "sub_1"))
    const owner = await signIn(id)
    const portal = (bearer: string) =>
      call("POST", "/api/v1/billing/portal", { host: `${id}.localhost`, token: bearer, env: CARD_SETTINGS })
    expect((await portal(owner)).status).toBe(200)
    await deleteStore(id)
    await makeReadyStore({ subdomain: "acme" })
    expect((await portal(owner)).status).toBe(401)
    expect((await portal(await signIn(id))).status).toBe(409)
    await (await createBuyer(id))("a")
    expect([provider.forms.at(-1)?.get("customer"), provider.forms.at(-1)?.get("customer_email")]).toEqual([
      null,
      "owner@example.com",
    ])
  })
})

describe("a store has one open checkout", () => {
  test("returns the same session for a second request for the same plan", async () => {
    const provider = mockProvider()
    const buy = await createBuyer(await makeReadyStore())
    const [first, second] = [await buy("a"), await buy("a")]
    expect([second.status, second.body.data.url]).toEqual([200, first.body.data.url])
    expect(provider.forms).toHaveLength(1)
  })

  test("expires the previous session when another plan or other terms are requested", async () => {
    const provider = mockProvider()
    const id = await makeReadyStore({ plan: "a" })
    const buy = await createBuyer(id)
    await setSubscription(id, { status: "trialing", trialEndsAt: addMs(new Date(), 10 * DAY) })
    await buy("a")
    await buy("b")
    expect([provider.sessions.get("cs_1")?.status, provider.open()]).toEqual(["expired", ["cs_2"]])
    await setSubscription(id, { trialEndsAt: addMs(new Date(), 20 * DAY) })
    expect((await buy("b")).body.data.url).toBe("https://pay.example/cs_3")
    expect(provider.open()).toEqual(["cs_3"])
    expect(await rows("select session from card_checkouts")).toEqual([{ session: "cs_3" }])
  })

  test("reuses a session for 23 hours and then replaces it", async () => {
    const provider = mockProvider()
    const id = await makeReadyStore()
    const buy = await createBuyer(id)
    await buy("a")
    const age = async (ms: number) => {
      const { env } = await import("cloudflare:workers")
      await env.DB.prepare("update card_checkouts set created_at = ?")
        .bind(Date.now() - ms)
        .run()
    }
    await age(23 * HOUR - MINUTE)
    expect((await buy("a")).body.data.url).toBe("https://pay.example/cs_1")
    await age(23 * HOUR + MINUTE)
    // The store changed, so the request has a new idempotency key.
    expect((await buy("a")).body.data.url).toBe("https://pay.example/cs_2")
    expect(provider.open()).toEqual(["cs_2"])
  })

  test("requests at once get the same session; of two plans at once, one session stays open", async () => {
    const provider = mockProvider()
    const buy = await createBuyer(await makeReadyStore())
    const same = await Promise.all(Array.from({ length: 5 }, () => buy("a")))
    expect(new Set(same.map(({ body }) => body.data?.url)).size).toBe(1)
    expect(provider.open()).toHaveLength(1)
    const mixed = await Promise.all(Array.from({ length: 6 }, (_, index) => buy(index % 2 ? "a" : "b")))
    expect(mixed.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(provider.open()).toHaveLength(1)
    expect(await rows("select session from card_checkouts")).toEqual(provider.open().map((session) => ({ session })))
  })

  test("retries when the provider is still processing a concurrent request with the same idempotency key", async () => {
    const provider = mockProvider()
    vi.spyOn(scheduler, "wait").mockResolvedValue(undefined)
    const buy = await createBuyer(await makeReadyStore())
    provider.fetch.mockResolvedValueOnce(Response.json({ error: { code: "idempotency_key_in_use" } }, { status: 409 }))
    expect((await buy("a")).body.data.url).toBe("https://pay.example/cs_1")
  })

  test("returns stripe_managed for a store billed by card or with a paid session, and leaves no session open", async () => {
    const provider = mockProvider()
    const id = await makeReadyStore()
    const buy = await createBuyer(id)
    await buy("a")
    // The payment's message has not arrived; the next request applies it.
    const message = provider.pay("cs_1", "sub_1")
    expect((await buy("b")).status).toBe(409)
    expect(await readStore(id)).toMatchObject({ billing_provider: "stripe", subscription: { plan: { slug: "a" } } })
    expect(await rows("select * from card_checkouts")).toEqual([])
    await send(message)
    expect((await buy("b")).status).toBe(409)
    expect([provider.open(), await listCancellations(), provider.forms.length]).toEqual([[], [], 1])
  })

  test("opens no second session when the first was paid between two requests", async () => {
    const provider = mockProvider()
    const id = await makeReadyStore()
    const buy = await createBuyer(id)
    await buy("a")
    await send(provider.pay("cs_1", "sub_1"))
    expect(await rows("select * from card_checkouts")).toEqual([])
    expect((await buy("a")).status).toBe(409)
  })

  test("leaves no open session when the store becomes billed while a session is created", async () => {
    const provider = mockProvider()
    const id = await makeReadyStore()
    const buy = await createBuyer(id)
    const create = provider.fetch.getMockImplementation()
    provider.fetch.mockImplementationOnce(async (...args) => {
      const response = await create?.(...args)
      await send(checkoutMessage(id, "a", T))
      return response as Response
    })
    expect((await buy("a")).status).toBe(409)
    expect(provider.open()).toEqual([])
  })

  test("checkout.session.expired removes the session, also twice, and the next request creates a new one", async () => {
    const provider = mockProvider()
    const buy = await createBuyer(await makeReadyStore())
    await buy("a")
    Object.assign(provider.sessions.get("cs_1") ?? {}, { status: "expired", url: null })
    const expired = providerMessage("checkout.session.expired", T, { id: "cs_1", object: "checkout.session" })
    await send(expired, expired, providerMessage("checkout.session.expired", T, { id: "cs_other" }))
    expect(await rows("select * from card_checkouts")).toEqual([])
    expect((await buy("b")).body.data.url).toBe("https://pay.example/cs_2")
  })

  test("replaces a session that expired or that the provider no longer has", async () => {
    const provider = mockProvider()
    const buy = await createBuyer(await makeReadyStore())
    await buy("a")
    Object.assign(provider.sessions.get("cs_1") ?? {}, { status: "expired", url: null })
    expect((await buy("a")).body.data.url).toBe("https://pay.example/cs_2")
    provider.sessions.delete("cs_2")
    expect((await buy("b")).status).toBe(200)
    expect(provider.open()).toHaveLength(1)
  })

  test("expires a session without a status instead of reusing it", async () => {
    const provider = mockProvider()
    const buy = await createBuyer(await makeReadyStore())
    await buy("a")
    const respond = provider.fetch.getMockImplementation()
    provider.fetch.mockImplementation(async (url, init) => {
      const response = await (respond?.(url, init) as Promise<Response>)
      if (!/sessions\/cs_1$/.test(String(url))) return response
      return Response.json({ ...((await response.json()) as object), status: undefined })
    })
    expect((await buy("a")).body.data.url).toBe("https://pay.example/cs_2")
    expect([provider.sessions.get("cs_1")?.status, provider.open()]).toEqual(["expired", ["cs_2"]])
  })

  test("redirects to a session without an id and does not record it", async () => {
    const provider = mockProvider()
    const buy = await createBuyer(await makeReadyStore())
    provider.fetch.mockImplementation(async () => Response.json({ url: "https://pay.example/no-id" }))
    expect((await buy("a")).body.data.url).toBe("https://pay.example/no-id")
    expect(await rows("select * from card_checkouts")).toEqual([])
  })

  test("returns 502 and changes nothing when any provider request fails", async () => {
    const provider = mockProvider()
    const buy = await createBuyer(await makeReadyStore())
    await buy("a")
    const before = await rows("select * from card_checkouts")
    const respond = provider.fetch.getMockImplementation()
    for (const failing of [/sessions\/cs_1$/, /expire$/, /sessions$/]) {
      provider.fetch.mockImplementation(async (url, init) =>
        failing.test(String(url)) ? new Response("", { status: 500 }) : (respond?.(url, init) as Promise<Response>),
      )
      expect((await buy("b")).status, String(failing)).toBe(502)
      expect(await rows("select * from card_checkouts")).toEqual(before)
    }
    provider.fetch.mockImplementation(respond as typeof globalThis.fetch)
    expect((await buy("b")).status).toBe(200)
    expect(provider.open()).toHaveLength(1)
  })

  test("starting a checkout takes four round trips, and a completed one two", async () => {
    const provider = mockProvider()
    const id = await makeReadyStore()
    const buy = await createBuyer(id)
    expect((await measureCriticalPath(() => buy("a"))).roundTrips).toBeLessThanOrEqual(4)
    const message = provider.pay("cs_1", "sub_1")
    expect((await costsOf(() => deliverMessage(message))).roundTrips).toBe(2)
  })
})
