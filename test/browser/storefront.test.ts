// Checks the pages of a storefront in Chromium: accessibility, CSP and overflow, in a wide and in a narrow window.
import { afterAll, describe, expect, test } from "vitest"
import { createStore, enableApp } from "./support/api.ts"
import { checkPage } from "./support/appearance.ts"
import { AXE_SCRIPT } from "./support/axe.ts"
import { getStoreUrl, openWindow } from "./support/browser.ts"

const PUBLIC_PATHS = [
  "/",
  "/products",
  "/products?sort=price_asc&min=x&in_stock=1",
  "/search?q=bowl",
  "/contact",
  "/account/sign-in",
  "/account/register",
  "/account/resend-confirmation",
]

const CUSTOMER_PATHS = ["/cart", "/checkout", "/account", "/account/orders", "/account/profile", "/account/delete"]

describe("a storefront", async () => {
  const visit = await openWindow({ js: true, width: 360 }, { as: "anonymous", init: AXE_SCRIPT })
  const { page } = visit
  const store = await createStore(`front-${Date.now().toString(36)}`, { plan: "starter", theme: "bazaar" })
  for (const app of ["reviews", "contact"]) await enableApp(store, app)
  const getUrl = (path: string) => getStoreUrl(store, path)
  afterAll(() => visit.close())

  test.each(PUBLIC_PATHS)("%s", (path) => checkPage(visit, getUrl(path)))

  test("a product, which a visitor puts into the cart", async () => {
    await page.goto(getUrl("/products"))
    // Without a click, because resizing the window in the middle of its transition is an error.
    const path = await page.locator(".product a").first().getAttribute("href")
    await checkPage(visit, getUrl(path ?? ""))
    await page.locator(".add-to-cart [type=submit]").click()
    await page.locator("main h1").waitFor()
  })

  test("registers a customer", async () => {
    await page.goto(getUrl("/account/register"))
    await page.locator("#name").fill("Ada Lovelace")
    await page.locator("#email").fill("ada@example.com")
    await page.locator("#password").fill("a long enough one")
    await page.locator("main [type=submit]").click()
    await page.locator("main h1").waitFor()
    expect(new URL(page.url()).pathname).toBe("/account")
  })

  test.each(CUSTOMER_PATHS)("%s of a customer", (path) => checkPage(visit, getUrl(path)))
})
