// The pages of whoever has no store yet, in each of their languages: front page, sign-up and sign-in; those of a store's owner, and of
// its visitors; and the reference's guides.
import { afterAll, describe, expect, test } from "vitest"
import { LOCALES } from "../../src/core/i18n/locale.ts"
import { makeStore } from "./support/api.ts"
import { look } from "./support/appearance.ts"
import { AXE, findings } from "./support/axe.ts"
import { base, open, storeUrl } from "./support/browser.ts"

describe.each([...LOCALES])("in %s", async (locale) => {
  const visit = await open({ js: true, width: 1280 }, { as: "nobody", init: AXE, locale })
  afterAll(visit.close)

  test.each(["/", "/signup", "/sign-in"])("%s", (path) => look(visit, base + path))
})

describe("an owner's bill", () => {
  test.each([...LOCALES])("in %s: whom it does not know, and then the owner", async (locale) => {
    const visit = await open({ js: true, width: 1280 }, { as: "nobody", init: AXE, locale })
    const { page } = visit
    try {
      const store = await makeStore(`bill-${locale}-${Date.now().toString(36)}`, { plan: "starter" })
      const url = storeUrl(store, "/billing")
      await look(visit, url)
      await page.locator("[name=email]").fill(`${store}@example.com`)
      await page.locator("[name=password]").fill("a wrong one, and long")
      await page.locator("main [type=submit]").click()
      await page.locator("[aria-invalid=true], [role=alert]").first().waitFor()
      expect(await findings(page)).toEqual([])
      await page.locator("[name=email]").fill(`${store}@example.com`)
      await page.locator("[name=password]").fill("a long enough one")
      await page.locator("main [type=submit]").click()
      await page.locator("[name=plan]").first().waitFor({ state: "attached" })
      await look(visit, url)
    } finally {
      await visit.close()
    }
  })
})

/** Stores of the demo, each in a look of its own; the last one is closed. */
const SHOPS = ["acme", "bloom", "dusty"]

/** Pages of a shop that are looked at of each kind. */
const PER_KIND = 2

describe.each(SHOPS)("the shop %s", async (shop) => {
  const visit = await open({ js: true, width: 1280 }, { as: "nobody", init: AXE })
  afterAll(visit.close)
  const linksOf = async (path: string): Promise<string[]> => {
    await visit.page.goto(storeUrl(shop, path))
    const links = await visit.page
      .locator("a[href^='/']")
      .evaluateAll((all) => all.map((one) => one.getAttribute("href")))
    return links.map((link) => (link ?? "").split(/[?#]/)[0] ?? "")
  }
  const kinds = new Map<string, Set<string>>([["/", new Set(["/"])]])
  const note = (links: string[]) => {
    for (const link of links) {
      if (/\.\w+$|^\/(api|billing)/.test(link)) continue
      const kind = link.split("/").slice(0, -1).join("/") || link
      const known = kinds.get(kind) ?? new Set()
      if (known.size < PER_KIND) kinds.set(kind, known.add(link))
    }
  }
  note(await linksOf("/"))
  // A list leads to what the front page does not show.
  for (const [first] of [...kinds.values()]) if (first) note(await linksOf(first))

  test.each([...kinds.values()].flatMap((paths) => [...paths]))("%s", (path) => look(visit, storeUrl(shop, path)))
})

/** Pages of the reference with hundreds of operations: axe takes a minute for each. */
const LONG = ["/docs/platform", "/docs/content", "/docs/license", "/docs/events", "/docs/codes"]

describe("the guides", async () => {
  const visit = await open({ js: true, width: 1280 }, { as: "nobody", init: AXE })
  afterAll(visit.close)
  const html = await (await fetch(`${base}/docs`)).text()
  const linked = new Set([...html.matchAll(/href="(\/docs\/?[a-z-]*)["#]/g)].map(([, path]) => path ?? ""))
  const paths = [...linked].filter((path) => !LONG.includes(path))

  test("are several", () => {
    expect(paths.length).toBeGreaterThan(5)
  })

  test.each(paths)("%s", (path) => look(visit, base + path))
})
