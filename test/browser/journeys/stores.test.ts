// Creates, suspends, resumes and deletes stores, and changes several at once.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { createStore, waitUntilReady } from "../support/api.ts"
import { getStoreUrl } from "../support/browser.ts"
import { journey } from "../support/journey.ts"

journey("creates a store after correcting an invalid field, and waits until it is ready", async (context) => {
  const { page, goTo, press, expectText, expectHeading, uniqueName, js } = context
  await goTo("/console/stores/new")
  await page.getByLabel("Name").fill(`Shop ${uniqueName}`)
  await page.getByLabel("Subdomain").fill("Not a subdomain")
  await page.getByLabel(W.fields.owner_email ?? "").fill("owner@example.com")
  await page.getByLabel(W.stores.password).fill("a long enough one")
  await press(W.stores.create)
  await expectText(W.common.invalid_fields(1))
  const subdomain = page.getByLabel("Subdomain")
  expect(await subdomain.getAttribute("aria-invalid")).toBe("true")
  expect(await page.getByLabel("Name").inputValue()).toBe(`Shop ${uniqueName}`)
  if (js) expect(await page.locator("#subdomain:focus").count()).toBe(1)
  await subdomain.fill(uniqueName)
  await page.getByLabel(W.stores.password).fill("a long enough one")
  await press(W.stores.create)
  await expectHeading(`Shop ${uniqueName}`)
  await expectText(W.notices.store_created)
  await waitUntilReady(uniqueName)
  // With JavaScript the page refreshes itself.
  if (!js) await page.reload()
  await page.locator("#state .badge", { hasText: "Ready" }).waitFor()
})

journey("suspends and resumes a store, adds a note, and deletes it", async (context) => {
  const { page, goTo, press, follow, open, expectText, expectHeading, uniqueName } = context
  const id = await createStore(uniqueName)
  await goTo(`/console/stores/${id}`)
  await follow(W.store.suspend, "#state")
  await expectHeading(W.storeActions.suspend(`Walk ${id}`))
  await press(W.store.suspend)
  await expectText(W.notices.suspended)
  await expectText(W.store.visitors_see.suspended)
  expect((await page.goto(getStoreUrl(id)))?.status()).toBe(402)
  await goTo(`/console/stores/${id}`)
  await follow(W.store.resume, "#state")
  await press(W.store.resume)
  await expectText(W.notices.resumed)
  await open(W.store.add_note)
  await page.getByLabel("Note").fill("Called about the price. Is happy.")
  await press(W.store.add_note)
  await expectText("Called about the price. Is happy.")
  await follow(W.store.delete)
  const confirmation = page.getByLabel(/^Type .* to confirm/)
  await confirmation.fill("something else")
  await press(W.store.delete)
  await page.getByRole("alert").first().waitFor()
  await confirmation.fill(id)
  await press(W.store.delete)
  await expectText(W.notices.store_deleted)
  await goTo(`/console/stores/${id}`)
  await expectHeading(W.errors.not_found)
})

journey("filters stores and extends several at once after a preview", async (context) => {
  const { page, goTo, press, expectText, uniqueName, js, width } = context
  await createStore(`${uniqueName}a`, { plan: "starter", trial_days: 14 })
  await createStore(`${uniqueName}b`)
  await goTo("/console/stores")
  // On a phone, the filters are folded.
  if (width < 900) await page.locator(".fold > summary").click()
  await page.getByLabel(W.fields.q ?? "", { exact: true }).fill(uniqueName)
  // With JavaScript the list updates while typing.
  if (js) await page.waitForURL((url) => url.searchParams.get("q") === uniqueName)
  else await press(W.common.filter, "main")
  await page.locator("#stores tbody tr").nth(1).waitFor()
  expect(await page.locator("#stores tbody tr").count()).toBe(2)
  await page.getByLabel(W.stores.select(`${uniqueName}a`)).check()
  await page.getByLabel(W.stores.select(`${uniqueName}b`)).check()
  await page.getByLabel(W.stores.with_selected).selectOption("extend")
  await page.getByLabel(W.stores.days).fill("7")
  await page.getByRole("button", { name: W.stores.preview, exact: true }).click()
  await expectText(W.stores.preview_title(2))
  await press(W.stores.submit("extend", 1))
  await expectText(W.stores.result_title(1, 2))
})
