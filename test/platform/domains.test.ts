// The domain endpoints of the control plane: listing, attaching, claiming, verifying, primary, removing, and
// every refusal.

import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import worker from "../../src/index"
import { runDomainMaintenance } from "../../src/platform/domains/verify"
import { call, platform, run } from "../support/app"
import { costsOf } from "../support/costs"
import { mockTxtRecords } from "../support/dns"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { failRoundTrips } from "../support/faults"
import { rows } from "../support/rows"

const LONGEST_HOSTNAME = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(42)}.io`

async function setUp(overrides: Record<string, unknown> = {}) {
  const token = await makeKey()
  const store = await makeReadyStore(overrides)
  const path = `/stores/${store}/domains`
  return {
    token,
    store,
    list: async () => (await platform("GET", path, { token })).body,
    attach: (domain: unknown, settings = {}) => platform("POST", path, { token, json: { domain }, env: settings }),
    send: (method: string, segment: string | number, action = "") =>
      platform(method, `${path}/${segment}${action}`, { token }),
  }
}

const listPayloads = async (type: string) =>
  (await rows("select payload from webhook_events where type = ? order by id", type)).map((row) =>
    JSON.parse(String(row.payload)),
  )
const auditEntries = async (type: string) =>
  await rows("select data, actor_type from audit_entries where type = ?", type)

describe("GET /stores/{id}/domains", () => {
  test("lists the fallback first, and the plan's and the platform's limits in meta", async () => {
    const { list, attach, store } = await setUp()
    await attach("shop.example")
    const { data, meta } = await list()
    expect(meta).toEqual({ plan_allows_custom_domains: true, max_custom_domains: 5 })
    expect(data.map((domain: { domain: string }) => domain.domain)).toEqual([`${store}.localhost`, "shop.example"])
    expect(data[0]).toEqual({
      id: expect.any(Number),
      domain: `${store}.localhost`,
      tenant_id: store,
      is_primary: true,
      is_fallback: true,
      is_custom: false,
      verified_at: expect.any(String),
      is_routable: true,
      created_at: expect.stringMatching(/\+00:00$/),
    })
  })

  test("reports plan_allows_custom_domains from the subscription's frozen terms", async () => {
    const plan = await makePlan({ features: { custom_domain: false, api_access: true, remove_branding: true } })
    const { list } = await setUp({ plan: plan.slug })
    expect((await list()).meta.plan_allows_custom_domains).toBe(false)
  })
})

describe("POST /stores/{id}/domains", () => {
  test("returns 201 with the verification instructions, and writes the row, audit entry and event", async () => {
    const { attach, store } = await setUp()
    const { status, body } = await attach("Shop.Example.")
    expect(status).toBe(201)
    const [row] = await rows("select id, verification_token from domains where domain = 'shop.example'")
    expect(body.data).toEqual({
      id: row?.id,
      domain: "shop.example",
      tenant_id: store,
      is_primary: false,
      is_fallback: false,
      is_custom: true,
      verified_at: null,
      is_routable: false,
      created_at: expect.any(String),
      verification: {
        txt_name: "_tenancy-verify.shop.example",
        txt_value: row?.verification_token,
        cname_target: "localhost",
      },
    })
    expect(String(row?.verification_token)).toMatch(/^tenancy-verify-[0-9A-Za-z]{32}$/)
    const [event] = await listPayloads("domain.added")
    const { verified_at: _, ...domainInEvent } = body.data
    expect(event.data.domain).toEqual(domainInEvent)
    expect(event.data.store.id).toBe(store)
    expect(event.meta.actor.type).toBe("api_key")
    expect(await auditEntries("domain_added")).toEqual([{ data: '{"to":"shop.example"}', actor_type: "api_key" }])
  })

  test("stores hostnames in lower-case ASCII and returns 422 on `domain` for anything else", async () => {
    const { attach, list } = await setUp()
    const accepted: [string, string][] = [
      ["SHOP.Example", "shop.example"],
      ["bücher.example", "xn--bcher-kva.example"],
      ["  spaced.example ", "spaced.example"],
    ]
    for (const [spelling, stored] of accepted)
      expect.soft((await attach(spelling)).body.data?.domain, spelling).toBe(stored)
    const rejected = [
      ...["", "localhost", "shop", "acme.localhost", "a.b.localhost", "LOCALHOST.", "1.2.3.4", "0x7f.1", "2130706433"],
      ...[
        "[::1]",
        "::1",
        "shop.example:8080",
        "https://shop.example",
        "shop.example/path",
        "u@shop.example",
        "*.shop.example",
      ],
      ...[
        "-shop.example",
        "shop-.example",
        "a..example",
        "shop_1.example",
        "sh op.example",
        "shop.example\0",
        "shop.example\n.evil",
      ],
      ...[
        `${"a".repeat(64)}.example`,
        `x${LONGEST_HOSTNAME}`,
        "a".repeat(100_000),
        7,
        null,
        ["shop.example"],
        { domain: "x.example" },
      ],
    ]
    for (const domain of rejected) {
      const { status, body } = await attach(domain)
      expect.soft([status, body.error?.code], String(domain).slice(0, 40)).toEqual([422, "validation_failed"])
      expect.soft(Object.keys(body.errors ?? {})).toEqual(["domain"])
    }
    expect((await attach(LONGEST_HOSTNAME)).status).toBe(201)
    expect((await list()).data).toHaveLength(5)
  })

  test("rejects the CNAME target and names under it", async () => {
    const { attach } = await setUp()
    const settings = { TENANCY_CNAME_HOST: "edge.platform.example" }
    for (const name of ["edge.platform.example", "a.edge.platform.example"]) {
      expect((await attach(name, settings)).status).toBe(422)
    }
    const { body } = await attach("shop.example", settings)
    expect(body.data.verification.cname_target).toBe("edge.platform.example")
  })

  test("checks plan_upgrade_required before limit_reached before already_taken", async () => {
    const plan = await makePlan({ features: { custom_domain: false, api_access: true, remove_branding: true } })
    const other = await setUp()
    await other.attach("taken.example")
    const { attach, list } = await setUp({ plan: plan.slug })
    const response = await attach("taken.example", { TENANCY_MAX_CUSTOM_DOMAINS: "0" })
    expect([response.status, response.body.error.code]).toEqual([409, "plan_upgrade_required"])
    const full = await other.attach("taken.example", { TENANCY_MAX_CUSTOM_DOMAINS: "1" })
    expect([full.status, full.body.error.code]).toEqual([409, "limit_reached"])
    const taken = await other.attach("taken.example")
    expect([taken.status, taken.body.error.code]).toEqual([409, "already_taken"])
    const third = await setUp()
    expect((await third.attach("TAKEN.example")).body.error.code).toBe("already_taken")
    expect((await list()).data).toHaveLength(1)
  })

  test("enforces the limit exactly under twelve concurrent requests", async () => {
    const { attach } = await setUp()
    const responses = await Promise.all(Array.from({ length: 12 }, (_, n) => attach(`shop${n}.example`)))
    expect(responses.filter((response) => response.status === 201)).toHaveLength(5)
    expect(responses.every((a) => a.status === 201 || a.body.error.code === "limit_reached")).toBe(true)
    expect(await rows("select id from domains where is_fallback = 0")).toHaveLength(5)
    expect(await listPayloads("domain.added")).toHaveLength(5)
  })

  test("gives a hostname to one of six racing stores and returns already_taken to the others", async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => setUp()))
    const responses = await Promise.all(stores.map(({ attach }) => attach("race.example")))
    expect(responses.map((a) => a.body.error?.code ?? a.status).sort()).toEqual([
      201,
      ...Array(5).fill("already_taken"),
    ])
    expect(await listPayloads("domain.added")).toHaveLength(1)
  })
})

const parseClaim = (message: string) => /TXT record (\S+) to ([\w-]+)/.exec(message)?.slice(1) ?? []

describe("claims on unverified domains", () => {
  test("transfers an unverified domain only to the store that sets the TXT record", async () => {
    const squatter = await setUp()
    const owner = await setUp()
    const { lookups } = mockTxtRecords({})
    await squatter.attach("victim.example")
    const response = await owner.attach("victim.example")
    expect([response.status, response.body.error.code]).toEqual([409, "already_taken"])
    const [name = "", claimToken = ""] = parseClaim(response.body.error.message)
    expect(name).toBe("_tenancy-verify.victim.example")
    expect(lookups).toContain(name)
    // Every store has its own claim token, and the first store's token proves nothing here.
    const third = await setUp()
    expect(parseClaim((await third.attach("victim.example")).body.error.message)[1]).not.toBe(claimToken)
    mockTxtRecords({ [name]: ["something else", claimToken] })
    const claimed = await owner.attach("victim.example")
    expect([claimed.status, claimed.body.data.verification.txt_value]).toEqual([201, claimToken])
    expect((await squatter.list()).data.map((row: { domain: string }) => row.domain)).not.toContain("victim.example")
    expect(await listPayloads("domain.removed")).toHaveLength(1)
    const verified = await owner.send("POST", "victim.example", "/verify")
    expect(verified.body.verification_result.verified).toBe(true)
    const late = await squatter.attach("victim.example")
    expect([late.body.error.code, late.body.error.message]).toEqual([
      "already_taken",
      expect.stringContaining("72 hours later"),
    ])
  })

  test("releases an unverified domain after 14 days", async () => {
    mockTxtRecords({})
    const { attach, list } = await setUp()
    await attach("old.example")
    await attach("young.example")
    await env.DB.prepare("update domains set created_at = ? where domain = 'old.example'")
      .bind(Date.now() - 14 * 86_400_000 - 1)
      .run()
    await run((ctx) => runDomainMaintenance(ctx))
    expect((await list()).data.map((row: { domain: string }) => row.domain).slice(1)).toEqual(["young.example"])
    expect(await auditEntries("domain_removed")).toHaveLength(1)
  })
})

describe("claims on verified domains", () => {
  const HOUR = 3_600_000
  const NAME = "_tenancy-verify.shop.example"
  const cron = () => run((ctx) => runDomainMaintenance(ctx), { now: new Date() })
  const advanceHours = (hours: number) => vi.setSystemTime(Date.now() + hours * HOUR)
  const mails = () => rows("select kind, recipient, data from mails where kind = 'domain_claimed' order by id")
  const insertsDomain = (sql: string) => sql.startsWith('insert into "domains"')
  const readHolder = async () =>
    (await rows("select store_id, claim_seq, verified_at from domains where domain = 'shop.example'"))[0]

  /** Sets up a holder that verified shop.example as its primary domain, and a claimant that knows its own token. */
  async function setUpContestedDomain() {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
    const [holder, claimant] = [await setUp(), await setUp()]
    const holderToken: string = (await holder.attach("shop.example")).body.data.verification.txt_value
    mockTxtRecords({ [NAME]: [holderToken] })
    await holder.send("POST", "shop.example", "/verify")
    await holder.send("POST", "shop.example", "/primary")
    const response = await claimant.attach("shop.example")
    const [name = "", claimToken = ""] = parseClaim(response.body.error.message)
    expect([response.status, response.body.error.code, name]).toEqual([409, "already_taken", NAME])
    const attach = () => claimant.attach("shop.example")
    return { holder, claimant, holderToken, claimToken, attach }
  }

  test("transfers a verified domain to the store that DNS names, 72 hours after mailing its owner and the operators", async () => {
    const { holder, claimant, holderToken, claimToken, attach } = await setUpContestedDomain()
    await env.DB.prepare(
      "insert into operators (name, email, password_hash, created_at) values ('Op', 'op@example.com', 'x', 1)",
    ).run()
    mockTxtRecords({ [NAME]: ["something else", claimToken] })
    expect((await attach()).body.error.code).toBe("already_taken")
    const [owner, operator] = await mails()
    expect(operator?.recipient).toBe("op@example.com")
    expect(JSON.parse(String(owner?.data))).toMatchObject({ domain: "shop.example", record: NAME, value: holderToken })
    expect(await auditEntries("domain_claimed")).toEqual([
      { data: JSON.stringify({ by: claimant.store }), actor_type: "api_key" },
    ])
    advanceHours(71)
    await cron()
    expect((await attach()).body.error.code).toBe("already_taken")
    expect((await readHolder())?.store_id).toBe(holder.store)
    expect(await mails()).toHaveLength(2)
    advanceHours(1)
    await cron()
    expect(await readHolder()).toEqual({ store_id: claimant.store, claim_seq: null, verified_at: expect.any(Number) })
    const remaining = (await holder.list()).data
    expect(remaining).toMatchObject([{ domain: `${holder.store}.localhost`, is_primary: true }])
    const last = async (type: string) => (await listPayloads(type)).at(-1).data
    expect((await last("domain.removed")).store).toMatchObject({
      id: holder.store,
      root_url: `https://${holder.store}.localhost`,
    })
    expect((await last("domain.primary_changed")).previous_primary).toBe("shop.example")
    expect((await last("domain.verified")).store.id).toBe(claimant.store)
  })

  test("leaves a claimed domain with its store when the transfer fails", async () => {
    const { holder, claimant, claimToken, attach } = await setUpContestedDomain()
    mockTxtRecords({ [NAME]: [claimToken] })
    await attach()
    advanceHours(72)
    const faults = failRoundTrips((statements) => (statements.some(insertsDomain) ? "before" : null))
    expect((await attach()).status).toBe(503)
    faults.mockRestore()
    expect(await readHolder()).toMatchObject({ store_id: holder.store, claim_seq: expect.any(Number) })
    expect((await attach()).status).toBe(201)
    expect(await readHolder()).toMatchObject({ store_id: claimant.store, claim_seq: null })
  })

  test("transfers a claimed domain once under concurrent requests and cron runs", async () => {
    const { claimant, claimToken, attach } = await setUpContestedDomain()
    mockTxtRecords({ [NAME]: [claimToken] })
    await attach()
    advanceHours(72)
    const [first, second] = await Promise.all([attach(), attach(), cron()])
    expect([201, 409]).toContain(first.status)
    expect([201, 409]).toContain(second.status)
    await cron()
    expect((await readHolder())?.store_id).toBe(claimant.store)
    expect(await listPayloads("domain.removed")).toHaveLength(1)
    expect(await listPayloads("domain.verified")).toHaveLength(2)
  })

  test("ends a claim when the holder's record is back or the claimant's is gone, and restarts the 72 hours", async () => {
    const { holder, holderToken, claimToken, attach } = await setUpContestedDomain()
    mockTxtRecords({ [NAME]: [holderToken, claimToken] })
    expect((await attach()).status).toBe(409)
    expect(await mails()).toEqual([])
    for (const records of [[holderToken, claimToken], [holderToken], ["something else"], []]) {
      mockTxtRecords({ [NAME]: [claimToken] })
      await attach()
      expect((await readHolder())?.claim_seq).not.toBeNull()
      advanceHours(71)
      mockTxtRecords({ [NAME]: records })
      await cron()
      expect((await readHolder())?.claim_seq).toBeNull()
    }
    // The grace period starts over.
    mockTxtRecords({ [NAME]: [claimToken] })
    await attach()
    advanceHours(71)
    expect((await attach()).status).toBe(409)
    expect(await readHolder()).toMatchObject({ store_id: holder.store, verified_at: expect.any(Number) })
    expect(await auditEntries("domain_claim_ended")).toHaveLength(4)
  })

  test("neither starts, ends nor completes a claim while DNS lookups fail", async () => {
    const { holder, claimToken, attach } = await setUpContestedDomain()
    for (const failure of [null, 2, 5] as const) {
      mockTxtRecords(failure)
      expect((await attach()).status).toBe(409)
    }
    expect(await readHolder()).toMatchObject({ claim_seq: null })
    mockTxtRecords({ [NAME]: [claimToken] })
    await attach()
    advanceHours(100)
    for (const failure of [null, 2] as const) {
      mockTxtRecords(failure)
      await cron()
      expect((await attach()).status).toBe(409)
    }
    expect(await readHolder()).toMatchObject({ store_id: holder.store, claim_seq: expect.any(Number) })
  })

  test("blocks a second claimant while the first one's record exists, even when both claim concurrently", async () => {
    const { claimant, claimToken, attach } = await setUpContestedDomain()
    const third = await setUp()
    const other = parseClaim((await third.attach("shop.example")).body.error.message)[1] ?? ""
    mockTxtRecords({ [NAME]: [claimToken, other] })
    await Promise.all([attach(), third.attach("shop.example")])
    expect(await auditEntries("domain_claimed")).toHaveLength(1)
    mockTxtRecords({ [NAME]: [claimToken] })
    await attach()
    await cron()
    await attach()
    advanceHours(24)
    mockTxtRecords({ [NAME]: [claimToken, other] })
    expect((await third.attach("shop.example")).status).toBe(409)
    advanceHours(48)
    await cron()
    expect((await readHolder())?.store_id).toBe(claimant.store)
  })

  test("leaves a domain with its holder when the claiming store may not attach it or was deleted", async () => {
    const { holder, claimant, claimToken, attach } = await setUpContestedDomain()
    mockTxtRecords({ [NAME]: [claimToken] })
    await attach()
    advanceHours(72)
    const small = await makePlan({ features: { custom_domain: false, api_access: true, remove_branding: true } })
    const path = `/stores/${claimant.store}`
    await platform("POST", `${path}/subscription/assign`, { token: claimant.token, json: { plan: small.slug } })
    await cron()
    expect(await readHolder()).toMatchObject({ store_id: holder.store, claim_seq: null })
    await env.DB.prepare("update domains set claim_seq = 9999, claimed_at = 1 where domain = 'shop.example'").run()
    await cron()
    expect(await readHolder()).toMatchObject({ store_id: holder.store, claim_seq: null })
  })

  test("does not look up verified domains without a claim in the cron", async () => {
    await setUpContestedDomain()
    const { lookups } = mockTxtRecords({})
    await cron()
    expect(lookups).toEqual([])
  })
})

