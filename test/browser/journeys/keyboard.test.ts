// With the keyboard alone: no pointer is moved, no element is focused but by Tab.
import type { Page } from "playwright-core"
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { makeStore } from "../support/api.ts"
import { platform } from "../support/browser.ts"
import { journey } from "../support/journey.ts"

journey(
  "signs in, finds a store, takes it offline and signs out by the keyboard alone",
  async ({ page, to, sees, heading, word, js }) => {
    const store = await makeStore(word)
    await to("/console/login")
    await tabTo(page, "#email")
    await page.keyboard.type(platform.operator?.email ?? "")
    await page.keyboard.press("Tab")
    await page.keyboard.type(platform.operator?.password ?? "")
    await page.keyboard.press("Enter")
    await heading(W.overview.title)

    // The first stop of every page leads past the menu.
    await page.keyboard.press("Tab")
    expect(await page.locator(":focus").textContent()).toContain(W.common.skip)
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    expect(await page.locator("main :focus").count()).toBe(1)

    if (js) await page.keyboard.press("Control+k")
    else await tabTo(page, "#search")
    await page.keyboard.type(store)
    await page.keyboard.press("Enter")
    await heading(`Walk ${store}`)
    await tabTo(page, `form[action$="/${store}/suspend"] button`)
    await page.keyboard.press("Enter")
    await sees(W.notices.suspended)
    await tabTo(page, 'form[action="/console/logout"] button')
    await page.keyboard.press("Space")
    await sees(W.notices.signed_out)
  },
  "nobody",
)

/** Presses Tab until what has the focus is meant, and sees that the focus can be seen. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let stops = 0; stops < 80; stops++) {
    await page.keyboard.press("Tab")
    const found = page.locator(`${selector}:focus`)
    if (!(await found.count())) continue
    const shows = await found.evaluate((element) => {
      const { outlineStyle, boxShadow } = element.ownerDocument.defaultView.getComputedStyle(element)
      return outlineStyle !== "none" || boxShadow !== "none"
    })
    if (!shows) throw new Error(`${selector} has the focus, and does not show it.`)
    return
  }
  throw new Error(`Tab never came to ${selector}.`)
}
