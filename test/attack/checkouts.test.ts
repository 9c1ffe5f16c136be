// API6, unrestricted access to sensitive business flows: a card checkout pays for the store it was started for, once, and for no other.
import { beforeEach, describe, expect, test, vi } from "vitest"
import { DAY, HOUR, later, MINUTE } from "../../src/lib/time"
import { purgeStore } from "../../src/platform/stores/remove"
import { call, platform, run } from "../support/app"
import { operate, sentMails } from "../support/billing-factories"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import {
  CARD,
  checkout,
  deliver,
  fakeProvider,
  invoiced,
  type ProviderMessage,
  providerMessage,
  subscribed,
} from "../support/provider-factories"
import { rows } from "../support/rows"
import { sequenceOf } from "../support/sequence"
import { setSubscription } from "../support/subscription-factories"

const T = Math.floor(Date.now() / 1000)

let token: string
beforeEach(async () => {
  token = await makeKey()
  await makePlan({ slug: "a", name: "A", stripe_price: "price_a" })
  await makePlan({ slug: "b", name: "B", stripe_price: "price_b", price_cents: 4900 })
})

const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data
const seqOf = async (id: string) => Number((await rows("select seq from stores where id = ?", id))[0]?.seq)
const cancellations = async () =>
  (await rows("select subscription from provider_cancellations order by subscription")).map((row) => row.subscription)

async function send(...messages: ProviderMessage[]): Promise<void> {
  for (const message of messages) expect((await deliver(message)).status).toBe(200)
}

async function signIn(store: string): Promise<string> {
  const json = { email: "owner@example.com", password: "correct-horse" }
  return (await call("POST", "/api/v1/login", { host: `${store}.localhost`, json })).body.data.token
}

/** Starts checkouts as the owner of a store. */
async function buyer(store: string) {
  const owner = await signIn(store)
  return (plan: string, host = `${store}.localhost`) =>
    call("POST", "/api/v1/billing/checkout", { host, token: owner, json: { plan }, env: CARD })
}

async function deleteStore(id: string): Promise<void> {
  expect((await platform("DELETE", `/stores/${id}`, { token, json: { confirm: id } })).status).toBe(204)
  await run((ctx) => purgeStore(ctx, id))
}

