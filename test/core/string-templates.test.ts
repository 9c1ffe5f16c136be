// Strings in files: their encoding, and the translations that are read from assets/.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { EN } from "../../src/admin/strings/en"
import { FR } from "../../src/admin/strings/fr"
import { loadAdminStrings } from "../../src/admin/strings/load"
import { decodeStrings, encodeStrings } from "../../src/core/i18n/string-templates"
import { TRANSLATIONS as ACCOUNT } from "../../src/pages/account/translations"
import { TRANSLATIONS as BILLING } from "../../src/pages/billing/translations"
import { loadPageStrings } from "../../src/pages/kit/page-strings"
import { TRANSLATIONS as KIT_VI } from "../../src/pages/kit/translations"
import { STRINGS as PAGES_EN, t } from "../../src/pages/platform/strings"
import { TRANSLATIONS as PAGES_VI } from "../../src/pages/platform/translations"

test("encodes functions as templates, with one for the count 1 where it differs", () => {
  const strings = {
    title: "Orders",
    nested: { of: (page: number, total: number) => `${page} of ${total}` },
    lines: (count: number) => `${count} ${count === 1 ? "line" : "lines"}`,
    name: (name: string) => `Delete ${name}?`,
  }
  const encoded = encodeStrings(strings)
  expect(encoded).toEqual({
    title: "Orders",
    nested: { of: ["{0} of {1}"] },
    lines: ["{0} lines", "1 line"],
    name: ["Delete {0}?"],
  })
  const decoded = decodeStrings(JSON.parse(JSON.stringify(encoded))) as typeof strings
  expect(decoded.title).toBe("Orders")
  expect([0, 1, 2].map((count) => decoded.lines(count))).toEqual(["0 lines", "1 line", "2 lines"])
  expect(decoded.nested.of(2, 7)).toBe("2 of 7")
  expect(decoded.name("$& {0} {1}")).toBe("Delete $& {0} {1}?")
})

test("refuses strings that a template cannot express", () => {
  const strings = [
    { zero: (count: number) => (count === 0 ? "none" : `${count}`) },
    { few: (count: number) => `${count} ${count > 4 ? "many" : "few"}` },
    { formatted: (count: number) => `${count.toLocaleString("en")} rows, ${count * 2} cells` },
    { upper: (name: string) => String(name).toUpperCase() },
    { list: ["a"] },
  ]
  for (const value of strings) expect(() => encodeStrings(value)).toThrow()
})

test("has typographic apostrophes in the French texts of the pages", () => {
  const texts = JSON.stringify(
    [FR, ACCOUNT, BILLING, KIT_VI, PAGES_VI].map((set) => encodeStrings("fr" in set ? set.fr : set)),
  )
  expect(texts).toContain("’")
  expect(texts.match(/[^"]{0,20}\p{L}'[^"]{0,20}/gu)).toBeNull()
})

test("reads a translation once per isolate, and falls back to English while it cannot be read", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined)
  const fetch = vi.fn(async (url: string) => env.ASSETS.fetch(url))
  const bindings = { ...env, ASSETS: { ...env.ASSETS, fetch: fetch as unknown as typeof env.ASSETS.fetch } }
  fetch.mockRejectedValueOnce(new Error("Network connection lost."))
  expect(await loadAdminStrings(bindings, "fr")).toBe(EN)
  expect(warn).toHaveBeenCalledOnce()
  const french = await loadAdminStrings(bindings, "fr")
  expect(french.common).toEqual(FR.common)
  expect(french.products.delete_title("Café")).toBe(FR.products.delete_title("Café"))
  expect(await loadAdminStrings(bindings, "fr")).toBe(french)
  expect(await loadAdminStrings(bindings, "en")).toBe(EN)
  expect(fetch).toHaveBeenCalledTimes(2)
})

test("the pages of visitors and owners are translated, and are in English while the file cannot be read", async () => {
  expect(t("sign_up", "vi")).toBe(PAGES_EN.sign_up)
  const lost = { ...env, ASSETS: { ...env.ASSETS, fetch: () => Promise.reject(new Error("Network connection lost.")) } }
  vi.spyOn(console, "warn").mockImplementation(() => undefined)
  await loadPageStrings(lost, "vi")
  expect(t("sign_up", "vi")).toBe(PAGES_EN.sign_up)
  await loadPageStrings(env, "vi")
  expect(t("sign_up", "vi")).toBe(PAGES_VI.vi.sign_up)
  expect(t("links_sent_body", "vi", { email: "an@shop.example" })).toContain("an@shop.example")
  expect([t("language", "vi"), t("sign_up", "en")]).toEqual([KIT_VI.vi.language, PAGES_EN.sign_up])
})
