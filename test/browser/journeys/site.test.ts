// Publishes content on a store's site, sends notifications, and sets up push.
import { generateKeyPairSync } from "node:crypto"
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { createStore } from "../support/api.ts"
import { getStoreUrl } from "../support/browser.ts"
import { journey } from "../support/journey.ts"

journey("writes a post that visitors can read, and sends a notification", async (context) => {
  const { page, goTo, press, open, expectText, expectHeading, uniqueName } = context
  const store = await createStore(uniqueName)
  await goTo(`/console/sites/${store}/posts`)
  await open(W.sites.new.posts)
  await page.getByLabel(W.sites.name, { exact: true }).fill(`News of ${uniqueName}`)
  await page.getByLabel("Slug").fill(uniqueName)
  await page.getByLabel("Content").fill("<p>We open <b>at nine</b>.</p><script>alert(1)</script>")
  await page.getByLabel("Status").selectOption("published")
  await press(W.sites.save.posts)
  await expectText(W.notices.created)
  await page.goto(getStoreUrl(store, `/blog/${uniqueName}`))
  await expectHeading(`News of ${uniqueName}`)
  expect(await page.locator("article script, main script").count()).toBe(0)
  await goTo(`/console/sites/${store}/notifications`)
  await open(W.sites.new_notification)
  await page.getByLabel(W.sites.name, { exact: true }).fill(`Hello from ${uniqueName}`)
  await page.getByLabel("Message").fill("We open at nine.")
  await press(W.push.count)
  await expectHeading(W.push.preview)
  await press(W.sites.send)
  await expectText(W.notices.notified)
  await expectText(`Hello from ${uniqueName}`)
})

journey("sets up push with a service account file, chosen or pasted", async (context) => {
  const { page, goTo, press, expectText, js, uniqueName } = context
  const store = await createStore(uniqueName)
  const account = createServiceAccount(uniqueName)
  await goTo(`/console/sites/${store}/notifications`)
  const area = page.getByLabel(W.push.service_account)
  const chooser = page.getByLabel(W.common.choose_file)
  if (js) {
    await chooser.setInputFiles({ name: "large.json", mimeType: "application/json", buffer: Buffer.alloc(70_000, "x") })
    expect(await area.inputValue()).toBe("")
    await chooser.setInputFiles({ name: "key.json", mimeType: "application/json", buffer: Buffer.from(account) })
    await expect.poll(() => area.inputValue()).toBe(account)
  } else {
    expect(await chooser.isVisible()).toBe(false)
    await area.fill(account)
  }
  await page.getByLabel(W.push.enabled).check()
  await press(W.common.save, 'form[action$="/push"]')
  await expectText(W.notices.saved)
  await expectText(`project-${uniqueName}`)
  expect(await page.content()).not.toContain("PRIVATE KEY")
})

/** Creates a service account file with a new key. */
function createServiceAccount(uniqueName: string): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  return JSON.stringify({
    type: "service_account",
    project_id: `project-${uniqueName}`,
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: `push@project-${uniqueName}.iam.example`,
    token_uri: "https://oauth2.googleapis.com/token",
  })
}