describe("a checkout is bound to the store's incarnation", () => {
  test("carries the incarnation to the session and to its subscription", async () => {
    const provider = fakeProvider()
    const id = await makeReadyStore()
    expect((await (await buyer(id))("a")).body.data.url).toBe("https://pay.example/cs_1")
    const seq = String(await seqOf(id))
    expect(Object.fromEntries(provider.forms[0] ?? [])).toMatchObject({
      client_reference_id: id,
      "metadata[plan]": "a",
      "metadata[store_seq]": seq,
      "subscription_data[metadata][store_seq]": seq,
    })
  })

  test("that was deleted: the next store of the name inherits nothing, and the subscription is cancelled", async () => {
    const provider = fakeProvider()
    const id = await makeReadyStore({ subdomain: "acme" })
    await (await buyer(id))("a")
    await deleteStore(id)
    expect(await rows("select * from card_checkouts")).toEqual([])
    await makeReadyStore({ subdomain: "acme" })
    await send(provider.pay("cs_1", "sub_1"), subscribed("created", T), invoiced("paid", T + 1))
    expect(await read(id)).toMatchObject({ billing_provider: "none", subscription: null })
    expect(await cancellations()).toEqual(["sub_1"])
    expect(await rows("select * from payments")).toEqual([])
  })

  test("that was deleted is reported to every operator once: the payment may have to be refunded", async () => {
    await operate("operators:create", { name: "Op", email: "op@example.com", password: "correct-horse-battery" })
    const provider = fakeProvider()
    const id = await makeReadyStore({ subdomain: "acme" })
    await (await buyer(id))("a")
    await deleteStore(id)
    const paid = provider.pay("cs_1", "sub_1")
    await send(paid, paid, subscribed("created", T))
    const mails = (await sentMails()).filter(({ to }) => to === "op@example.com")
    expect(mails).toHaveLength(1)
    expect(mails[0]?.subject).toContain("the deleted store acme")
    expect(JSON.stringify(mails)).not.toMatch(/sub_1|cus_1/)
  })

  test("that was deleted is recognised when the checkout is the last message, and when no store has the name", async () => {
    const provider = fakeProvider()
    const id = await makeReadyStore({ subdomain: "acme" })
    await (await buyer(id))("a")
    await deleteStore(id)
    await send(subscribed("created", T), invoiced("paid", T + 1), provider.pay("cs_1", "sub_1"))
    expect(await cancellations()).toEqual(["sub_1"])
    await send(checkout("never", "a", T, "sub_x"), withSeq(checkout("never", "a", T, "sub_y"), 7))
    expect(await cancellations()).toEqual(["sub_1"])
  })

  const withSeq = (message: ProviderMessage, seq: unknown): ProviderMessage => {
    const { metadata, ...object } = message.data.object
    return { ...message, data: { object: { ...object, metadata: { ...(metadata as object), store_seq: seq } } } }
  }
  const startedAt = (message: ProviderMessage, created: number): ProviderMessage => ({
    ...message,
    data: { object: { ...message.data.object, created } },
  })

  test("is not started for a later store when its own is replaced while the provider answers", async () => {
    const provider = fakeProvider()
    const id = await makeReadyStore({ subdomain: "acme" })
    const buy = await buyer(id)
    const fine = provider.fetch.getMockImplementation()
    provider.fetch.mockImplementationOnce(async (url, init) => {
      const response = await (fine?.(url, init) as Promise<Response>)
      await deleteStore(id)
      await makeReadyStore({ subdomain: "acme" })
      return response
    })
    // The token was the earlier store's as well.
    expect((await buy("a")).status).toBe(401)
    expect(provider.open()).toEqual([])
    expect(provider.forms).toHaveLength(1)
  })

  test("is applied for its own incarnation, and for no other or malformed one", async () => {
    const id = await makeReadyStore()
    const seq = await seqOf(id)
    for (const [index, bad] of [String(seq + 1), seq - 1, `${seq}.0`, "", "x"].entries()) {
      await send(withSeq(checkout(id, "a", T, `sub_bad_${index}`), bad))
    }
    expect((await read(id)).subscription).toBeNull()
    expect(await cancellations()).toHaveLength(5)
    await send(withSeq(checkout(id, "a", T), String(seq)))
    expect((await read(id)).billing_provider).toBe("stripe")
  })

  test("is applied without an incarnation, as other tools send it, only to a store that is older than the session", async () => {
    const id = await makeReadyStore({ subdomain: "acme" })
    await deleteStore(id)
    const created = Math.floor(Date.now() / 1000)
    await makeReadyStore({ subdomain: "acme" })
    // The session is older than the store, the payment is not.
    await send(startedAt(checkout(id, "a", T + 60, "sub_old"), created - 60))
    await send(checkout(id, "a", created - 60, "sub_older"))
    expect([await cancellations(), (await read(id)).subscription]).toEqual([["sub_old", "sub_older"], null])
    await send(startedAt(checkout(id, "a", T + 60, "sub_new"), Math.floor(Date.now() / 1000)))
    expect((await read(id)).billing_provider).toBe("stripe")
    expect(await cancellations()).toEqual(["sub_old", "sub_older"])
  })

  test("is applied without an incarnation to the first store of its name, whatever clock the sender has", async () => {
    const id = await makeReadyStore()
    await send(checkout(id, "a", T - 1000))
    expect((await read(id)).billing_provider).toBe("stripe")
  })

  test("a new store of the name has neither the customer nor the portal of the deleted one", async () => {
    const provider = fakeProvider()
    const id = await makeReadyStore({ subdomain: "acme" })
    await (await buyer(id))("a")
    await send(provider.pay("cs_1", "sub_1"))
    const owner = await signIn(id)
    const portal = (bearer: string) =>
      call("POST", "/api/v1/billing/portal", { host: `${id}.localhost`, token: bearer, env: CARD })
    expect((await portal(owner)).status).toBe(200)
    await deleteStore(id)
    await makeReadyStore({ subdomain: "acme" })
    expect((await portal(owner)).status).toBe(401)
    expect((await portal(await signIn(id))).status).toBe(409)
    await (await buyer(id))("a")
    expect([provider.forms.at(-1)?.get("customer"), provider.forms.at(-1)?.get("customer_email")]).toEqual([
      null,
      "owner@example.com",
    ])
  })
})

