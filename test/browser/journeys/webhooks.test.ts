// An endpoint that does not answer: made, tested, looked into to the last byte, rotated, deleted.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { makeStore } from "../support/api.ts"
import { journey } from "../support/journey.ts"

journey("makes an endpoint, sees why a delivery failed, tries it again, and rotates the secret", async (walk) => {
  const { page, to, press, follow, sees, word } = walk
  const store = await makeStore(word)
  await to("/console/webhooks")
  await page.getByLabel(W.webhooks.url, { exact: true }).fill(`https://127.0.0.1:2049/${word}`)
  await page.getByLabel(W.webhooks.stores).fill(store)
  await press(W.webhooks.create)
  await sees(W.webhooks.secret_body)
  const secret = (await page.locator("#secret").textContent()) ?? ""
  expect(secret.length).toBeGreaterThan(30)
  await follow(W.webhooks.view_endpoint)
  await press(W.webhooks.test)
  await sees(W.webhooks.tested)
  await follow(W.webhooks.view_delivery)
  await sees(`X-Tenancy-Signature`)
  expect(await page.locator("#command").textContent()).toContain(`https://127.0.0.1:2049/${word}`)
  await press(W.deliveries.retry)
  await sees(W.notices.retried)
  await to("/console/webhooks")
  await follow(`https://127.0.0.1:2049/${word}`)
  await press(W.webhooks.rotate)
  await sees(W.webhooks.rotated)
  expect(await page.locator("#secret").textContent()).not.toBe(secret)
  await follow(W.webhooks.view_endpoint)
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
  await page.getByLabel(W.store.confirm(id)).fill(id)
  await press(W.webhooks.delete)
  await sees(W.notices.deleted)
})
