// The documentation's pages: they list every operation, error code and event, their links resolve, and they load
// nothing from other hosts.
import { describe, expect, test } from "vitest"
import content from "../../openapi/content.json?raw"
import license from "../../openapi/license.json?raw"
import platform from "../../openapi/platform.json?raw"
import { call } from "../support/app"
import { makeReadyStore } from "../support/factories"

const DOCUMENTS = { platform, content, license }
const GUIDES = [
  "first-request",
  "authentication",
  "verifying-webhooks",
  "endpoint-options",
  "writing-a-receiver",
  "following-events",
  "pagination",
  "idempotency",
  "concurrent-changes",
  "errors",
  "limits",
  "versioning",
  "client",
  "python-and-php",
  "mcp",
  "licensing-a-php-plugin",
]
const PAGES = ["", "/platform", "/content", "/license", "/codes", "/events", ...GUIDES.map((name) => `/${name}`)]

const listOperationIds = (text: string): string[] =>
  Object.values<Record<string, { operationId: string }>>(JSON.parse(text).paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  )

/** The `id` attributes of a page. */
const listIds = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id)

describe("every page", () => {
  test("serves every page as HTML that loads nothing from other hosts, with an ETag and exactly one h1", async () => {
    for (const page of PAGES) {
      const { status, headers, text } = await call("GET", `/docs${page}`)
      expect.soft([status, headers.get("Content-Type")], page).toEqual([200, "text/html; charset=utf-8"])
      expect
        .soft(headers.get("Content-Security-Policy"), page)
        .toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/)
      expect.soft(text.match(/<h1/g), page).toHaveLength(1)
      expect.soft(text, page).not.toMatch(/ style=| on[a-z]+=|<script(?! src="\/docs\/assets\/)/)
      const again = await call("GET", `/docs${page}`, { headers: { "If-None-Match": headers.get("ETag") ?? "" } })
      expect.soft([again.status, again.text], page).toEqual([304, ""])
      const ids = listIds(text)
      expect.soft(new Set(ids).size, page).toBe(ids.length)
    }
  })

  test("links on every page lead to pages and anchors that exist", async () => {
    const ids = new Map<string, Set<string>>()
    const texts = new Map<string, string>()
    for (const page of PAGES) {
      const { text } = await call("GET", `/docs${page}`)
      texts.set(`/docs${page}`, text)
      ids.set(`/docs${page}`, new Set(listIds(text)))
    }
    const others = new Map<string, number>()
    for (const [page, text] of texts) {
      for (const [, href = ""] of text.matchAll(/(?:href|src|action)="([^"]+)"/g)) {
        if (/^(https?|data):/.test(href)) continue
        const [path = "", hash] = href.split("#")
        const target = path || page
        if (hash) expect.soft(ids.get(target)?.has(hash), `${page}: ${href}`).toBe(true)
        else if (!ids.has(target)) others.set(target, others.get(target) ?? (await call("GET", target)).status)
      }
    }
    expect([...others].filter(([, status]) => status !== 200)).toEqual([])
  })

  test("serves every page as Markdown at .md and lists it in /llms.txt", async () => {
    const { text: llms } = await call("GET", "/llms.txt")
    const listed = [...llms.matchAll(/\/docs\/([\w-]+)\.md/g)].map(([, name]) => `/${name}`)
    expect(listed.toSorted()).toEqual(PAGES.slice(1).toSorted())
    // The start page shows the first paragraph of each guide as a link, which has no links in it.
    expect((await call("GET", "/docs")).text).not.toContain("](")
    for (const page of PAGES.slice(1)) {
      const { status, headers, text } = await call("GET", `/docs${page}.md`)
      expect.soft([status, headers.get("Content-Type")], page).toEqual([200, "text/markdown; charset=utf-8"])
      expect.soft(text, page).toMatch(/^# /)
      expect.soft(llms).toContain(`/docs${page}.md`)
    }
  })
})

describe("the reference", () => {
  test.each(Object.entries(DOCUMENTS))(
    "contains every operation of %s, in the reference and on the start page",
    async (name, text) => {
      const page = new Set(listIds((await call("GET", `/docs/${name}`)).text))
      const startPage = new Set(listIds((await call("GET", "/docs")).text))
      for (const id of listOperationIds(text)) expect.soft([page.has(id), startPage.has(id)], id).toEqual([true, true])
    },
  )

  test("lists every error code and every event", async () => {
    const { "x-codes": codes, webhooks } = JSON.parse(platform)
    const codesPage = new Set(listIds((await call("GET", "/docs/codes")).text))
    const startPage = new Set(listIds((await call("GET", "/docs")).text))
    const eventsPage = new Set(listIds((await call("GET", "/docs/events")).text))
    for (const code of Object.keys(codes))
      expect.soft([codesPage.has(code), startPage.has(code)], code).toEqual([true, true])
    for (const type of Object.keys(webhooks)) expect.soft(eventsPage.has(type), type).toBe(true)
  })

  test("shows a curl sample and a client sample for each operation of the control plane", async () => {
    const { text } = await call("GET", "/docs/platform")
    expect(text.match(/>curl<\/figcaption>/g)).toHaveLength(listOperationIds(platform).length)
    for (const title of ["Client", "PHP", "Python"])
      expect(text.split(`>${title}</figcaption>`), title).toHaveLength(listOperationIds(platform).length + 1)
  })
})

test("shows a client sample for each operation of every API that is not deprecated", async () => {
  for (const name of Object.keys(DOCUMENTS)) {
    const { text } = await call("GET", `/docs/${name}`)
    const operations = text.split('<article class="operation"').slice(1)
    const without = operations.filter((section) => !section.includes(">Client</figcaption>"))
    expect(operations.length - without.length, name).toBeGreaterThan(30)
    for (const section of without) expect(section.slice(0, 2_000), name).toContain("pill deprecated")
  }
  expect((await call("GET", "/docs/license.md")).text).toContain("licenses.client.verify({")
})

test("marks the parameters and fields that a request needs, and no others", async () => {
  const { text } = await call("GET", "/docs/content")
  const find = (operation: string, field: string) => {
    const section = text.slice(text.indexOf(` id="${operation}"`))
    return /<dt>.*?<\/dt>/.exec(section.slice(section.indexOf(`<dt><code>${field}</code>`)))?.[0] ?? ""
  }
  expect(find("products.list", "per_page")).toMatch(/integer<\/span><\/dt>/)
  expect(find("orders.place", "items")).toContain("<em>required</em>")
  expect(find("orders.place", "note")).not.toContain("required")
})

test("search finds guides by their text, and tolerates typing errors", async () => {
  const find = async (query: string): Promise<{ href: string }[]> =>
    (await call("GET", `/docs/search.json?q=${encodeURIComponent(query)}`)).body
  const expected = {
    authentication: "/docs/authentication",
    sdk: "/docs/client",
    node: "/docs/client",
    "retry schedule": "/docs/verifying-webhooks#retries",
    webhok: "/docs/verifying-webhooks",
    postman: "/docs/first-request#use-postman-or-a-code-generator",
    openapi: "/docs/first-request#use-postman-or-a-code-generator",
    idempotancy: "/docs/idempotency",
    subdomain_taken: "/docs/codes#subdomain_taken",
    changeplan: "/docs/platform#subscriptions.changePlan",
  }
  for (const [query, href] of Object.entries(expected)) {
    const hrefs = (await find(query)).map((result) => result.href)
    expect.soft(hrefs, query).toContain(href)
  }
  expect((await find("authentication"))[0]?.href).toBe("/docs/authentication")
  expect([await find("xqzzvw"), await find(""), await find("a".repeat(100_000))]).toEqual([[], [], []])
})

test("samples of paths that only stores have use a store's host, and other samples the platform's", async () => {
  const { text } = await call("GET", "/docs/content.md")
  expect(text).toContain("curl 'https://acme.localhost/api/v1/products'")
  expect(text).toContain("curl 'https://localhost/api/v1/posts/pictures-that-sell'")
})

test("samples of client software name the installation, and those of vendors do not", async () => {
  const blocks = (await call("GET", "/docs/license.md")).text.split("```")
  const findSample = (path: string) => blocks.find((block) => block.includes(`curl -X POST`) && block.includes(path))
  for (const path of ["license/activate", "license/verify", "license/deactivate"])
    expect(findSample(`/external/${path}'`), path).toContain("-H 'X-API-URL: https://shop.example.com' \\\n")
  const vendor = findSample("/internal/product-licenses'")
  expect([vendor?.includes("VENDOR_KEY"), vendor?.includes("X-API-URL")]).toEqual([true, false])
})

test("finds operations, error codes, events and guides without a script, and escapes any query", async () => {
  const { text } = await call("GET", "/docs/search?q=subdomain_taken")
  expect(text).toContain('href="/docs/codes#subdomain_taken"')
  expect((await call("GET", "/docs/search?q=rotate")).text).toContain('href="/docs/platform#webhooks.rotateSecret"')
  const hostile = await call(
    "GET",
    `/docs/search?q=${encodeURIComponent(`"><script>alert(1)</script>${"x".repeat(5000)}`)}`,
  )
  expect(hostile.status).toBe(200)
  expect(hostile.text).not.toContain("<script>alert")
})

test("serves stylesheet and script under content hashes, cacheable for a year, and returns 404 for any other name", async () => {
  const { text } = await call("GET", "/docs")
  const files = [...text.matchAll(/\/docs\/assets\/[^"]+/g)].map(([path]) => path)
  expect(files).toHaveLength(2)
  for (const file of files) {
    const { status, headers } = await call("GET", file)
    expect([status, headers.get("Cache-Control")]).toEqual([200, "public, max-age=31536000, immutable"])
  }
  expect((await call("GET", "/docs/assets/0000000000000000.css")).status).toBe(404)
})

test("redirects /docs/ to /docs", async () => {
  const { status, headers } = await call("GET", "/docs/")
  expect([status, headers.get("Location")]).toEqual([308, "/docs"])
})

test("returns 404 for the documentation on a store's host", async () => {
  const host = `${await makeReadyStore()}.localhost`
  for (const path of ["/docs", "/docs/platform", "/llms.txt", "/docs/search.json"]) {
    expect.soft((await call("GET", path, { host })).status, path).toBe(404)
  }
})

describe("forms that send requests", () => {
  const env = { TENANCY_DOCS_DEMO_KEYS: "bearer=tnk_demo|1,siteKey=a=b", TENANCY_DEMO_STORE: "acme" }
  const local = { ...env, PUBLIC_URL: "http://{host}:8787" }

  test("a local platform loads them with its demo keys, and may only connect to itself and the demo store", async () => {
    const { text, headers } = await call("GET", "/docs/platform", { env: local })
    expect(text).toContain(
      `data-keys="{&quot;bearer&quot;:&quot;tnk_demo|1&quot;,&quot;siteKey&quot;:&quot;a=b&quot;}"`,
    )
    expect(headers.get("Content-Security-Policy")).toContain("connect-src 'self' http://acme.localhost:8787;")
    const [, script = ""] = /src="([^"]+)"[^>]* data-keys/.exec(text) ?? []
    expect((await call("GET", script, { env: local })).text).toContain("Send request")
  })

  test("no platform without demo keys or with HTTPS has them", async () => {
    for (const settings of [env, { ...local, TENANCY_DOCS_DEMO_KEYS: "" }]) {
      const { text, headers } = await call("GET", "/docs/platform", { env: settings })
      expect([text.includes("data-keys"), text.includes("tnk_demo")]).toEqual([false, false])
      expect(headers.get("Content-Security-Policy")).toContain("connect-src 'self';")
    }
  })
})
