// Checks the documentation pages in Chromium: accessibility, CSP and overflow, light and dark, with and without
// JavaScript.
import { afterAll, describe, expect, test } from "vitest"
import { checkPage } from "./support/appearance.ts"
import { AXE_SCRIPT, runAxe } from "./support/axe.ts"
import { base, openWindow } from "./support/browser.ts"

/** Reference pages with 30,000 elements each; the third uses the same components. */
const HUGE_PAGES = ["/docs/platform", "/docs/content"]

const index = await (await fetch(`${base}/llms.txt`)).text()
const paths = [...index.matchAll(/\/docs\/([\w-]+)\.md/g)].map(([, name]) => `/docs/${name}`)

describe("documentation pages", async () => {
  const visit = await openWindow({ js: true, width: 1280 }, { as: "anonymous", init: AXE_SCRIPT })
  afterAll(() => visit.close())
  test.each(["/docs", "/docs/search?q=store", "/docs/changelog", ...new Set(paths)])("%s", (path) =>
    checkPage(visit, base + path, { isHuge: HUGE_PAGES.includes(path) }),
  )
})

test("shows the whole reference and searches without JavaScript", async () => {
  const visit = await openWindow({ js: false, width: 360 }, { as: "anonymous" })
  const { page } = visit
  await page.goto(`${base}/docs/platform`)
  expect(await page.locator("#stores\\.create pre").count()).toBeGreaterThan(2)
  await page.locator("details.menu summary").click()
  expect(await page.locator("details.menu a[href='#stores.create']").isVisible()).toBe(true)
  await page.locator("input[name=q]").fill("subdomain_taken")
  await page.keyboard.press("Enter")
  await page.waitForURL(/search/)
  expect(await page.locator("a[href='/docs/codes#subdomain_taken']").count()).toBeGreaterThan(0)
  await visit.close()
})

test("sends requests with the demo key, and to the host of the demo store", async () => {
  const visit = await openWindow({ js: true, width: 1280 }, { as: "anonymous", init: AXE_SCRIPT })
  const { page } = visit
  const send = async (path: string, id: string) => {
    await page.goto(base + path)
    const form = page.locator(`[id="${id}"] .try`)
    await form.locator("summary").click()
    await form.locator("button").click()
    await form.locator("pre", { hasText: " ms" }).waitFor()
    const text = await form.locator("pre").textContent()
    // Axe reads every element of a page, even to check a few.
    await form.evaluate((element) => element.closest("main")?.replaceChildren(element))
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await runAxe(page, undefined, ".try")).toEqual([])
    }
    return text
  }
  expect(await send("/docs/platform", "stores.list")).toMatch(/^GET .*\/api\/platform\/v1\/stores\n200 /)
  expect(await send("/docs/content", "products.list")).toMatch(/^GET http:\/\/acme\..*\n401 /)
  await visit.close()
})
