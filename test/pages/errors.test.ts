// Error pages of surfaces without their own layout: in the visitor's language, with a link onwards.
import { expect, test } from "vitest"
import { signInToAdmin } from "../admin/support"
import { call } from "../support/app"
import { hostOfStore } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"

const BROWSER = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

test("answers unknown paths of every surface with a page in the visitor's language", async () => {
  const host = hostOfStore(await makeReadyStore())
  for (const [path, on] of [
    ["/docs/nothing-here", undefined],
    ["/nothing-here", undefined],
    ["/media/files/1/nothing.png", host],
    ["/billing/nothing-here", host],
    ["/account/reset-password/nothing-here", host],
  ] as const) {
    for (const [language, title] of [
      ["fr", "Page introuvable"],
      ["de", "Page not found"],
    ] as const) {
      const headers = { ...BROWSER, "Accept-Language": language }
      const { status, text, headers: sent } = await call("GET", path, { host: on, headers })
      expect([status, text.includes(`>${title}</h1>`), text.includes('href="/"')], path).toEqual([404, true, true])
      expect(sent.get("Content-Type"), path).toBe("text/html; charset=utf-8")
      expect(sent.get("Content-Security-Policy"), path).toContain("default-src 'none'")
      expect(sent.get("Cache-Control"), path).toBe("no-store")
    }
  }
})

test("says on the central host that each store has its admin, billing, cart and accounts at its own address", async () => {
  const store = await makeReadyStore()
  for (const [path, body] of [
    ["/admin", "Each store has this page at its own address, followed by /admin."],
    ["/admin/products", "Each store has this page at its own address, followed by /admin."],
    ["/billing", "Each store has this page at its own address, followed by /billing."],
    ["/account", "only at the address of a store"],
    ["/cart", "only at the address of a store"],
    ["/checkout", "only at the address of a store"],
    ["/administration", "may be mistyped"],
  ] as const) {
    const { status, text } = await call("GET", path, { headers: BROWSER })
    expect([status, text.includes(body), text.includes(store)], path).toEqual([404, true, false])
  }
  const french = await call("GET", "/admin", { headers: { ...BROWSER, "Accept-Language": "fr" } })
  expect(french.text).toContain("a cette page à sa propre adresse")
  expect(french.text).toContain('href="/sign-in"')
})

test("keeps JSON for APIs and plain text for files that a page loads", async () => {
  const host = hostOfStore(await makeReadyStore())
  const api = await call("GET", "/api/v1/nothing-here", { host, headers: BROWSER })
  expect([api.status, api.headers.get("Content-Type")]).toEqual([404, "application/json"])
  const json = await call("GET", "/openapi/nothing.json", { headers: BROWSER })
  expect([json.status, json.headers.get("Content-Type")]).toEqual([404, "text/plain; charset=UTF-8"])
  const image = await call("GET", "/media/files/1/nothing.png", { host, headers: { Accept: "image/avif,image/*" } })
  expect([image.status, image.text]).toEqual([404, "Not found"])
  const method = await call("DELETE", "/media/files/1/nothing.png", { host, headers: BROWSER })
  expect([method.status, method.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"])
})

test("falls back to the shop's language where the visitor's is not supported", async () => {
  const store = await makeReadyStore()
  await (await signInToAdmin(store, "admin")).post("/admin/settings", { language: "fr" })
  const host = hostOfStore(store)
  for (const path of ["/billing/nothing-here", "/account/reset-password/nothing-here"]) {
    for (const [language, title] of [
      ["de", "Page introuvable"],
      ["vi", "Không tìm thấy trang"],
    ] as const) {
      const { text } = await call("GET", path, { host, headers: { ...BROWSER, "Accept-Language": language } })
      expect(text, `${path} ${language}`).toContain(`>${title}</h1>`)
    }
  }
})