describe("a store has one open checkout", () => {
  test("a second request for the same plan gets the same session", async () => {
    const provider = fakeProvider()
    const buy = await buyer(await makeReadyStore())
    const [first, second] = [await buy("a"), await buy("a")]
    expect([second.status, second.body.data.url]).toEqual([200, first.body.data.url])
    expect(provider.forms).toHaveLength(1)
  })

  test("a request for another plan, or for other terms, expires the session before", async () => {
    const provider = fakeProvider()
    const id = await makeReadyStore({ plan: "a" })
    const buy = await buyer(id)
    await setSubscription(id, { status: "trialing", trialEndsAt: later(new Date(), 10 * DAY) })
    await buy("a")
    await buy("b")
    expect([provider.sessions.get("cs_1")?.status, provider.open()]).toEqual(["expired", ["cs_2"]])
    await setSubscription(id, { trialEndsAt: later(new Date(), 20 * DAY) })
    expect((await buy("b")).body.data.url).toBe("https://pay.example/cs_3")
    expect(provider.open()).toEqual(["cs_3"])
    expect(await rows("select session from card_checkouts")).toEqual([{ session: "cs_3" }])
  })

  test("a session is reused for 23 hours, and replaced after that", async () => {
    const provider = fakeProvider()
    const id = await makeReadyStore()
    const buy = await buyer(id)
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
    // The store changed since: an idempotency key of its own.
    expect((await buy("a")).body.data.url).toBe("https://pay.example/cs_2")
    expect(provider.open()).toEqual(["cs_2"])
  })

  test("requests at once get the same session; of two plans at once, one session stays open", async () => {
    const provider = fakeProvider()
    const buy = await buyer(await makeReadyStore())
    const same = await Promise.all(Array.from({ length: 5 }, () => buy("a")))
    expect(new Set(same.map(({ body }) => body.data?.url)).size).toBe(1)
    expect(provider.open()).toHaveLength(1)
    const mixed = await Promise.all(Array.from({ length: 6 }, (_, index) => buy(index % 2 ? "a" : "b")))
    expect(mixed.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(provider.open()).toHaveLength(1)
    expect(await rows("select session from card_checkouts")).toEqual(provider.open().map((session) => ({ session })))
  })

  test("a provider that is still busy with the first of two requests is asked again", async () => {
    const provider = fakeProvider()
    vi.spyOn(scheduler, "wait").mockResolvedValue(undefined)
    const buy = await buyer(await makeReadyStore())
    provider.fetch.mockResolvedValueOnce(Response.json({ error: { code: "idempotency_key_in_use" } }, { status: 409 }))
    expect((await buy("a")).body.data.url).toBe("https://pay.example/cs_1")
  })

  test("a store that is billed by card, or whose session is paid, is refused with stripe_managed, and no session is left", async () => {
    const provider = fakeProvider()
    const id = await makeReadyStore()
    const buy = await buyer(id)
    await buy("a")
    // The buyer pays, and the message has not come yet: it is applied with the next request.
    const message = provider.pay("cs_1", "sub_1")
    expect((await buy("b")).status).toBe(409)
    expect(await read(id)).toMatchObject({ billing_provider: "stripe", subscription: { plan: { slug: "a" } } })
    expect(await rows("select * from card_checkouts")).toEqual([])
    await send(message)
    expect((await buy("b")).status).toBe(409)
    expect([provider.open(), await cancellations(), provider.forms.length]).toEqual([[], [], 1])
  })

  test("a session that was paid between two requests is not followed by a second one", async () => {
    const provider = fakeProvider()
    const id = await makeReadyStore()
    const buy = await buyer(id)
    await buy("a")
    await send(provider.pay("cs_1", "sub_1"))
    expect(await rows("select * from card_checkouts")).toEqual([])
    expect((await buy("a")).status).toBe(409)
  })

  test("a store that gets billed while the session is created keeps no open session", async () => {
    const provider = fakeProvider()
    const id = await makeReadyStore()
    const buy = await buyer(id)
    const create = provider.fetch.getMockImplementation()
    provider.fetch.mockImplementationOnce(async (...args) => {
      const response = await create?.(...args)
      await send(checkout(id, "a", T))
      return response as Response
    })
    expect((await buy("a")).status).toBe(409)
    expect(provider.open()).toEqual([])
  })

  test("checkout.session.expired removes the session, also twice, and the next request creates a new one", async () => {
    const provider = fakeProvider()
    const buy = await buyer(await makeReadyStore())
    await buy("a")
    Object.assign(provider.sessions.get("cs_1") ?? {}, { status: "expired", url: null })
    const expired = providerMessage("checkout.session.expired", T, { id: "cs_1", object: "checkout.session" })
    await send(expired, expired, providerMessage("checkout.session.expired", T, { id: "cs_other" }))
    expect(await rows("select * from card_checkouts")).toEqual([])
    expect((await buy("b")).body.data.url).toBe("https://pay.example/cs_2")
  })

  test("a session that the provider no longer has, or that expired, is replaced", async () => {
    const provider = fakeProvider()
    const buy = await buyer(await makeReadyStore())
    await buy("a")
    Object.assign(provider.sessions.get("cs_1") ?? {}, { status: "expired", url: null })
    expect((await buy("a")).body.data.url).toBe("https://pay.example/cs_2")
    provider.sessions.delete("cs_2")
    expect((await buy("b")).status).toBe(200)
    expect(provider.open()).toHaveLength(1)
  })

  test("a session for which a compatible provider names no status is expired, not used again", async () => {
    const provider = fakeProvider()
    const buy = await buyer(await makeReadyStore())
    await buy("a")
    const fine = provider.fetch.getMockImplementation()
    provider.fetch.mockImplementation(async (url, init) => {
      const response = await (fine?.(url, init) as Promise<Response>)
      if (!/sessions\/cs_1$/.test(String(url))) return response
      return Response.json({ ...((await response.json()) as object), status: undefined })
    })
    expect((await buy("a")).body.data.url).toBe("https://pay.example/cs_2")
    expect([provider.sessions.get("cs_1")?.status, provider.open()]).toEqual(["expired", ["cs_2"]])
  })

  test("a session without an id leads to its page and is not recorded", async () => {
    const provider = fakeProvider()
    const buy = await buyer(await makeReadyStore())
    provider.fetch.mockImplementation(async () => Response.json({ url: "https://pay.example/no-id" }))
    expect((await buy("a")).body.data.url).toBe("https://pay.example/no-id")
    expect(await rows("select * from card_checkouts")).toEqual([])
  })

  test("a provider that fails at any request is 502 and changes nothing", async () => {
    const provider = fakeProvider()
    const buy = await buyer(await makeReadyStore())
    await buy("a")
    const before = await rows("select * from card_checkouts")
    const fine = provider.fetch.getMockImplementation()
    for (const failing of [/sessions\/cs_1$/, /expire$/, /sessions$/]) {
      provider.fetch.mockImplementation(async (url, init) =>
        failing.test(String(url)) ? new Response("", { status: 500 }) : (fine?.(url, init) as Promise<Response>),
      )
      expect((await buy("b")).status, String(failing)).toBe(502)
      expect(await rows("select * from card_checkouts")).toEqual(before)
    }
    provider.fetch.mockImplementation(fine as typeof globalThis.fetch)
    expect((await buy("b")).status).toBe(200)
    expect(provider.open()).toHaveLength(1)
  })

  test("starting a checkout takes four round trips, and a completed one two", async () => {
    const provider = fakeProvider()
    const id = await makeReadyStore()
    const buy = await buyer(id)
    expect((await sequenceOf(() => buy("a"))).trips).toBeLessThanOrEqual(4)
    const message = provider.pay("cs_1", "sub_1")
    expect((await costsOf(() => deliver(message))).roundTrips).toBe(2)
  })
})
