// What a store's page leads to: its shop in another theme, and what DNS answers about its domains.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { call } from "../support/app"
import { costsOf } from "../support/costs"
import { answerTxt } from "../support/dns"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { signIn } from "./support"

test("a theme is looked at before it is switched, in a page that runs nothing and that only the console frames", async () => {
  await makePlan({ slug: "plain", themes: ["atelier"] })
  const admin = await signIn()
  const store = await makeReadyStore({ name: "Acme <b>", plan: "plain" })
  const page = await admin.get(`/console/stores/${store}/theme?theme=nocturne`)
  const src = /<iframe src="([^"]+)"/.exec(page.text)?.[1] ?? ""
  expect(src).toBe(`/console/stores/${store}/theme/preview?theme=nocturne`)
  expect(page.headers.get("Content-Security-Policy")).toMatch(/; frame-src 'self'$/)
  // What it may not switch to it may still look at, and is told why not.
  expect(page.text).toContain("does not include")
  const preview = await admin.get(src)
  expect(preview.status).toBe(200)
  expect(preview.text).toContain("Acme &lt;b&gt;")
  const policy = preview.headers.get("Content-Security-Policy") ?? ""
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /)
  expect(policy).toMatch(/form-action 'none'; .*frame-ancestors 'self'; sandbox$/)
  expect(policy).not.toContain("script-src")
  expect(preview.headers.get("Cache-Control")).toBe("no-store")
  expect((await admin.get(`/console/stores/${store}/theme/preview?theme=none`)).status).toBe(404)
  expect((await admin.get("/console/stores/nobody/theme/preview?theme=nocturne")).status).toBe(404)
  expect((await admin.post(`/console/stores/${store}/theme`, { theme: "nocturne" })).status).toBe(422)
})

test("a domain's page says what DNS answers now beside what it should, and what is wrong with it", async () => {
  const admin = await signIn()
  const store = await makeReadyStore()
  await admin.post(`/console/stores/${store}/domains`, { domain: "shop.example.com" })
  const row = await env.DB.prepare("select id, verification_token as token from domains where is_fallback = 0").first<{
    id: number
    token: string
  }>()
  const path = `/console/stores/${store}/domains/${row?.id}/dns`
  expect((await admin.get(`/console/stores/${store}`)).text).toContain(`href="${path}"`)
  const { asked } = answerTxt({ "_tenancy-verify.shop.example.com": ["something else"] })
  const wrong = await admin.get(path)
  expect(asked).toHaveLength(4)
  expect(wrong.text).toContain("something else")
  expect(wrong.text).toContain("another value")
  expect(wrong.text).toContain("no such name")
  answerTxt({ "_tenancy-verify.shop.example.com": [row?.token ?? ""] })
  expect((await admin.get(path)).text).toContain('data-tone="good">ok')
  answerTxt(2)
  expect((await admin.get(path)).text).toContain("the name&#39;s servers fail")
  answerTxt(null)
  expect((await admin.get(path)).text).toContain("no answer that can be trusted")
  expect((await admin.get(`/console/stores/${store}/domains/999/dns`)).status).toBe(404)
})

test("a store's trail is read beside twenty thousand entries of others as it is beside none", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const admin = await signIn()
  const store = await makeReadyStore({ subdomain: "acme" })
  const headers = { Authorization: `Bearer ${await makeKey()}` }
  const reads = {
    events: () => call("GET", `/api/platform/v1/stores/${store}/events`, { headers }),
    "second page": () => call("GET", `/api/platform/v1/stores/${store}/events?per_page=1&page=2`, { headers }),
    page: () => admin.get(`/console/stores/${store}`),
  }
  const rowsRead = async () => {
    const found: Record<string, number> = {}
    for (const [name, read] of Object.entries(reads)) {
      await read()
      const answers: number[] = []
      found[name] = (await costsOf(async () => answers.push((await read()).status))).rowsRead
      expect([...answers], name).toEqual([200])
    }
    return found
  }
  const alone = await rowsRead()
  const columns = (await env.DB.prepare("select name from pragma_table_info('audit_entries')").all<{ name: string }>())
    .results
  const copied = columns.map(({ name }) => name).filter((name) => !["id", "store_id", "store_seq"].includes(name))
  // Of other stores, of an earlier store of the same name, and of none; one after the other.
  await env.DB.prepare(
    `insert into audit_entries (store_id, store_seq, ${copied})
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
     select case i % 3 when 0 then 'acme' when 1 then '' else 'other-' || i end, case i % 3 when 1 then 0 else 1000 + i end, ${copied}
     from n, (select * from audit_entries where store_id = 'acme' limit 1)`,
  ).run()
  expect(await rowsRead()).toEqual(alone)
})
