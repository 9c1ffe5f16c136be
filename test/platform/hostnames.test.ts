// Customers' domains and Cloudflare's custom hostnames: what is verified is there, what is removed goes, whatever fails between.
import { env } from "cloudflare:workers"
import { afterEach, describe, expect, test, vi } from "vitest"
import { HOUR } from "../../src/lib/time"
import { call, cron, platform, withSettings } from "../support/app"
import { cloudflare, ZONE } from "../support/cloudflare"
import { makeKey, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"

const HOURLY = "7 * * * *"

afterEach(() => vi.useRealTimers())

async function given(settings: Record<string, string> = ZONE) {
  const token = await makeKey()
  const store = await makeReadyStore()
  const account = cloudflare()
  const path = `/stores/${store}/domains`
  const ask = (method: string, at: string, json?: unknown) => platform(method, at, { token, json, env: settings })
  return {
    account,
    store,
    /** Attaches a domain whose TXT record is there. */
    attach: async (domain: string) => {
      const { verification } = (await ask("POST", path, { domain })).body.data
      account.txt[verification.txt_name] = verification.txt_value
    },
    verify: (domain: string) => ask("POST", `${path}/${domain}/verify`),
    remove: (domain: string) => ask("DELETE", `${path}/${domain}`),
    removeStore: () => ask("DELETE", `/stores/${store}`, { confirm: store }),
    list: async () => (await ask("GET", path)).body.data,
    hourly: async (hours = 1) => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * HOUR })
      await cron(HOURLY, { env: withSettings(settings) })
    },
  }
}

const known = async () =>
  await rows("select hostname, wanted, cloudflare_id, status, certificate, fault, failures from custom_hostnames")

describe("a verified domain", () => {
  test("becomes a custom hostname with a certificate of its own, and its resource keeps its keys", async () => {
    const { account, attach, verify, list } = await given()
    await attach("shop.example")
    expect(account.calls).toEqual([])
    expect((await verify("shop.example")).body.verification_result.verified).toBe(true)
    expect(account.calls).toEqual(["POST "])
    expect([...account.tokens]).toEqual(["Bearer cf-token"])
    expect(account.hostname("shop.example")).toMatchObject({ ssl: { method: "http", type: "dv" } })
    expect(await known()).toEqual([
      {
        hostname: "shop.example",
        wanted: 1,
        cloudflare_id: "id-1-shop.example",
        status: "pending",
        certificate: "initializing",
        fault: null,
        failures: 0,
      },
    ])
    const [fallback, custom] = await list()
    expect(Object.keys(custom)).toEqual(Object.keys(fallback))
  })

  test("is asked for every hour until its certificate is there, and then no more", async () => {
    const { account, attach, verify, hourly } = await given()
    await attach("shop.example")
    await verify("shop.example")
    await hourly()
    expect(account.calls).toEqual(["POST ", "GET /id-1-shop.example"])
    account.issue("shop.example")
    await hourly()
    expect(await known()).toMatchObject([{ status: "active", certificate: "active" }])
    await hourly()
    await hourly(48)
    expect(account.calls).toHaveLength(3)
  })

  test("that the cron finds verified is made in the same run", async () => {
    const { account, attach, hourly } = await given()
    await attach("shop.example")
    await hourly()
    expect(account.names()).toEqual(["shop.example"])
  })

  test("waits where the zone is not set up, and is made by the first run after it is", async () => {
    const { account, attach, verify } = await given({})
    await attach("shop.example")
    await verify("shop.example")
    await cron(HOURLY)
    expect(account.calls).toEqual([])
    await cron(HOURLY, { env: withSettings(ZONE) })
    expect(account.names()).toEqual(["shop.example"])
  })

  test("is verified even when Cloudflare refuses; that is shown, and tried again ever more seldom", async () => {
    const { account, attach, verify, hourly } = await given()
    await attach("shop.example")
    account.failing(() =>
      Response.json({ success: false, errors: [{ code: 9109, message: "Invalid access token" }] }, { status: 403 }),
    )
    expect((await verify("shop.example")).status).toBe(200)
    expect(await known()).toMatchObject([
      { wanted: 1, cloudflare_id: null, fault: "403 9109 Invalid access token", failures: 1 },
    ])
    const { body } = await call("POST", "/api/operator/v1/hostnames:list", {
      token: env.OPERATOR_TOKEN,
      json: {},
    })
    expect(JSON.stringify(body)).toContain("403 9109 Invalid access token")
    expect(JSON.stringify(body)).not.toContain("cf-token")
    await hourly()
    expect(await known()).toMatchObject([{ failures: 2 }])
    await hourly()
    expect(await known()).toMatchObject([{ failures: 3 }])
    await hourly()
    await hourly()
    expect(account.calls).toHaveLength(3)
    account.failing(() => undefined)
    await hourly()
    expect(await known()).toMatchObject([{ cloudflare_id: "id-1-shop.example", fault: null, failures: 0 }])
  })

  test.each([
    ["no JSON", () => new Response("<html>", { status: 502 }), "502 without an answer that can be read"],
    ["a megabyte", () => new Response("x".repeat(1_000_000)), "200 without an answer that can be read"],
    ["another form", () => Response.json({ success: true, result: { hostname: 7 } }), "an answer of another form"],
    [
      "a novel for a reason",
      () => Response.json({ success: false, errors: [{ code: 1, message: "x".repeat(5000) }] }, { status: 400 }),
      `400 1 ${"x".repeat(494)}`,
    ],
  ])("bears an answer that is %s", async (_, reply, fault) => {
    const { account, attach, verify } = await given()
    await attach("shop.example")
    account.failing(reply)
    expect((await verify("shop.example")).status).toBe(200)
    expect(await known()).toMatchObject([{ fault }])
  })

  test("whose creation was done and not answered is found, not made twice", async () => {
    const { account, attach, verify, hourly } = await given()
    await attach("shop.example")
    account.failing((asked) => (asked === "POST " ? "after" : undefined))
    await verify("shop.example")
    expect(await known()).toMatchObject([{ cloudflare_id: null, fault: "no answer" }])
    account.failing(() => undefined)
    await hourly()
    expect(account.names()).toEqual(["shop.example"])
    expect(await known()).toMatchObject([{ cloudflare_id: "id-1-shop.example", fault: null }])
  })

  test("that somebody deleted at Cloudflare comes back", async () => {
    const { account, attach, verify, hourly } = await given()
    await attach("shop.example")
    await verify("shop.example")
    await fetch(
      `https://api.cloudflare.com/client/v4/zones/${ZONE.CLOUDFLARE_ZONE_ID}/custom_hostnames/id-1-shop.example`,
      {
        method: "DELETE",
      },
    )
    expect(account.names()).toEqual([])
    await hourly()
    expect(account.names()).toEqual(["shop.example"])
  })
})

