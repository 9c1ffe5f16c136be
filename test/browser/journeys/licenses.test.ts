// An angry mail about a license: found by its code, blocked, let go on, with its activations at hand.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { journey } from "../support/journey.ts"

journey("sells a license, finds it again by its code, blocks it and lets it go on", async (walk) => {
  const { page, to, press, sees, word } = walk
  const code = `WALK-${word.toUpperCase()}`
  await to("/console/licenses")
  await page.getByLabel(W.licenses.of_product).fill("DEMO-CMS")
  await page.getByLabel(W.licenses.code, { exact: false }).first().fill(code)
  await press(W.licenses.create)
  await sees(W.notices.created)
  const path = new URL(page.url()).pathname
  await to("/console")
  await page.getByRole("searchbox", { name: W.search.label }).fill(code)
  await page.keyboard.press("Enter")
  await page.waitForURL((url) => url.pathname === path)
  await press(W.licenses.block)
  await sees("blocked")
  await press(W.licenses.unblock)
  await page.getByRole("button", { name: W.licenses.block, exact: true }).waitFor()
  const [file] = await Promise.all([page.waitForEvent("download"), press(W.licenses.offline_download)])
  expect(file.suggestedFilename()).toMatch(/\.lic$/)
})
