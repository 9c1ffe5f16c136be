// The front page, what crawlers request, and error pages of the platform's own host.
import { beforeEach, describe, expect, test } from "vitest"
import { LOCALES } from "../../src/core/i18n/locale"
import { themes } from "../../src/themes/catalog"
import { call, platform, sendOperatorCommand } from "../support/app"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"

/** Opens the front page. */
const open = (headers: Record<string, string> = {}, settings: Record<string, string> = {}) =>
  call("GET", "/", { headers, env: settings })

describe("the front page", () => {
  beforeEach(async () => {
    await makePlan({ slug: "pro", name: "Pro", price_cents: 4900, trial_days: 14 })
  })

  test("shows a picture of every published theme, which the platform serves and browsers cache", async () => {
    const { text } = await open()
    const paths = [...new Set(text.match(/\/themes\/[a-z]+-[0-9a-f]{16}\.webp/g))]
    for (const { slug } of themes.filter(({ published, hasAssets }) => published && hasAssets))
      expect(
        paths.some((path) => path.startsWith(`/themes/${slug}-`)),
        slug,
      ).toBe(true)
    for (const path of paths) {
      const { status, headers, text: bytes } = await call("GET", path)
      expect([status, headers.get("Content-Type")]).toEqual([200, "image/webp"])
      expect(headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable")
      expect(bytes.length).toBeLessThan(40_000)
    }
    expect((await call("GET", "/themes/atelier-0000000000000000.webp")).status).toBe(404)
    expect((await call("GET", "/themes/constructor-0000000000000000.webp")).status).toBe(404)
  })

  test("promises only methods of payment, domains and trials that exist", async () => {
    const bare = await open()
    expect(bare.text).not.toContain("How do I pay?")
    await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
    expect((await open()).text).toContain("By bank transfer, on your store")
    const both = await open({}, { STRIPE_SECRET_KEY: "sk_test" })
    expect(both.text).toContain("By card or by bank transfer")
    expect(both.text).toContain("14-day free trial")
    expect(both.text.match(/Yes, with these plans: Pro\./g)).toHaveLength(2)
    expect(both.text).toContain("its data is kept until you pay or cancel. If you cancel, its data is deleted")
    const features = { custom_domain: false, api_access: false, remove_branding: false }
    await makePlan({ slug: "pro", name: "Pro", price_cents: 4900, trial_days: 0, features })
    const without = await open()
    for (const promise of ["free trial", "own domain", "Is there an API?"]) expect(without.text).not.toContain(promise)
  })

  test("links to the demo store only while it is served", async () => {
    const settings = { TENANCY_DEMO_STORE: "demo" }
    expect((await open({}, settings)).text).not.toContain("See a demo store")
    await makeReadyStore({ subdomain: "demo" })
    expect((await open({}, settings)).text).toMatch(/href="https?:\/\/demo\.localhost[^"]*">See a demo store/)
    await platform("POST", "/stores/demo/suspend", { token: await makeKey() })
    expect((await open({}, settings)).text).not.toContain("See a demo store")
  })

  test("has a link preview, in every language, and takes one round trip", async () => {
    for (const locale of LOCALES) {
      const { text } = await open({ "Accept-Language": locale })
      expect(text).toContain(`<html lang="${locale}"`)
      expect(text).toMatch(/<meta property="og:image" content="https?:\/\/[^"]+\/themes\/bazaar-[0-9a-f]{16}\.webp"/)
      for (const name of ["title", "description", "url", "site_name"]) expect(text).toContain(`property="og:${name}"`)
    }
    expect((await costsOf(() => open())).roundTrips).toBe(1)
  })
})

describe("crawlers", () => {
  test("get a robots.txt that names the sitemap, whose pages exist and may be indexed", async () => {
    const robots = await call("GET", "/robots.txt")
    expect(robots.headers.get("Content-Type")).toMatch(/^text\/plain/)
    const sitemap = /Sitemap: https?:\/\/[^/]+(\/\S+)/.exec(robots.text)?.[1] ?? ""
    const disallowed = [...robots.text.matchAll(/Disallow: (\S+)/g)].map(([, path = ""]) => path)
    const { text, headers } = await call("GET", sitemap)
    expect(headers.get("Content-Type")).toMatch(/^application\/xml/)
    const paths = [...text.matchAll(/<loc>https?:\/\/[^/<]+([^<]*)<\/loc>/g)].map(([, path = ""]) => path)
    expect(paths).toContain("/")
    for (const path of paths) {
      expect(
        disallowed.some((prefix) => path.startsWith(prefix)),
        path,
      ).toBe(false)
      const page = await call("GET", path)
      expect([path, page.status, page.text.includes("noindex")]).toEqual([path, 200, false])
    }
  })

  test("do not find a sign-up that is disabled in the sitemap", async () => {
    expect((await call("GET", "/sitemap.xml", { env: { TENANCY_SIGNUP_ENABLED: "false" } })).text).not.toContain(
      "signup",
    )
  })
})

describe("errors of the platform's host", () => {
  test.each(["/nope", "/nope/deep", "/products", "/themes/x", "/signup/nope"])("shows a page for %s", async (path) => {
    const { status, text, headers } = await call("GET", path, { headers: { "Accept-Language": "fr" } })
    expect([status, headers.get("Content-Type")]).toEqual([404, "text/html; charset=utf-8"])
    expect(text).toContain("Page introuvable")
    expect(text).toContain('href="/"')
  })

  test("shows a page with Allow for a method that a page does not have, and JSON to JSON clients", async () => {
    const page = await call("PUT", "/signup")
    expect([page.status, page.headers.get("Content-Type")]).toEqual([405, "text/html; charset=utf-8"])
    expect(page.headers.get("Allow")).toContain("POST")
    const json = await call("PUT", "/signup", { headers: { Accept: "application/json" } })
    expect([json.status, json.body.error.code]).toEqual([405, "method_not_allowed"])
    expect((await call("GET", "/api/nope")).headers.get("Content-Type")).toMatch(/json/)
  })

  test("leaves the paths of a store's host to the storefront", async () => {
    const host = `${await makeReadyStore()}.localhost`
    expect((await call("GET", "/", { host })).text).not.toContain("Questions and answers")
    expect((await call("GET", "/themes/x", { host })).status).toBe(404)
  })
})
