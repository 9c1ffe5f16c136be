// Domains, row by row of the control plane's table: list, attach, verify, primary, remove, and what each refuses.

import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import worker from "../../src/index"
import { tendDomains } from "../../src/platform/domains/verify"
import { call, platform, run } from "../support/app"
import { costsOf } from "../support/costs"
import { answerTxt } from "../support/dns"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"

const LONGEST = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(42)}.io`

async function given(overrides: Record<string, unknown> = {}) {
  const token = await makeKey()
  const store = await makeReadyStore(overrides)
  const path = `/stores/${store}/domains`
  return {
    token,
    store,
    list: async () => (await platform("GET", path, { token })).body,
    attach: (domain: unknown, settings = {}) => platform("POST", path, { token, json: { domain }, env: settings }),
    act: (method: string, segment: string | number, action = "") =>
      platform(method, `${path}/${segment}${action}`, { token }),
  }
}

const payloads = async (type: string) =>
  (await rows("select payload from webhook_events where type = ? order by id", type)).map((row) =>
    JSON.parse(String(row.payload)),
  )
const trail = async (type: string) => await rows("select data, actor_type from audit_entries where type = ?", type)

describe("GET /stores/{id}/domains", () => {
  test("shows the fallback first and tells what the plan and the platform allow", async () => {
    const { list, attach, store } = await given()
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

  test("meta follows the frozen terms of the plan that was bought", async () => {
    const plan = await makePlan({ features: { custom_domain: false, api_access: true, remove_branding: true } })
    const { list } = await given({ plan: plan.slug })
    expect((await list()).meta.plan_allows_custom_domains).toBe(false)
  })
})

describe("POST /stores/{id}/domains", () => {
  test("answers 201 with the verification block; row, trail and event are there, and the event shows the row's id", async () => {
    const { attach, store } = await given()
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
    const [event] = await payloads("domain.added")
    const { verified_at: _, ...shown } = body.data
    expect(event.data.domain).toEqual(shown)
    expect(event.data.store.id).toBe(store)
    expect(event.meta.actor.type).toBe("api_key")
    expect(await trail("domain_added")).toEqual([{ data: '{"to":"shop.example"}', actor_type: "api_key" }])
  })

  test("spellings: what is a hostname is stored in lower-case ASCII, all else is 422 on `domain`", async () => {
    const { attach, list } = await given()
    const good: [string, string][] = [
      ["SHOP.Example", "shop.example"],
      ["bücher.example", "xn--bcher-kva.example"],
      ["  spaced.example ", "spaced.example"],
    ]
    for (const [spelling, stored] of good)
      expect.soft((await attach(spelling)).body.data?.domain, spelling).toBe(stored)
    const bad = [
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
        `x${LONGEST}`,
        "a".repeat(100_000),
        7,
        null,
        ["shop.example"],
        { domain: "x.example" },
      ],
    ]
    for (const domain of bad) {
      const { status, body } = await attach(domain)
      expect.soft([status, body.error?.code], String(domain).slice(0, 40)).toEqual([422, "validation_failed"])
      expect.soft(Object.keys(body.errors ?? {})).toEqual(["domain"])
    }
    expect((await attach(LONGEST)).status).toBe(201)
    expect((await list()).data).toHaveLength(5)
  })

  test("the CNAME target's own name and what is under it cannot be attached", async () => {
    const { attach } = await given()
    const settings = { TENANCY_CNAME_HOST: "edge.platform.example" }
    for (const name of ["edge.platform.example", "a.edge.platform.example"]) {
      expect((await attach(name, settings)).status).toBe(422)
    }
    const { body } = await attach("shop.example", settings)
    expect(body.data.verification.cname_target).toBe("edge.platform.example")
  })

  test("plan_upgrade_required before limit_reached before already_taken; a plan without the right attaches nothing", async () => {
    const plan = await makePlan({ features: { custom_domain: false, api_access: true, remove_branding: true } })
    const other = await given()
    await other.attach("taken.example")
    const { attach, list } = await given({ plan: plan.slug })
    const refused = await attach("taken.example", { TENANCY_MAX_CUSTOM_DOMAINS: "0" })
    expect([refused.status, refused.body.error.code]).toEqual([409, "plan_upgrade_required"])
    const full = await other.attach("taken.example", { TENANCY_MAX_CUSTOM_DOMAINS: "1" })
    expect([full.status, full.body.error.code]).toEqual([409, "limit_reached"])
    const taken = await other.attach("taken.example")
    expect([taken.status, taken.body.error.code]).toEqual([409, "already_taken"])
    const third = await given()
    expect((await third.attach("TAKEN.example")).body.error.code).toBe("already_taken")
    expect((await list()).data).toHaveLength(1)
  })

  test("the limit holds against twelve requests at once, and exactly at it", async () => {
    const { attach } = await given()
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => attach(`shop${n}.example`)))
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(5)
    expect(answers.every((a) => a.status === 201 || a.body.error.code === "limit_reached")).toBe(true)
    expect(await rows("select id from domains where is_fallback = 0")).toHaveLength(5)
    expect(await payloads("domain.added")).toHaveLength(5)
  })

  test("six stores that race for one hostname: one has it, the others are told that it is taken", async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => given()))
    const answers = await Promise.all(stores.map(({ attach }) => attach("race.example")))
    expect(answers.map((a) => a.body.error?.code ?? a.status).sort()).toEqual([201, ...Array(5).fill("already_taken")])
    expect(await payloads("domain.added")).toHaveLength(1)
  })
})

const claimOf = (message: string) => /TXT record (\S+) to ([\w-]+)/.exec(message)?.slice(1) ?? []

describe("a domain that another store attached and never proved", () => {
  test("goes to the store that can set the record, and to nobody else", async () => {
    const squatter = await given()
    const owner = await given()
    const { asked } = answerTxt({})
    await squatter.attach("victim.example")
    const refused = await owner.attach("victim.example")
    expect([refused.status, refused.body.error.code]).toEqual([409, "already_taken"])
    const [name = "", value = ""] = claimOf(refused.body.error.message)
    expect(name).toBe("_tenancy-verify.victim.example")
    expect(asked).toContain(name)
    // Another store's claim is another token, and the squatter's own proves nothing here.
    const third = await given()
    expect(claimOf((await third.attach("victim.example")).body.error.message)[1]).not.toBe(value)
    answerTxt({ [name]: ["something else", value] })
    const claimed = await owner.attach("victim.example")
    expect([claimed.status, claimed.body.data.verification.txt_value]).toEqual([201, value])
    expect((await squatter.list()).data.map((row: { domain: string }) => row.domain)).not.toContain("victim.example")
    expect(await payloads("domain.removed")).toHaveLength(1)
    const verified = await owner.act("POST", "victim.example", "/verify")
    expect(verified.body.verification_result.verified).toBe(true)
    const late = await squatter.attach("victim.example")
    expect([late.body.error.code, late.body.error.message]).toEqual([
      "already_taken",
      expect.stringContaining("72 hours later"),
    ])
  })

  test("lapses after 14 days", async () => {
    answerTxt({})
    const { attach, list } = await given()
    await attach("old.example")
    await attach("young.example")
    await env.DB.prepare("update domains set created_at = ? where domain = 'old.example'")
      .bind(Date.now() - 14 * 86_400_000 - 1)
      .run()
    await run((ctx) => tendDomains(ctx))
    expect((await list()).data.map((row: { domain: string }) => row.domain).slice(1)).toEqual(["young.example"])
    expect(await trail("domain_removed")).toHaveLength(1)
  })
})

describe("a domain that another store has verified", () => {
  const HOUR = 3_600_000
  const NAME = "_tenancy-verify.shop.example"
  const cron = () => run((ctx) => tendDomains(ctx), { now: new Date() })
  const pass = (hours: number) => vi.setSystemTime(Date.now() + hours * HOUR)
  const mails = () => rows("select kind, recipient, data from mails where kind = 'domain_claimed' order by id")
  const holderOf = async () =>
    (await rows("select store_id, claim_seq, verified_at from domains where domain = 'shop.example'"))[0]

  /** A holder that verified shop.example, as its primary domain, and a claimant that knows its own token. */
  async function contested() {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
    const [holder, claimant] = [await given(), await given()]
    const old: string = (await holder.attach("shop.example")).body.data.verification.txt_value
    answerTxt({ [NAME]: [old] })
    await holder.act("POST", "shop.example", "/verify")
    await holder.act("POST", "shop.example", "/primary")
    const refused = await claimant.attach("shop.example")
    const [name = "", value = ""] = claimOf(refused.body.error.message)
    expect([refused.status, refused.body.error.code, name]).toEqual([409, "already_taken", NAME])
    const attach = () => claimant.attach("shop.example")
    return { holder, claimant, old, value, attach }
  }

  test("a verified domain passes to the store that DNS names, 72 hours after a mail to its owner and the operators", async () => {
    const { holder, claimant, old, value, attach } = await contested()
    await env.DB.prepare(
      "insert into operators (name, email, password_hash, created_at) values ('Op', 'op@example.com', 'x', 1)",
    ).run()
    answerTxt({ [NAME]: ["something else", value] })
    expect((await attach()).body.error.code).toBe("already_taken")
    const [owner, operator] = await mails()
    expect(operator?.recipient).toBe("op@example.com")
    expect(JSON.parse(String(owner?.data))).toMatchObject({ domain: "shop.example", record: NAME, value: old })
    expect(await trail("domain_claimed")).toEqual([
      { data: JSON.stringify({ by: claimant.store }), actor_type: "api_key" },
    ])
    pass(71)
    await cron()
    expect((await attach()).body.error.code).toBe("already_taken")
    expect((await holderOf())?.store_id).toBe(holder.store)
    expect(await mails()).toHaveLength(2)
    pass(1)
    await cron()
    expect(await holderOf()).toEqual({ store_id: claimant.store, claim_seq: null, verified_at: expect.any(Number) })
    const left = (await holder.list()).data
    expect(left).toMatchObject([{ domain: `${holder.store}.localhost`, is_primary: true }])
    const last = async (type: string) => (await payloads(type)).at(-1).data
    expect((await last("domain.removed")).store).toMatchObject({
      id: holder.store,
      root_url: `https://${holder.store}.localhost`,
    })
    expect((await last("domain.primary_changed")).previous_primary).toBe("shop.example")
    expect((await last("domain.verified")).store.id).toBe(claimant.store)
  })

  test("two requests and the cron at once hand a claimed domain over once", async () => {
    const { claimant, value, attach } = await contested()
    answerTxt({ [NAME]: [value] })
    await attach()
    pass(72)
    const [first, second] = await Promise.all([attach(), attach(), cron()])
    expect([201, 409]).toContain(first.status)
    expect([201, 409]).toContain(second.status)
    await cron()
    expect((await holderOf())?.store_id).toBe(claimant.store)
    expect(await payloads("domain.removed")).toHaveLength(1)
    expect(await payloads("domain.verified")).toHaveLength(2)
  })

  test("a claim ends when the holder's record is back or the claimant's is gone, and the next one waits 72 hours again", async () => {
    const { holder, old, value, attach } = await contested()
    answerTxt({ [NAME]: [old, value] })
    expect((await attach()).status).toBe(409)
    expect(await mails()).toEqual([])
    for (const records of [[old, value], [old], ["something else"], []]) {
      answerTxt({ [NAME]: [value] })
      await attach()
      expect((await holderOf())?.claim_seq).not.toBeNull()
      pass(71)
      answerTxt({ [NAME]: records })
      await cron()
      expect((await holderOf())?.claim_seq).toBeNull()
    }
    // The grace begins again.
    answerTxt({ [NAME]: [value] })
    await attach()
    pass(71)
    expect((await attach()).status).toBe(409)
    expect(await holderOf()).toMatchObject({ store_id: holder.store, verified_at: expect.any(Number) })
    expect(await trail("domain_claim_ended")).toHaveLength(4)
  })

  test("a resolver that fails neither begins, ends nor completes a claim", async () => {
    const { holder, value, attach } = await contested()
    for (const failure of [null, 2, 5] as const) {
      answerTxt(failure)
      expect((await attach()).status).toBe(409)
    }
    expect(await holderOf()).toMatchObject({ claim_seq: null })
    answerTxt({ [NAME]: [value] })
    await attach()
    pass(100)
    for (const failure of [null, 2] as const) {
      answerTxt(failure)
      await cron()
      expect((await attach()).status).toBe(409)
    }
    expect(await holderOf()).toMatchObject({ store_id: holder.store, claim_seq: expect.any(Number) })
  })

  test("a second claimant waits while the first one's record is there, also when both claim at once", async () => {
    const { claimant, value, attach } = await contested()
    const third = await given()
    const other = claimOf((await third.attach("shop.example")).body.error.message)[1] ?? ""
    answerTxt({ [NAME]: [value, other] })
    await Promise.all([attach(), third.attach("shop.example")])
    expect(await trail("domain_claimed")).toHaveLength(1)
    answerTxt({ [NAME]: [value] })
    await attach()
    await cron()
    await attach()
    pass(24)
    answerTxt({ [NAME]: [value, other] })
    expect((await third.attach("shop.example")).status).toBe(409)
    pass(48)
    await cron()
    expect((await holderOf())?.store_id).toBe(claimant.store)
  })

  test("a domain stays with its holder when the claiming store may not attach it or is deleted", async () => {
    const { holder, claimant, value, attach } = await contested()
    answerTxt({ [NAME]: [value] })
    await attach()
    pass(72)
    const small = await makePlan({ features: { custom_domain: false, api_access: true, remove_branding: true } })
    const path = `/stores/${claimant.store}`
    await platform("POST", `${path}/subscription/assign`, { token: claimant.token, json: { plan: small.slug } })
    await cron()
    expect(await holderOf()).toMatchObject({ store_id: holder.store, claim_seq: null })
    await env.DB.prepare("update domains set claim_seq = 9999, claimed_at = 1 where domain = 'shop.example'").run()
    await cron()
    expect(await holderOf()).toMatchObject({ store_id: holder.store, claim_seq: null })
  })

  test("a verified domain without a claim is not looked up by the cron", async () => {
    await contested()
    const { asked } = answerTxt({})
    await cron()
    expect(asked).toEqual([])
  })
})

