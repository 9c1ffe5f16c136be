// A store's life at the console: made after a slip, taken offline and brought back, noted upon, deleted; and several at once.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { makeStore, untilReady } from "../support/api.ts"
import { storeUrl } from "../support/browser.ts"
import { journey } from "../support/journey.ts"

journey("makes a store, mends what was refused, and sees it become ready", async (walk) => {
  const { page, to, press, sees, heading, word, js } = walk
  await to("/console/stores/new")
  await page.getByLabel("Name").fill(`Shop ${word}`)
  await page.getByLabel("Subdomain").fill("Not a subdomain")
  await page.getByLabel(W.fields.owner_email ?? "").fill("owner@example.com")
  await page.getByLabel(W.stores.password).fill("a long enough one")
  await press(W.stores.create)
  await sees(W.common.invalid_fields(1))
  const subdomain = page.getByLabel("Subdomain")
  expect(await subdomain.getAttribute("aria-invalid")).toBe("true")
  expect(await page.getByLabel("Name").inputValue()).toBe(`Shop ${word}`)
  if (js) expect(await page.locator("#subdomain:focus").count()).toBe(1)
  await subdomain.fill(word)
  await page.getByLabel(W.stores.password).fill("a long enough one")
  await press(W.stores.create)
  await heading(`Shop ${word}`)
  await sees(W.notices.store_created)
  await untilReady(word)
  // With JavaScript the page finds out by itself.
  if (!js) await page.reload()
  await page.locator("#state .badge", { hasText: "ready" }).waitFor()
})

journey("takes a store offline, brings it back, leaves a note, and deletes it", async (walk) => {
  const { page, to, press, sees, heading, word } = walk
  const id = await makeStore(word)
  await to(`/console/stores/${id}`)
  await press(W.store.suspend, "#state")
  await sees(W.notices.suspended)
  await sees(W.store.visitors_see.suspended)
  expect((await page.goto(storeUrl(id)))?.status()).toBe(402)
  await to(`/console/stores/${id}`)
  await press(W.store.resume, "#state")
  await sees(W.notices.resumed)
  await page.getByLabel("Note").fill("Called about the price. Is happy.")
  await press(W.store.add_note)
  await sees("Called about the price. Is happy.")
  const confirmation = page.getByLabel(W.store.confirm(id))
  await confirmation.fill("something else")
  await press(W.store.delete)
  await page.getByRole("alert").first().waitFor()
  await page.getByLabel(W.store.confirm(id)).fill(id)
  await press(W.store.delete)
  await sees(W.notices.store_deleted)
  await to(`/console/stores/${id}`)
  await heading(W.errors.not_found)
})

journey("finds stores by a filter and extends several at once, after a look at what would happen", async (walk) => {
  const { page, to, press, sees, word, js } = walk
  await makeStore(`${word}a`, { plan: "starter", trial_days: 14 })
  await makeStore(`${word}b`)
  await to("/console/stores")
  await page.getByLabel(W.fields.q ?? "", { exact: true }).fill(word)
  // With JavaScript the list follows what is typed.
  if (js) await page.waitForURL((url) => url.searchParams.get("q") === word)
  else await press(W.common.filter, "main")
  await page.locator("#stores tbody tr").nth(1).waitFor()
  expect(await page.locator("#stores tbody tr").count()).toBe(2)
  await page.getByLabel(W.stores.select(`${word}a`)).check()
  await page.getByLabel(W.stores.select(`${word}b`)).check()
  await page.getByLabel(W.stores.with_selected).selectOption("extend")
  await page.getByLabel(W.stores.days).fill("7")
  await press(W.stores.preview)
  await sees(W.stores.preview_title(2))
  await press(W.stores.submit("extend", 2))
  await sees(W.stores.result_title(1, 2))
})