describe("POST /stores/{id}/domains/{domain}/verify", () => {
  test("reports a reason for every DNS result and verifies only with the token", async () => {
    const { attach, send } = await setUp()
    const { id, verification } = (await attach("shop.example")).body.data
    const name = verification.txt_name
    const cases: [Parameters<typeof mockTxtRecords>[0], string][] = [
      [{}, "record_not_found"],
      [{ [name]: [] }, "record_not_found"],
      [{ "shop.example": [verification.txt_value] }, "record_not_found"],
      [{ [name]: ["something else", `${verification.txt_value}x`] }, "value_mismatch"],
      [null, "dns_error"],
      [2, "dns_error"],
    ]
    for (const [records, reason] of cases) {
      mockTxtRecords(records)
      const { status, body } = await send("POST", id, "/verify")
      expect.soft([status, body]).toEqual([
        200,
        {
          data: { id, verified_at: null, is_routable: false },
          verification_result: { verified: false, method: "txt", reason },
        },
      ])
    }
    expect(await listPayloads("domain.verified")).toEqual([])
    mockTxtRecords({ [name]: ["v=spf1 -all", verification.txt_value] })
    const { body } = await send("POST", "SHOP.example", "/verify")
    expect(body).toEqual({
      data: { id, verified_at: expect.any(String), is_routable: true },
      verification_result: { verified: true, method: "txt", reason: null },
    })
    const [event] = await listPayloads("domain.verified")
    expect(event.data.domain).toMatchObject({ id, domain: "shop.example", is_routable: true })
    expect(event.data.domain.verification).toBeUndefined()
    expect(await auditEntries("domain_verified")).toEqual([{ data: '{"to":"shop.example"}', actor_type: "api_key" }])
  })

  test("emits domain.verified once under repeated and concurrent requests, without another lookup", async () => {
    const { attach, send } = await setUp()
    const { id, verification } = (await attach("shop.example")).body.data
    mockTxtRecords({ [verification.txt_name]: [verification.txt_value] })
    const responses = await Promise.all([1, 2, 3, 4].map(() => send("POST", id, "/verify")))
    expect(responses.every((response) => response.body.verification_result.verified)).toBe(true)
    const { lookups } = mockTxtRecords({})
    expect((await send("POST", id, "/verify")).body.verification_result.verified).toBe(true)
    expect(lookups).toEqual([])
    expect(await listPayloads("domain.verified")).toHaveLength(1)
  })

  test("verifies pending domains in the cron, least recently checked first, despite failures of others", async () => {
    const { attach, list } = await setUp()
    const [first, second, third] = await Promise.all(
      ["one.example", "two.example", "three.example"].map(async (name) => (await attach(name)).body.data),
    )
    await env.DB.prepare("update domains set checked_at = ? where id = ?")
      .bind(Date.now() - 3_600_000, first.id)
      .run()
    const { lookups } = mockTxtRecords({ [third.verification.txt_name]: [third.verification.txt_value] })
    const execution = createExecutionContext()
    await worker.scheduled(createScheduledController({ cron: "7 * * * *", scheduledTime: new Date() }), env, execution)
    await waitOnExecutionContext(execution)
    expect(lookups.at(-1)).toBe(first.verification.txt_name)
    expect(lookups.slice(0, 2).sort()).toEqual([second, third].map((domain) => domain.verification.txt_name).sort())
    const verified = (await list()).data.filter((d: { verified_at: string | null }) => d.verified_at)
    expect(verified.map((d: { domain: string }) => d.domain).sort()).toContain("three.example")
    expect(await auditEntries("domain_verified")).toEqual([{ data: '{"to":"three.example"}', actor_type: "system" }])
    const checked = await rows("select domain from domains where checked_at is not null order by id")
    expect(checked.map((row) => row.domain).sort()).toEqual(["one.example", "two.example"])
  })
})