describe("POST /stores/{id}/domains/{domain}/verify", () => {
  test("each thing that DNS can say has its reason, and only the token verifies", async () => {
    const { attach, act } = await given()
    const { id, verification } = (await attach("shop.example")).body.data
    const name = verification.txt_name
    const cases: [Parameters<typeof answerTxt>[0], string][] = [
      [{}, "record_not_found"],
      [{ [name]: [] }, "record_not_found"],
      [{ "shop.example": [verification.txt_value] }, "record_not_found"],
      [{ [name]: ["something else", `${verification.txt_value}x`] }, "value_mismatch"],
      [null, "dns_error"],
      [2, "dns_error"],
    ]
    for (const [records, reason] of cases) {
      answerTxt(records)
      const { status, body } = await act("POST", id, "/verify")
      expect.soft([status, body]).toEqual([
        200,
        {
          data: { id, verified_at: null, is_routable: false },
          verification_result: { verified: false, method: "txt", reason },
        },
      ])
    }
    expect(await payloads("domain.verified")).toEqual([])
    answerTxt({ [name]: ["v=spf1 -all", verification.txt_value] })
    const { body } = await act("POST", "SHOP.example", "/verify")
    expect(body).toEqual({
      data: { id, verified_at: expect.any(String), is_routable: true },
      verification_result: { verified: true, method: "txt", reason: null },
    })
    const [event] = await payloads("domain.verified")
    expect(event.data.domain).toMatchObject({ id, domain: "shop.example", is_routable: true })
    expect(event.data.domain.verification).toBeUndefined()
    expect(await trail("domain_verified")).toEqual([{ data: '{"to":"shop.example"}', actor_type: "api_key" }])
  })

  test("fires once however often it is asked, also at the same moment; a verified domain is not looked up again", async () => {
    const { attach, act } = await given()
    const { id, verification } = (await attach("shop.example")).body.data
    answerTxt({ [verification.txt_name]: [verification.txt_value] })
    const together = await Promise.all([1, 2, 3, 4].map(() => act("POST", id, "/verify")))
    expect(together.every((answer) => answer.body.verification_result.verified)).toBe(true)
    const { asked } = answerTxt({})
    expect((await act("POST", id, "/verify")).body.verification_result.verified).toBe(true)
    expect(asked).toEqual([])
    expect(await payloads("domain.verified")).toHaveLength(1)
  })

  test("the cron verifies what waits, asks those first that waited longest, and one fault does not stop the others", async () => {
    const { attach, list } = await given()
    const [first, second, third] = await Promise.all(
      ["one.example", "two.example", "three.example"].map(async (name) => (await attach(name)).body.data),
    )
    await env.DB.prepare("update domains set checked_at = ? where id = ?")
      .bind(Date.now() - 5000, first.id)
      .run()
    const { asked } = answerTxt({ [third.verification.txt_name]: [third.verification.txt_value] })
    const execution = createExecutionContext()
    await worker.scheduled(createScheduledController({ cron: "7 * * * *", scheduledTime: new Date() }), env, execution)
    await waitOnExecutionContext(execution)
    expect(asked.at(-1)).toBe(first.verification.txt_name)
    expect(asked.slice(0, 2).sort()).toEqual([second, third].map((domain) => domain.verification.txt_name).sort())
    const verified = (await list()).data.filter((d: { verified_at: string | null }) => d.verified_at)
    expect(verified.map((d: { domain: string }) => d.domain).sort()).toContain("three.example")
    expect(await trail("domain_verified")).toEqual([{ data: '{"to":"three.example"}', actor_type: "system" }])
    const checked = await rows("select domain from domains where checked_at is not null order by id")
    expect(checked.map((row) => row.domain).sort()).toEqual(["one.example", "two.example"])
  })
})

