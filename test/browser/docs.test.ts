// Checks the documentation pages in Chromium: accessibility, CSP and overflow, light and dark, with and without
// JavaScript.
import { afterAll, describe, expect, test } from "vitest"
import { AXE_SCRIPT, runAxe } from "./support/axe.ts"
import { base, findOverflow, openWindow } from "./support/browser.ts"

const APPEARANCES = [
  [1280, "light"],
  [360, "dark"],
] as const

const index = await (await fetch(`${base}/llms.txt`)).text()
const paths = [...index.matchAll(/\/docs\/([\w-]+)\.md/g)].map(([, name]) => `/docs/${name}`)

describe("documentation pages", async () => {
  const visit = await openWindow({ js: true, width: 1280 }, { as: "anonymous", init: AXE_SCRIPT })
  afterAll(() => visit.close())
  test.each(["/docs", "/docs/search?q=store", ...new Set(paths)])("%s", async (path) => {
    const { page, problems } = visit
    problems.length = 0
    for (const [width, colorScheme] of APPEARANCES) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await page.goto(base + path)
      // Two reference pages have 30,000 elements each; the third uses the same components.
      const found = ["/docs/platform", "/docs/content"].includes(path) ? [] : await runAxe(page)
      expect([await findOverflow(page), found], `${width} ${colorScheme}`).toEqual([null, []])
    }
    expect(problems).toEqual([])
  })
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
