// The reconciliation of Cloudflare's custom hostnames with verified and removed domains, under failures.
import { env } from "cloudflare:workers"
import { afterEach, describe, expect, test, vi } from "vitest"
import { HOUR } from "../../src/lib/time"
import { call, cron, platform, withSettings } from "../support/app"
import { mockCloudflare, ZONE } from "../support/cloudflare"
import { makeKey, makeReadyStore } from "../support/factories"
import { failEveryOther } from "../support/faults"
import { interceptRoundTrips } from "../support/round-trips"
import { rows } from "../support/rows"

const HOURLY = "7 * * * *"

afterEach(() => vi.useRealTimers())

async function setUp(settings: Record<string, string> = ZONE) {
  const token = await makeKey()
  const store = await makeReadyStore()
  const cloudflare = mockCloudflare()
  const path = `/stores/${store}/domains`
  const send = (method: string, url: string, json?: unknown) => platform(method, url, { token, json, env: settings })
  return {
    cloudflare,
    store,
    /** Attaches a domain and sets its TXT record. */
    attach: async (domain: string) => {
      const { verification } = (await send("POST", path, { domain })).body.data
      cloudflare.txt[verification.txt_name] = verification.txt_value
    },
    verify: (domain: string) => send("POST", `${path}/${domain}/verify`),
    remove: (domain: string) => send("DELETE", `${path}/${domain}`),
    removeStore: () => send("DELETE", `/stores/${store}`, { confirm: store }),
    list: async () => (await send("GET", path)).body.data,
    hourly: async (hours = 1) => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * HOUR })
      await cron(HOURLY, { env: withSettings(settings) })
    },
  }
}

const listRows = async () =>
  await rows("select hostname, wanted, cloudflare_id, status, certificate, fault, failures from custom_hostnames")