describe("a verified domain", () => {
  const verified = async (name = "shop.example") => {
    const store = await given({ name: "Routed store" })
    const { id, verification } = (await store.attach(name)).body.data
    answerTxt({ [verification.txt_name]: [verification.txt_value] })
    await store.act("POST", id, "/verify")
    return { ...store, id }
  }

  test("leads to its store's front; an unverified or removed one leads nowhere", async () => {
    const { attach, act, id } = await verified()
    await attach("waiting.example")
    expect((await call("GET", "/", { host: "waiting.example" })).status).toBe(404)
    const home = await call("GET", "/", { host: "shop.example" })
    expect([home.status, home.text.includes("Routed store")]).toEqual([200, true])
    expect((await act("DELETE", id)).status).toBe(204)
    expect((await call("GET", "/", { host: "shop.example" })).status).toBe(404)
  })

  test("primary: refuses an unverified one, moves once, and root_url follows in answer and event", async () => {
    const { attach, act, id, store, token, list } = await verified()
    const waiting = (await attach("waiting.example")).body.data
    const early = await act("POST", waiting.id, "/primary")
    expect([early.status, early.body.error.code]).toEqual([409, "verify_first"])
    const { status, body } = await act("POST", "shop.example", "/primary")
    expect([status, body.data.id, body.data.is_primary]).toEqual([200, id, true])
    expect((await platform("GET", `/stores/${store}`, { token })).body.data.root_url).toBe("https://shop.example")
    const primaries = (await list()).data.filter((d: { is_primary: boolean }) => d.is_primary)
    expect(primaries.map((d: { domain: string }) => d.domain)).toEqual(["shop.example"])
    await act("POST", id, "/primary")
    const events = await payloads("domain.primary_changed")
    expect(events).toHaveLength(1)
    expect(events[0].data).toMatchObject({
      store: { root_url: "https://shop.example" },
      domain: { id, is_primary: true },
      previous_primary: `${store}.localhost`,
    })
    expect(await trail("primary_changed")).toEqual([
      { data: JSON.stringify({ from: `${store}.localhost`, to: "shop.example" }), actor_type: "api_key" },
    ])
    expect((await act("POST", `${store}.localhost`, "/primary")).body.data.is_primary).toBe(true)
  })

  test("two domains made primary at once leave one primary", async () => {
    const { act, attach, id, list } = await verified()
    const { id: other, verification } = (await attach("two.example")).body.data
    answerTxt({ [verification.txt_name]: [verification.txt_value] })
    await act("POST", other, "/verify")
    await Promise.all([act("POST", id, "/primary"), act("POST", other, "/primary")])
    expect((await list()).data.filter((d: { is_primary: boolean }) => d.is_primary)).toHaveLength(1)
  })

  test("stays routable after a downgrade to a plan without custom domains", async () => {
    const { store } = await verified()
    const small = await makePlan({ features: { custom_domain: false, api_access: false, remove_branding: false } })
    const token = await makeKey()
    await platform("POST", `/stores/${store}/subscription/assign`, { token, json: { plan: small.slug } })
    expect((await call("GET", "/", { host: "shop.example" })).status).toBe(200)
  })

  test("DELETE: neither the fallback nor the primary, everything else with its trail and event", async () => {
    const { act, id, store } = await verified()
    await act("POST", id, "/primary")
    for (const segment of [`${store}.localhost`, id]) {
      const { status, body } = await act("DELETE", segment)
      expect([status, body.error.code]).toEqual([409, "not_removable"])
    }
    await act("POST", `${store}.localhost`, "/primary")
    expect((await act("DELETE", "shop.example")).status).toBe(204)
    expect((await act("DELETE", "shop.example")).status).toBe(404)
    expect(await rows("select id from domains where is_fallback = 0")).toEqual([])
    const [event] = await payloads("domain.removed")
    expect(event.data.domain).toMatchObject({ id, domain: "shop.example" })
    expect(await trail("domain_removed")).toEqual([{ data: '{"from":"shop.example"}', actor_type: "api_key" }])
  })
})

