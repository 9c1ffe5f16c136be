// Creates an endpoint that is unreachable, tests it, retries a delivery, rotates the secret, and deletes it.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { createStore } from "../support/api.ts"
import { journey } from "../support/journey.ts"

journey(
  "creates an endpoint, inspects and retries a failed delivery, rotates the secret, and deletes the endpoint",
  async (context) => {
    const { page, goTo, press, follow, open, expectText, uniqueName } = context
    const store = await createStore(uniqueName)
    await goTo("/console/webhooks")
    await open(W.webhooks.new)
    await page.getByLabel(W.webhooks.url, { exact: true }).fill(`https://127.0.0.1:2049/${uniqueName}`)
    await page.getByLabel(W.webhooks.stores).fill(store)
    await press(W.webhooks.create)
    await expectText(W.webhooks.secret_body)
    const secret = (await page.locator("#secret").textContent()) ?? ""
    expect(secret.length).toBeGreaterThan(30)
    await follow(W.webhooks.view_endpoint)
    await press(W.webhooks.test)
    await expectText(W.webhooks.tested)
    await follow(W.webhooks.view_delivery)
    await expectText(`X-Tenancy-Signature`)
    expect(await page.locator("#command").textContent()).toContain(`https://127.0.0.1:2049/${uniqueName}`)
    await press(W.deliveries.retry)
    await expectText(W.notices.retry_failed)
    await goTo("/console/webhooks")
    await follow(`https://127.0.0.1:2049/${uniqueName}`)
    await follow(W.webhooks.tabs.secret, ".tabs")
    await press(W.webhooks.rotate)
    await expectText(W.webhooks.rotate_overlap)
    await press(W.webhooks.rotate)
    await expectText(W.webhooks.rotated)
    expect(await page.locator("#secret").textContent()).not.toBe(secret)
    await follow(W.webhooks.view_endpoint)
    await follow(W.webhooks.tabs.settings, ".tabs")
    await follow(W.webhooks.delete)
    await page.getByLabel(/^Type .* to confirm/).fill(`https://127.0.0.1:2049/${uniqueName}`)
    await press(W.webhooks.delete)
    await expectText(W.notices.deleted)
  },
)
