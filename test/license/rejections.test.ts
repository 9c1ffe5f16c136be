// Rejections of license requests: recording, write frequency, retention and display in the console.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { deleteExpiredRejections } from "../../src/license/rejections/service"
import { signIn } from "../console/support"
import { call, run } from "../support/app"
import { type Costs, costsOf } from "../support/costs"
import { externalClient, internalClient, legacyClient, makeActive, makeVersion } from "../support/license-factories"
import { count, rows } from "../support/rows"

const NOW = new Date("2026-11-20T10:00:00Z")
const setSecondsAfterStart = (seconds: number) => vi.setSystemTime(new Date(NOW.getTime() + seconds * 1000))

/** Freezes the clock. `call` waits for background writes. */
const freezeClock = () => vi.useFakeTimers({ toFake: ["Date"], now: NOW })

const readRejections = () =>
  rows("select reason, tries, attempt, domain, ip from license_refused_tries order by reason")

describe("rejections", () => {
  test("records each rejection's reason, operation and domain, and the address only where it matters", async () => {
    freezeClock()
    const external = await externalClient()
    const internal = await internalClient()
    const { product, license, input, proof } = await makeActive(external, { parallel_uses: 1 })
    const version = await makeVersion(product, "1.0.0", { main: "zip" })
    const from = (domain: string) => ({ headers: { "X-API-URL": `https://${domain}` } })
    const change = (json: unknown) => internal("PUT", `/product-licenses/${license.id}`, { json })

    await external("POST", "/license/activate", { json: input, ...from("second.example") })
    await external("POST", "/license/verify", { json: input, ...from("second.example") })
    await external("POST", "/license/verify", { json: proof, ...from("copy.example") })
    await external("POST", "/license/deactivate", { json: { ...proof, client_name: "x" }, ...from("copy.example") })
    await change({ customer_id: "Jo" })
    await external("POST", "/license/verify", { json: { ...proof, client_name: "Eve" } })
    await change({ updates_until: "2020-01-01" })
    await external("POST", `/update/${version.versionId}/download/main`, { json: proof })
    await change({ ips: ["10.0.0.1"], parallel_uses: null })
    await external("POST", "/license/activate", { json: input })
    await change({ is_valid: false })
    await (await legacyClient())("POST", "/verify_license", { json: proof })
    expect(await readRejections()).toEqual([
      { reason: "blocked", tries: 1, attempt: "verify", domain: "shop.example", ip: null },
      { reason: "not_activated", tries: 1, attempt: "verify", domain: "second.example", ip: null },
      { reason: "other_client", tries: 1, attempt: "verify", domain: "shop.example", ip: null },
      { reason: "other_domain", tries: 1, attempt: "verify", domain: "copy.example", ip: null },
      { reason: "other_ip", tries: 1, attempt: "activate", domain: "shop.example", ip: "203.0.113.7" },
      { reason: "updates_ended", tries: 1, attempt: "download", domain: "shop.example", ip: null },
      { reason: "uses_taken", tries: 1, attempt: "activate", domain: "second.example", ip: null },
    ])
  })

  test("records nothing for an unknown code or a successful request", async () => {
    const external = await externalClient()
    const { product, proof } = await makeActive(external)
    const unknown = { product_id: product.referenceId, license_code: "GUESSED-0001" }
    await external("POST", "/license/verify", { json: proof })
    await external("POST", "/license/verify", { json: unknown })
    await external("POST", "/license/activate", { json: unknown })
    expect(await count("license_refused_tries")).toBe(0)
  })

  test("writes rejections once per minute and counts those in between", async () => {
    freezeClock()
    const external = await externalClient()
    const { input } = await makeActive(external, { parallel_uses: 1 })
    const verify = (domain: string) =>
      external("POST", "/license/verify", { json: input, headers: { "X-API-URL": `https://${domain}` } })
    const costs: Costs[] = []
    for (let n = 0; n < 20; n++) costs.push(await costsOf(() => verify(`s${n}.example`)))
    expect(costs.map(({ rowsWritten }) => rowsWritten)).toEqual([2, ...Array(19).fill(0)])
    expect(costs.map(({ roundTrips }) => roundTrips)).toEqual([3, ...Array(19).fill(2)])
    expect(await readRejections()).toMatchObject([{ reason: "not_activated", tries: 1, domain: "s0.example" }])
    setSecondsAfterStart(59)
    await verify("s20.example")
    expect(await readRejections()).toMatchObject([{ tries: 1 }])
    setSecondsAfterStart(60)
    await verify("last.example")
    expect(await readRejections()).toMatchObject([{ tries: 22, domain: "last.example" }])
    expect(await rows("select first_at, last_at from license_refused_tries")).toEqual([
      { first_at: NOW.getTime(), last_at: NOW.getTime() + 60_000 },
    ])
  })

  test("writes a rejection once per minute across isolates, and adds skipped ones to the next write", async () => {
    freezeClock()
    const external = await externalClient()
    const { input, license } = await makeActive(external, { parallel_uses: 1 })
    const elsewhere = { json: input, headers: { "X-API-URL": "https://copy.example" } }
    await env.DB.prepare(
      "insert into license_refused_tries values (?, 'not_activated', 5, ?, ?, 'verify', 'a.example', null)",
    )
      .bind(license.id, NOW.getTime(), NOW.getTime() - 30_000)
      .run()
    await external("POST", "/license/verify", elsewhere)
    expect(await readRejections()).toMatchObject([{ tries: 5, domain: "a.example" }])
    setSecondsAfterStart(60)
    await external("POST", "/license/verify", elsewhere)
    expect(await readRejections()).toMatchObject([{ tries: 7, domain: "copy.example" }])
  })

  test("responds normally while rejections cannot be written, and counts them later", async () => {
    freezeClock()
    const external = await externalClient()
    const { input } = await makeActive(external, { parallel_uses: 1 })
    const elsewhere = { json: input, headers: { "X-API-URL": "https://copy.example" } }
    await env.DB.exec("alter table license_refused_tries rename to away")
    const response = await external("POST", "/license/verify", elsewhere)
    expect([response.status, response.body.message]).toEqual([200, "License is invalid or not assigned to you."])
    await env.DB.exec("alter table away rename to license_refused_tries")
    setSecondsAfterStart(61)
    await external("POST", "/license/verify", elsewhere)
    expect(await readRejections()).toMatchObject([{ tries: 2 }])
  })

  test("deletes rejections with their license, and 90 days after the latest one", async () => {
    freezeClock()
    const external = await externalClient()
    const legacyInternal = await legacyClient("internal")
    const makeRejected = async () => {
      const { input, license } = await makeActive(external, { parallel_uses: 1 })
      await external("POST", "/license/verify", { json: input, headers: { "X-API-URL": "https://copy.example" } })
      return license
    }
    const deleted = await makeRejected()
    await makeRejected()
    expect(await count("license_refused_tries")).toBe(2)
    await legacyInternal("POST", "/delete_license", { json: { license_code: deleted.code } })
    expect(await count("license_refused_tries")).toBe(1)
    const days = (after: number) => new Date(NOW.getTime() + after * 86_400_000)
    await run((ctx) => deleteExpiredRejections({ ...ctx, now: days(89) }))
    expect(await count("license_refused_tries")).toBe(1)
    await run((ctx) => deleteExpiredRejections({ ...ctx, now: days(90) }))
    expect(await count("license_refused_tries")).toBe(0)
  })

  test("lists rejections on the license's page in the console, latest first", async () => {
    freezeClock()
    const external = await externalClient()
    const internal = await internalClient()
    const { input, proof, license } = await makeActive(external, { parallel_uses: 1 })
    await external("POST", "/license/verify", { json: input, headers: { "X-API-URL": "https://copy.example" } })
    setSecondsAfterStart(5)
    await internal("POST", `/blocked-product-licenses/${license.id}`)
    await external("POST", "/license/verify", { json: proof })
    const admin = await signIn()
    const page = (await admin.get(`/console/licenses/${license.id}`)).text
    const [, table = ""] = page.split('id="tries"')
    const [first, second] = ["The license is blocked", "Not activated on this domain"].map((words) =>
      table.indexOf(words),
    )
    expect(first).toBeGreaterThan(0)
    expect(second).toBeGreaterThan(first ?? 0)
    expect(table).toContain("copy.example")
    expect((await call("GET", `/console/licenses/${license.id}`)).status).toBe(303)
  })
})
