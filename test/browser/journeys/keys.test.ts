// Creates, uses and revokes an API key.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { base } from "../support/browser.ts"
import { journey } from "../support/journey.ts"

journey("creates an API key, uses it, and revokes it", async (context) => {
  const { page, goTo, press, follow, open, expectText, uniqueName, js } = context
  await goTo("/console/keys")
  await open(W.keys.new)
  await page.getByLabel("Name").fill(`Key ${uniqueName}`)
  await page.locator('input[name="scopes"][value="read"]').check()
  expect(await page.getByLabel(W.keys.expires).locator("option:checked").textContent()).toContain(W.keys.in_days(90))
  await press(W.keys.create)
  await expectText(W.keys.created_body)
  const key = (await page.locator("#key").textContent()) ?? ""
  if (js) {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    await press(W.common.copy)
    await page.getByRole("button", { name: W.common.copied }).waitFor()
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key)
  } else {
    expect(await page.getByRole("button", { name: W.common.copy }).count()).toBe(0)
  }
  const callApi = async () =>
    (await fetch(`${base}/api/platform/v1/plans`, { headers: { Authorization: `Bearer ${key}` } })).status
  expect(await callApi()).toBe(200)
  await follow(W.keys.view_all)
  const row = page.locator("tr", { hasText: `Key ${uniqueName}` })
  await row.getByRole("link", { name: W.keys.revoke }).click()
  await press(W.keys.revoke)
  await expectText(W.notices.revoked)
  await row.getByText("revoked").waitFor()
  expect(await callApi()).toBe(401)
})
