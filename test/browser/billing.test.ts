// Checks the public pages and the billing page in every language, and the demo storefronts.
import { afterAll, describe, expect, test } from "vitest"
import { LOCALES } from "../../src/core/i18n/locale.ts"
import { createStore } from "./support/api.ts"
import { checkPage } from "./support/appearance.ts"
import { AXE_SCRIPT, runAxe } from "./support/axe.ts"
import { base, getStoreUrl, openWindow } from "./support/browser.ts"

describe.each([...LOCALES])("public pages in %s", async (locale) => {
  const visit = await openWindow({ js: true, width: 1280 }, { as: "anonymous", init: AXE_SCRIPT, locale })
  afterAll(visit.close)

  test.each(["/", "/signup", "/sign-in"])("%s", (path) => checkPage(visit, base + path))
})

describe("billing page", () => {
  test.each([...LOCALES])("shows the sign-in, a refused sign-in and the billing page in %s", async (locale) => {
    const visit = await openWindow({ js: true, width: 1280 }, { as: "anonymous", init: AXE_SCRIPT, locale })
    const { page } = visit
    try {
      const store = await createStore(`bill-${locale}-${Date.now().toString(36)}`, { plan: "starter" })
      const url = getStoreUrl(store, "/billing")
      await checkPage(visit, url)
      await page.locator("[name=email]").fill(`${store}@example.com`)
      await page.locator("[name=password]").fill("a wrong one, and long")
      await page.locator("main [type=submit]").click()
      await page.locator("[aria-invalid=true], [role=alert]").first().waitFor()
      expect(await runAxe(page)).toEqual([])
      await page.locator("[name=email]").fill(`${store}@example.com`)
      await page.locator("[name=password]").fill("a long enough one")
      await page.locator("main [type=submit]").click()
      await page.locator("[name=plan]").first().waitFor({ state: "attached" })
      await checkPage(visit, url)
    } finally {
      await visit.close()
    }
  })
})

/** Demo stores, each with its own theme; the last one is suspended. */
const DEMO_STORES = ["acme", "bloom", "dusty"]

const PAGES_PER_KIND = 2

describe.each(DEMO_STORES)("storefront of %s", async (store) => {
  const visit = await openWindow({ js: true, width: 1280 }, { as: "anonymous", init: AXE_SCRIPT })
  afterAll(visit.close)
  const linksOf = async (path: string): Promise<string[]> => {
    await visit.page.goto(getStoreUrl(store, path))
    const links = await visit.page
      .locator("a[href^='/']")
      .evaluateAll((all) => all.map((one) => one.getAttribute("href")))
    return links.map((link) => (link ?? "").split(/[?#]/)[0] ?? "")
  }
  const kinds = new Map<string, Set<string>>([["/", new Set(["/"])]])
  const addLinks = (links: string[]) => {
    for (const link of links) {
      if (/\.\w+$|^\/(api|billing)/.test(link)) continue
      const kind = link.split("/").slice(0, -1).join("/") || link
      const known = kinds.get(kind) ?? new Set()
      if (known.size < PAGES_PER_KIND) kinds.set(kind, known.add(link))
    }
  }
  addLinks(await linksOf("/"))
  // Lists link to pages that the front page does not link to.
  for (const [first] of [...kinds.values()]) if (first) addLinks(await linksOf(first))

  test.each([...kinds.values()].flatMap((paths) => [...paths]))("%s", (path) =>
    checkPage(visit, getStoreUrl(store, path)),
  )
})