describe("custom hostnames of verified domains", () => {
  test("creates a custom hostname with its own certificate for a verified domain", async () => {
    const { cloudflare, attach, verify, list } = await setUp()
    await attach("shop.example")
    expect(cloudflare.calls).toEqual([])
    expect((await verify("shop.example")).body.verification_result.verified).toBe(true)
    expect(cloudflare.calls).toEqual(["POST "])
    expect([...cloudflare.tokens]).toEqual(["Bearer cf-token"])
    expect(cloudflare.findHostname("shop.example")).toMatchObject({ ssl: { method: "http", type: "dv" } })
    expect(await listRows()).toEqual([
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

  test.each(["before", "after"] as const)("creates it once when each write fails %s taking effect", async (fault) => {
    const { cloudflare, attach, verify } = await setUp()
    await attach("shop.example")
    const faults = failEveryOther('update "custom_hostnames"', fault)
    await verify("shop.example")
    faults.mockRestore()
    expect(cloudflare.calls).toEqual(["POST "])
    expect(await rows("select status, leased_until from custom_hostnames")).toEqual([
      { status: "pending", leased_until: null },
    ])
  })

  test("stores nothing for a run whose lease another run has by now", async () => {
    const { cloudflare, attach, verify } = await setUp()
    await attach("shop.example")
    const lease = Date.now() + HOUR
    let updates = 0
    const runs = interceptRoundTrips(async (send, statements) => {
      // The first update leases the hostname, and the second one stores the result.
      if (statements.some((sql) => sql.includes('update "custom_hostnames"')) && ++updates === 2)
        await env.DB.prepare("update custom_hostnames set leased_until = ?").bind(lease).run()
      return send()
    })
    await verify("shop.example")
    runs.mockRestore()
    expect(cloudflare.calls).toEqual(["POST "])
    expect(await rows("select status, leased_until from custom_hostnames")).toEqual([
      { status: null, leased_until: lease },
    ])
  })

  test("polls a custom hostname hourly until its certificate is active", async () => {
    const { cloudflare, attach, verify, hourly } = await setUp()
    await attach("shop.example")
    await verify("shop.example")
    await hourly()
    expect(cloudflare.calls).toEqual(["POST ", "GET /id-1-shop.example"])
    cloudflare.issueCertificate("shop.example")
    await hourly()
    expect(await listRows()).toMatchObject([{ status: "active", certificate: "active" }])
    await hourly()
    await hourly(48)
    expect(cloudflare.calls).toHaveLength(3)
  })

  test("creates the custom hostname in the cron run that verifies the domain", async () => {
    const { cloudflare, attach, hourly } = await setUp()
    await attach("shop.example")
    await hourly()
    expect(cloudflare.listHostnames()).toEqual(["shop.example"])
  })

  test("creates pending custom hostnames once the zone is configured", async () => {
    const { cloudflare, attach, verify } = await setUp({})
    await attach("shop.example")
    await verify("shop.example")
    await cron(HOURLY)
    expect(cloudflare.calls).toEqual([])
    await cron(HOURLY, { env: withSettings(ZONE) })
    expect(cloudflare.listHostnames()).toEqual(["shop.example"])
  })

  test("verifies a domain when Cloudflare fails, reports the error, and retries with backoff", async () => {
    const { cloudflare, attach, verify, hourly } = await setUp()
    await attach("shop.example")
    cloudflare.failWith(() =>
      Response.json({ success: false, errors: [{ code: 9109, message: "Invalid access token" }] }, { status: 403 }),
    )
    expect((await verify("shop.example")).status).toBe(200)
    expect(await listRows()).toMatchObject([
      { wanted: 1, cloudflare_id: null, fault: "403 9109 Invalid access token", failures: 1 },
    ])
    const { body } = await call("POST", "/api/operator/v1/hostnames:list", {
      token: env.OPERATOR_TOKEN,
      json: {},
    })
    expect(JSON.stringify(body)).toContain("403 9109 Invalid access token")
    expect(JSON.stringify(body)).not.toContain("cf-token")
    await hourly()
    expect(await listRows()).toMatchObject([{ failures: 2 }])
    await hourly()
    expect(await listRows()).toMatchObject([{ failures: 3 }])
    await hourly()
    await hourly()
    expect(cloudflare.calls).toHaveLength(3)
    cloudflare.failWith(() => undefined)
    await hourly()
    expect(await listRows()).toMatchObject([{ cloudflare_id: "id-1-shop.example", fault: null, failures: 0 }])
  })

  test.each([
    ["invalid JSON", () => new Response("<html>", { status: 502 }), "502 with an unreadable body"],
    ["a megabyte", () => new Response("x".repeat(1_000_000)), "200 with an unreadable body"],
    ["an unexpected shape", () => Response.json({ success: true, result: { hostname: 7 } }), "unexpected response"],
    [
      "an oversized error message",
      () => Response.json({ success: false, errors: [{ code: 1, message: "x".repeat(5000) }] }, { status: 400 }),
      `400 1 ${"x".repeat(494)}`,
    ],
  ])("tolerates a Cloudflare response with %s", async (_, respond, error) => {
    const { cloudflare, attach, verify } = await setUp()
    await attach("shop.example")
    cloudflare.failWith(respond)
    expect((await verify("shop.example")).status).toBe(200)
    expect(await listRows()).toMatchObject([{ fault: error }])
  })

  test("finds a custom hostname whose creation response was lost instead of creating it twice", async () => {
    const { cloudflare, attach, verify, hourly } = await setUp()
    await attach("shop.example")
    cloudflare.failWith((request) => (request === "POST " ? "after" : undefined))
    await verify("shop.example")
    expect(await listRows()).toMatchObject([{ cloudflare_id: null, fault: "no response" }])
    cloudflare.failWith(() => undefined)
    await hourly()
    expect(cloudflare.listHostnames()).toEqual(["shop.example"])
    expect(await listRows()).toMatchObject([{ cloudflare_id: "id-1-shop.example", fault: null }])
  })

  test("recreates a custom hostname that was deleted at Cloudflare", async () => {
    const { cloudflare, attach, verify, hourly } = await setUp()
    await attach("shop.example")
    await verify("shop.example")
    await fetch(
      `https://api.cloudflare.com/client/v4/zones/${ZONE.CLOUDFLARE_ZONE_ID}/custom_hostnames/id-1-shop.example`,
      {
        method: "DELETE",
      },
    )
    expect(cloudflare.listHostnames()).toEqual([])
    await hourly()
    expect(cloudflare.listHostnames()).toEqual(["shop.example"])
  })
})

describe("custom hostnames of removed domains", () => {
  test("deletes the custom hostname of a removed domain, then its row", async () => {
    const { cloudflare, attach, verify, remove } = await setUp()
    await attach("shop.example")
    await verify("shop.example")
    expect((await remove("shop.example")).status).toBe(204)
    expect(cloudflare.listHostnames()).toEqual([])
    expect(await listRows()).toEqual([])
  })

  test("calls nothing for a removed domain that was never verified", async () => {
    const { cloudflare, attach, remove } = await setUp()
    await attach("shop.example")
    await remove("shop.example")
    expect(cloudflare.calls).toEqual([])
    expect(await listRows()).toEqual([])
  })

  test("retries the deletion of a custom hostname until it succeeds", async () => {
    const { cloudflare, attach, verify, remove, hourly } = await setUp()
    await attach("shop.example")
    await verify("shop.example")
    cloudflare.failWith(() => new Response(null, { status: 500 }))
    expect((await remove("shop.example")).status).toBe(204)
    expect(await listRows()).toMatchObject([{ wanted: 0, failures: 1 }])
    cloudflare.failWith(() => undefined)
    await hourly()
    expect(cloudflare.listHostnames()).toEqual([])
    expect(await listRows()).toEqual([])
  })

  test("finds and deletes a custom hostname whose creation response was lost", async () => {
    const { cloudflare, attach, verify, remove } = await setUp()
    await attach("shop.example")
    cloudflare.failWith((request) => (request === "POST " ? "after" : undefined))
    await verify("shop.example")
    await remove("shop.example")
    expect(cloudflare.listHostnames()).toEqual([])
    expect(await listRows()).toEqual([])
  })

  test("leaves no custom hostname when the domain is removed during its creation", async () => {
    const { cloudflare, attach, verify, remove } = await setUp()
    await attach("shop.example")
    let removed: Promise<unknown> | undefined
    cloudflare.failWith(async (request) => {
      if (request === "POST " && !removed) {
        removed = remove("shop.example")
        await removed
      }
      return undefined
    })
    await verify("shop.example")
    await removed
    expect(cloudflare.listHostnames()).toEqual([])
    expect(await listRows()).toEqual([])
  })

  test("deletes the custom hostnames of a deleted store in the next run", async () => {
    const { cloudflare, attach, verify, removeStore, hourly } = await setUp()
    await attach("shop.example")
    await attach("www.shop.example")
    await verify("shop.example")
    await verify("www.shop.example")
    expect(cloudflare.listHostnames()).toHaveLength(2)
    expect((await removeStore()).status).toBeLessThan(300)
    await hourly()
    expect(cloudflare.listHostnames()).toEqual([])
    expect(await listRows()).toEqual([])
  })
})
