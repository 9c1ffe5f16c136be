// A store's site: a post is written and read by a visitor, and those who follow the store are told, also on their telephones.
import { generateKeyPairSync } from "node:crypto"
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
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
  await sees(W.notices.saved)
  await page.goto(storeUrl(store, `/blog/${word}`))
  await heading(`News of ${word}`)
  expect(await page.locator("article script, main script").count()).toBe(0)
  await to(`/console/sites/${store}/notifications`)
  await page.getByLabel(W.sites.name, { exact: true }).fill(`Hello from ${word}`)
  await page.getByLabel("Message").fill("We open at nine.")
  await press(W.push.count)
  await heading(W.push.preview)
  await press(W.sites.send)
  await sees(W.notices.notified)
  await sees(`Hello from ${word}`)
})

journey("sets pushes up with the file that the provider gave, by its chooser or by its text", async (walk) => {
  const { page, to, press, sees, js, word } = walk
  const store = await makeStore(word)
  const account = serviceAccount(word)
  await to(`/console/sites/${store}/notifications`)
  const area = page.getByLabel(W.push.service_account)
  const chooser = page.getByLabel(W.common.choose_file)
  if (js) {
    await chooser.setInputFiles({ name: "much.json", mimeType: "application/json", buffer: Buffer.alloc(70_000, "x") })
    expect(await area.inputValue()).toBe("")
    await chooser.setInputFiles({ name: "key.json", mimeType: "application/json", buffer: Buffer.from(account) })
    await expect.poll(() => area.inputValue()).toBe(account)
  } else {
    expect(await chooser.isVisible()).toBe(false)
    await area.fill(account)
  }
  await page.getByLabel(W.push.enabled).check()
  await press(W.common.save, 'form[action$="/push"]')
  await sees(W.notices.saved)
  await sees(`project-${word}`)
  expect(await page.content()).not.toContain("PRIVATE KEY")
})

/** The file of a push provider's project, with a key of its own. */
function serviceAccount(word: string): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  return JSON.stringify({
    type: "service_account",
    project_id: `project-${word}`,
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: `push@project-${word}.iam.example`,
    token_uri: "https://oauth2.googleapis.com/token",
  })
}
