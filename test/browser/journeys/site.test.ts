// A store's site: a post is written and read by a visitor, and those who follow the store are told.
import { expect } from "vitest"
import { W } from "../../../src/console/words.ts"
import { makeStore } from "../support/api.ts"
import { storeUrl } from "../support/browser.ts"
import { journey } from "../support/journey.ts"

journey("writes a post that visitors can read, and sends a notification", async (walk) => {
  const { page, to, press, sees, heading, word } = walk
  const store = await makeStore(word)
  await to(`/console/sites/${store}/posts`)
  await page.getByLabel(W.sites.name, { exact: true }).fill(`News of ${word}`)
  await page.getByLabel("Slug").fill(word)
  await page.getByLabel("Content").fill("<p>We open <b>at nine</b>.</p><script>alert(1)</script>")
  await page.getByLabel("Status").selectOption("published")
  await press(W.common.save)
  await sees(W.done.saved)
  await page.goto(storeUrl(store, `/blog/${word}`))
  await heading(`News of ${word}`)
  expect(await page.locator("article script, main script").count()).toBe(0)
  await to(`/console/sites/${store}/notifications`)
  await page.getByLabel(W.sites.name, { exact: true }).fill(`Hello from ${word}`)
  await page.getByLabel("Message").fill("We open at nine.")
  await press(W.push.count)
  await heading(W.push.preview)
  await press(W.sites.send)
  await sees(W.done.notified)
  await sees(`Hello from ${word}`)
})