describe("verified domains", () => {
  const verified = async (name = "shop.example") => {
    const store = await setUp({ name: "Routed store" })
    const { id, verification } = (await store.attach(name)).body.data
    mockTxtRecords({ [verification.txt_name]: [verification.txt_value] })
    await store.send("POST", id, "/verify")
    return { ...store, id }
  }

  test("routes a verified domain to its store, and no unverified or removed one", async () => {
    const { attach, send, id } = await verified()
    await attach("waiting.example")
    expect((await call("GET", "/", { host: "waiting.example" })).status).toBe(404)
    const home = await call("GET", "/", { host: "shop.example" })
    expect([home.status, home.text.includes("Routed store")]).toEqual([200, true])
    expect((await send("DELETE", id)).status).toBe(204)
    expect((await call("GET", "/", { host: "shop.example" })).status).toBe(404)
  })

  test("makes a verified domain primary once, and updates root_url in the response and the event", async () => {
    const { send, id, store, token, list } = await verified()
    const { status, body } = await send("POST", "shop.example", "/primary")
    expect([status, body.data.id, body.data.is_primary]).toEqual([200, id, true])
    expect((await platform("GET", `/stores/${store}`, { token })).body.data.root_url).toBe("https://shop.example")
    const primaries = (await list()).data.filter((d: { is_primary: boolean }) => d.is_primary)
    expect(primaries.map((d: { domain: string }) => d.domain)).toEqual(["shop.example"])
    await send("POST", id, "/primary")
    const events = await listPayloads("domain.primary_changed")
    expect(events).toHaveLength(1)
    expect(events[0].data).toMatchObject({
      store: { root_url: "https://shop.example" },
      domain: { id, is_primary: true },
      previous_primary: `${store}.localhost`,
    })
    expect(await auditEntries("primary_changed")).toEqual([
      { data: JSON.stringify({ from: `${store}.localhost`, to: "shop.example" }), actor_type: "api_key" },
    ])
    expect((await send("POST", `${store}.localhost`, "/primary")).body.data.is_primary).toBe(true)
  })

  test("returns verify_first when an unverified domain is made primary", async () => {
    const { attach, send } = await setUp()
    const { id } = (await attach("waiting.example")).body.data
    const { status, body } = await send("POST", id, "/primary")
    expect([status, body.error.code]).toEqual([409, "verify_first"])
  })

  test("leaves one primary domain when two are made primary concurrently", async () => {
    const { send, attach, id, list } = await verified()
    const { id: other, verification } = (await attach("two.example")).body.data
    mockTxtRecords({ [verification.txt_name]: [verification.txt_value] })
    await send("POST", other, "/verify")
    await Promise.all([send("POST", id, "/primary"), send("POST", other, "/primary")])
    expect((await list()).data.filter((d: { is_primary: boolean }) => d.is_primary)).toHaveLength(1)
  })

  test("routes a verified domain after a downgrade to a plan without custom domains", async () => {
    const { store } = await verified()
    const small = await makePlan({ features: { custom_domain: false, api_access: false, remove_branding: false } })
    const token = await makeKey()
    await platform("POST", `/stores/${store}/subscription/assign`, { token, json: { plan: small.slug } })
    expect((await call("GET", "/", { host: "shop.example" })).status).toBe(200)
  })

  test("returns not_removable for the fallback and the primary domain", async () => {
    const { send, id, store } = await verified()
    await send("POST", id, "/primary")
    for (const segment of [`${store}.localhost`, id]) {
      const { status, body } = await send("DELETE", segment)
      expect([status, body.error.code]).toEqual([409, "not_removable"])
    }
  })

  test("deletes a domain with its audit entry and event", async () => {
    const { send, id } = await verified()
    expect((await send("DELETE", "shop.example")).status).toBe(204)
    expect((await send("DELETE", "shop.example")).status).toBe(404)
    expect(await rows("select id from domains where is_fallback = 0")).toEqual([])
    const [event] = await listPayloads("domain.removed")
    expect(event.data.domain).toMatchObject({ id, domain: "shop.example" })
    expect(await auditEntries("domain_removed")).toEqual([{ data: '{"from":"shop.example"}', actor_type: "api_key" }])
  })
})

