// Checks the pages of a shop's admin in Chromium: accessibility, CSP and overflow, light and dark.
import type { Dialog } from "playwright-core"
import { afterAll, describe, expect, test } from "vitest"
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
  "/webhooks",
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
  "/export",
  "/close",
  "/account",
]

describe("the admin of a shop in French", async () => {
  const visit = await openWindow({ js: true, width: 360 }, { as: "anonymous", init: AXE_SCRIPT, locale: "fr" })
  const { page } = visit
  const store = await createStore(`admin-${Date.now().toString(36)}`, { plan: "starter" })
  const getUrl = (path: string) => getStoreUrl(store, `/admin${path}`)
  afterAll(() => visit.close())

  test("signs in", async () => {
    await checkPage(visit, getUrl("/login"))
    await page.locator("[name=email]").fill(`${store}@example.com`)
    await page.locator("[name=password]").fill("a long enough one")
    await page.locator("[name=password]").press("Enter")
    await page.waitForURL(getUrl(""))
  })

  test.each(PATHS)("/admin%s", (path) => checkPage(visit, getUrl(path)))

  test("shows every cell of a table on a phone without scrolling", async () => {
    await page.goto(getUrl("/apps"))
    const install = page.locator("form[action$='/galleries/enable'] button")
    const right = await install.evaluate((button) => button.getBoundingClientRect().right)
    expect(right).toBeLessThan(360)
    expect(await page.locator(".scroll").evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
  })

  test("shows links and buttons next to a heading in the same size", async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(getUrl("/products"))
    await page.locator("tbody th a").first().click()
    const sizes = await page.locator("#actions :is(a.button, button)").evaluateAll((elements) =>
      elements.map((element) => {
        const { fontSize, fontWeight } = element.ownerDocument.defaultView.getComputedStyle(element)
        return [element.localName, fontSize, fontWeight, element.getBoundingClientRect().height].join(" ")
      }),
    )
    expect(sizes.map((size) => size.split(" ")[0])).toEqual(expect.arrayContaining(["a", "button"]))
    expect(new Set(sizes.map((size) => size.replace(/^\w+ /, ""))).size, sizes.join(", ")).toBe(1)
  })

  test("keeps a refused price", async () => {
    await page.goto(getUrl("/products"))
    await page.locator("tbody th a").first().click()
    await page.locator("#price").fill("1.2.3")
    await page.locator("#price").evaluate((input) => input.removeAttribute("pattern"))
    await page.locator("form[action$='/edit'] [type=submit]").click()
    await page.locator("#price-error").waitFor()
    expect(await runAxe(page)).toEqual([])
    expect(await page.locator("#price").inputValue()).toBe("1.2.3")
  })
  test("asks before an upload or a link discards what was typed in another form", async () => {
    await page.goto(getUrl("/products"))
    await page.locator("tbody th a").first().click()
    const form = page.locator("form[action$='/edit']")
    await form.waitFor()
    const before = page.url()
    await form.locator("[name=name]").fill("A name that is not saved")
    const dialogs: string[] = []
    const dismiss = (dialog: Dialog) => {
      dialogs.push(dialog.type())
      return dialog.dismiss()
    }
    page.on("dialog", dismiss)
    const upload = page.locator("form[action$='/pictures']")
    const file = { name: "pixel.png", mimeType: "image/png", buffer: Buffer.from("not sent") }
    await page.locator("details:has(form[action$='/pictures']) > summary").click()
    await upload.locator("[type=file]").setInputFiles(file)
    await upload.locator("[type=submit]").click()
    await expect.poll(() => dialogs).toEqual(["beforeunload"])
    await page.locator(".crumbs a").first().click()
    await expect.poll(() => dialogs).toEqual(["beforeunload", "beforeunload"])
    expect([page.url(), await form.locator("[name=name]").inputValue()]).toEqual([before, "A name that is not saved"])
    await form.locator("[type=submit]").click()
    await page.waitForURL(/done=product_saved/)
    expect(dialogs).toHaveLength(2)
    page.off("dialog", dismiss)
  })
  test("chooses the pictures of a product from the media library, and changes their order", async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(getUrl("/products/new"))
    const field = page.locator("textarea[name=images]")
    await field.waitFor({ state: "hidden" })
    await page.locator(".picker > .field > details > summary").click()
    await field.fill("/first.png\n/second.png")
    await page.locator(".chosen li").nth(1).waitFor()
    expect(await runAxe(page)).toEqual([])
    await page.locator(".chosen li").nth(1).locator("button").first().click()
    expect(await field.inputValue()).toBe("/second.png\n/first.png")
    await page.locator(".chosen li").first().locator("button").click()
    expect(await field.inputValue()).toBe("/first.png")
    await page.locator(".picker button:not(.chosen *)").click()
    const upload = page.locator("dialog.library details:has(#upload)")
    await upload.waitFor()
    // Without a picture to choose, the form that uploads one is open. Other tests may have uploaded pictures.
    const isEmpty = (await page.locator("dialog.library [data-url]").count()) === 0
    expect((await upload.getAttribute("open")) !== null).toBe(isEmpty)
  })
  test("chooses several pictures of a product in one visit of the library, by pointer and keyboard", async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    // The library's own page is not under test here.
    const tile = (name: string) => `<li><a href="/admin/media/files/1/edit" data-url="/${name}.png">${name}</a></li>`
    const body = `<div id="library"><ul class="tiles">${["a", "b", "c"].map(tile).join("")}</ul></div>`
    await page.route("**/admin/media", (route) => route.fulfill({ contentType: "text/html", body }))
    await page.goto(getUrl("/products/new"))
    await page.locator(".picker button:not(.chosen *)").click()
    const links = page.locator("dialog.library [data-url]")
    await links.nth(2).click()
    await links.nth(1).click()
    await links.nth(0).press(" ")
    await links.nth(1).press("Enter")
    const pressed = await links.evaluateAll((all) => all.map((link) => link.getAttribute("aria-pressed")))
    expect(pressed).toEqual(["true", "false", "true"])
    expect(await runAxe(page)).toEqual([])
    await page.locator("dialog.library > button").click()
    expect(await page.locator("textarea[name=images]").inputValue()).toBe("/c.png\n/a.png")
    await page.locator(".picker button:not(.chosen *)").click()
    await links.nth(1).click()
    await page.keyboard.press("Escape")
    expect(await page.locator("textarea[name=images]").inputValue()).toBe("/c.png\n/a.png")
    await page.unroute("**/admin/media")
  })
})
