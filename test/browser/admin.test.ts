// Checks the pages of a shop's admin in Chromium: accessibility, CSP and overflow, light and dark.
import { expect, test } from "vitest"
import { createStore } from "./support/api.ts"
import { checkPage } from "./support/appearance.ts"
import { AXE_SCRIPT, runAxe } from "./support/axe.ts"
import { getStoreUrl, openWindow } from "./support/browser.ts"

const PATHS = [
  "",
  "/products",
  "/products/new",
  "/products/import",
  "/orders",
  "/customers",
  "/messages",
  "/reviews",
  "/notifications",
  "/look",
  "/domains",
  "/apps",
  "/posts",
  "/posts/new",
  "/pages",
  "/pages/new",
  "/categories",
  "/categories/new",
  "/tags",
  "/tags/new",
  "/media",
  "/media?trashed=1",
  "/settings",
  "/staff",
  "/activity",
  "/close",
  "/account",
]

test("shows every page of the admin on a phone, in French", async () => {
  const locale = "fr"
  const visit = await openWindow({ js: true, width: 360 }, { as: "anonymous", init: AXE_SCRIPT, locale })
  const { page } = visit
  try {
    const store = await createStore(`admin-${locale}-${Date.now().toString(36)}`, { plan: "starter" })
    await checkPage(visit, getStoreUrl(store, "/admin/login"))
    await page.locator("[name=email]").fill(`${store}@example.com`)
    await page.locator("[name=password]").fill("a long enough one")
    await page.locator("main [type=submit]").click()
    await page.locator("#main h1").waitFor()
    for (const path of PATHS) await checkPage(visit, getStoreUrl(store, `/admin${path}`))
    await page.goto(getStoreUrl(store, "/admin/products"))
    await page.locator("tbody th a").first().click()
    await page.locator("#price").fill("1.2.3")
    await page.locator("#price").evaluate((input) => input.removeAttribute("pattern"))
    await page.locator("form[action$='/edit'] [type=submit]").click()
    await page.locator("#price-error").waitFor()
    expect(await runAxe(page)).toEqual([])
    expect(await page.locator("#price").inputValue()).toBe("1.2.3")
  } finally {
    await visit.close()
  }
})