describe("paths", () => {
  test("another store's domain, and what no domain can be called, are not found by any verb", async () => {
    const mine = await given()
    const theirs = await given()
    const { id } = (await theirs.attach("theirs.example")).body.data
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
        const { status } = await mine.act(method, segment, action)
        expect.soft([404, 405].includes(status), `${segment} ${method} ${action}`).toBe(true)
      }
    }
    expect(await rows("select id from domains where domain = 'theirs.example'")).toEqual([{ id }])
  })

  test("a store that does not exist is not found", async () => {
    const token = await makeKey()
    for (const path of ["/stores/ghost/domains", "/stores/gh%2fost/domains"]) {
      expect((await platform("GET", path, { token })).status).toBe(404)
      expect((await platform("POST", path, { token, json: { domain: "a.example" } })).status).toBe(404)
    }
  })

  test("a read costs two round trips and a write three", async () => {
    const { attach, act, list } = await given()
    const { id, verification } = (await attach("one.example")).body.data
    answerTxt({ [verification.txt_name]: [verification.txt_value] })
    await list()
    const costs = [
      await costsOf(() => list()),
      await costsOf(() => attach("two.example")),
      await costsOf(() => act("POST", id, "/verify")),
      await costsOf(() => act("POST", id, "/primary")),
      await costsOf(() => act("DELETE", "two.example")),
    ]
    expect(costs.map((cost) => cost.roundTrips)).toEqual([2, 3, 3, 3, 3])
  })
})
