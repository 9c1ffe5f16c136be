// Creates, finds, blocks and unblocks a license.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { journey } from "../support/journey.ts"

journey(
  "creates a license, finds it by its code, blocks and unblocks it, and downloads its offline file",
  async (context) => {
    const { page, goTo, press, open, expectText, uniqueName } = context
    const code = `WALK-${uniqueName.toUpperCase()}`
    await goTo("/console/licenses")
    await open(W.licenses.new)
    await page.locator("#new").getByLabel(W.licenses.of_product).fill("DEMO-CMS")
    await page.locator("#new").getByLabel(W.licenses.code).fill(code)
    await press(W.licenses.create)
    await expectText(W.notices.created)
    const path = new URL(page.url()).pathname
    await goTo("/console")
    await page.getByRole("searchbox", { name: W.search.label }).fill(code)
    await page.keyboard.press("Enter")
    await page.waitForURL((url) => url.pathname === path)
    await press(W.licenses.block)
    await expectText("blocked")
    await press(W.licenses.unblock)
    await page.getByRole("button", { name: W.licenses.block, exact: true }).waitFor()
    const [file] = await Promise.all([page.waitForEvent("download"), press(W.licenses.offline_download)])
    expect(file.suggestedFilename()).toMatch(/\.lic$/)
  },
)