describe("a removed domain", () => {
  test("is forgotten by Cloudflare, and then by us", async () => {
    const { account, attach, verify, remove } = await given()
    await attach("shop.example")
    await verify("shop.example")
    expect((await remove("shop.example")).status).toBe(204)
    expect(account.names()).toEqual([])
    expect(await known()).toEqual([])
  })

  test("that was never verified asks nothing of anybody", async () => {
    const { account, attach, remove } = await given()
    await attach("shop.example")
    await remove("shop.example")
    expect(account.calls).toEqual([])
    expect(await known()).toEqual([])
  })

  test("is remembered until Cloudflare has forgotten it", async () => {
    const { account, attach, verify, remove, hourly } = await given()
    await attach("shop.example")
    await verify("shop.example")
    account.failing(() => new Response(null, { status: 500 }))
    expect((await remove("shop.example")).status).toBe(204)
    expect(await known()).toMatchObject([{ wanted: 0, failures: 1 }])
    account.failing(() => undefined)
    await hourly()
    expect(account.names()).toEqual([])
    expect(await known()).toEqual([])
  })

  test("whose creation was never answered is looked for and removed", async () => {
    const { account, attach, verify, remove } = await given()
    await attach("shop.example")
    account.failing((asked) => (asked === "POST " ? "after" : undefined))
    await verify("shop.example")
    await remove("shop.example")
    expect(account.names()).toEqual([])
    expect(await known()).toEqual([])
  })

  test("leaves nothing behind when it is removed while it is being created", async () => {
    const { account, attach, verify, remove } = await given()
    await attach("shop.example")
    let removed: Promise<unknown> | undefined
    account.failing(async (asked) => {
      if (asked === "POST " && !removed) {
        removed = remove("shop.example")
        await removed
      }
      return undefined
    })
    await verify("shop.example")
    await removed
    expect(account.names()).toEqual([])
    expect(await known()).toEqual([])
  })

  test("of a deleted store goes with the next run", async () => {
    const { account, attach, verify, removeStore, hourly } = await given()
    await attach("shop.example")
    await attach("www.shop.example")
    await verify("shop.example")
    await verify("www.shop.example")
    expect(account.names()).toHaveLength(2)
    expect((await removeStore()).status).toBeLessThan(300)
    await hourly()
    expect(account.names()).toEqual([])
    expect(await known()).toEqual([])
  })
})
