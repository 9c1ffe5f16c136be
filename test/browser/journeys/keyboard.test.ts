// Uses the console with the keyboard only: focus moves only by Tab.
import type { Page } from "playwright-core"
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { createStore } from "../support/api.ts"
import { platform } from "../support/browser.ts"
import { journey } from "../support/journey.ts"

journey(
  "signs in, finds a store, takes it offline and signs out by the keyboard alone",
  async ({ page, goTo, expectText, expectHeading, uniqueName, js }) => {
    const store = await createStore(uniqueName)
    await goTo("/console/login")
    await tabTo(page, "#email")
    await page.keyboard.type(platform.operator?.email ?? "")
    await page.keyboard.press("Tab")
    await page.keyboard.type(platform.operator?.password ?? "")
    await page.keyboard.press("Enter")
    await expectHeading(W.overview.title)

    // The first Tab stop is the link that skips the menu.
    await page.keyboard.press("Tab")
    expect(await page.locator(":focus").textContent()).toContain(W.common.skip)
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    expect(await page.locator("main :focus").count()).toBe(1)

    if (js) await page.keyboard.press("Control+k")
    else await tabTo(page, "#search")
    await page.keyboard.type(store)
    await page.keyboard.press("Enter")
    await expectHeading(`Walk ${store}`)
    await tabTo(page, `a[href$="/${store}/suspend"]`)
    await page.keyboard.press("Enter")
    await expectHeading(W.storeActions.suspend(`Walk ${store}`))
    await tabTo(page, `form[action$="/${store}/suspend"] button`)
    await page.keyboard.press("Enter")
    await expectText(W.notices.suspended)
    await tabTo(page, 'form[action="/console/logout"] button')
    await page.keyboard.press("Space")
    await expectText(W.notices.signed_out)
  },
  "anonymous",
)

/** Presses Tab until the element has the focus, and asserts that the focus is visible. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let stops = 0; stops < 80; stops++) {
    await page.keyboard.press("Tab")
    const found = page.locator(`${selector}:focus`)
    if (!(await found.count())) continue
    const shows = await found.evaluate((element) => {
      const { outlineStyle, boxShadow } = element.ownerDocument.defaultView.getComputedStyle(element)
      return outlineStyle !== "none" || boxShadow !== "none"
    })
    if (!shows) throw new Error(`${selector} has no visible focus indicator.`)
    return
  }
  throw new Error(`Tab never reached ${selector}.`)
}