describe("domain paths", () => {
  test("returns 404 for another store's domain and for malformed segments", async () => {
    const first = await setUp()
    const second = await setUp()
    const { id } = (await second.attach("theirs.example")).body.data
    const segments = [
      id,
      "theirs.example",
      "0",
      "-1",
      "1e3",
      "999999999999999999999",
      "..",
      "%2e%2e%2f",
      "a%00b",
      "shop%2fx",
      "%ff",
    ]
    for (const segment of segments) {
      for (const [method, action] of [
        ["POST", "/verify"],
        ["POST", "/primary"],
        ["DELETE", ""],
      ] as const) {
        const { status } = await first.send(method, segment, action)
        expect.soft([404, 405].includes(status), `${segment} ${method} ${action}`).toBe(true)
      }
    }
    expect(await rows("select id from domains where domain = 'theirs.example'")).toEqual([{ id }])
  })

  test("returns 404 for the domains of an unknown store", async () => {
    const token = await makeKey()
    for (const path of ["/stores/ghost/domains", "/stores/gh%2fost/domains"]) {
      expect((await platform("GET", path, { token })).status).toBe(404)
      expect((await platform("POST", path, { token, json: { domain: "a.example" } })).status).toBe(404)
    }
  })

  test("costs two round trips to read domains and three to change one", async () => {
    const { attach, send, list } = await setUp()
    const { id, verification } = (await attach("one.example")).body.data
    mockTxtRecords({ [verification.txt_name]: [verification.txt_value] })
    await list()
    const costs = [
      await costsOf(() => list()),
      await costsOf(() => attach("two.example")),
      await costsOf(() => send("POST", id, "/verify")),
      await costsOf(() => send("POST", id, "/primary")),
      await costsOf(() => send("DELETE", "two.example")),
    ]
    expect(costs.map((cost) => cost.roundTrips)).toEqual([2, 3, 3, 3, 3])
  })
})
