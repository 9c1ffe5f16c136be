// The documentation's pages in Chromium: nothing that axe finds, nothing that their policy stops, nothing that sticks out of a narrow
// window; in light and in dark, with a script and without.
import { afterAll, describe, expect, test } from "vitest"
import { AXE, findings } from "./support/axe.ts"
import { base, open, overflow } from "./support/browser.ts"

const LOOKS = [
  [1280, "light"],
  [360, "dark"],
] as const

const index = await (await fetch(`${base}/llms.txt`)).text()
const paths = [...index.matchAll(/\/docs\/([\w-]+)\.md/g)].map(([, name]) => `/docs/${name}`)

describe("every page of the documentation", async () => {
  const visit = await open({ js: true, width: 1280 }, { as: "nobody", init: AXE })
  afterAll(() => visit.close())
  test.each(["/docs", "/docs/search?q=store", ...new Set(paths)])("%s", async (path) => {
    const { page, faults } = visit
    faults.length = 0
    for (const [width, colorScheme] of LOOKS) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await page.goto(base + path)
      // Two references are thirty thousand elements each; the third has the same ones.
      const found = ["/docs/platform", "/docs/content"].includes(path) ? [] : await findings(page)
      expect([await overflow(page), found], `${width} ${colorScheme}`).toEqual([null, []])
    }
    expect(faults).toEqual([])
  })
})

test("without a script the reference is all there, and search answers a page", async () => {
  const visit = await open({ js: false, width: 360 }, { as: "nobody" })
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
