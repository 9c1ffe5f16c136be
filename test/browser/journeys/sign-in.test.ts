// Signs in and out.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { base, platform, signIn } from "../support/browser.ts"
import { journey } from "../support/journey.ts"

journey(
  "rejects a wrong password, returns to the requested page after sign-in, and signs out",
  async ({ page, goTo, press, expectText, expectHeading, js }) => {
    await goTo("/console/audit?type=store_created")
    expect(new URL(page.url()).pathname).toBe("/console/login")
    const email = platform.operator?.email ?? ""
    await signIn(page, { email, password: "not the password" })
    await expectText(W.refusals.sign_in_failed)
    expect(await page.getByLabel(W.fields.email ?? "").inputValue()).toBe(email)
    expect(await page.getByLabel(W.fields.password ?? "").inputValue()).toBe("")
    if (js) expect(await page.locator("script[src]").count()).toBe(1)
    await signIn(page, platform.operator)
    await expectHeading(W.audit.title)
    expect(page.url()).toBe(`${base}/console/audit?type=store_created`)
    await press(W.login.sign_out)
    await expectText(W.notices.signed_out)
    await page.goBack()
    await page.reload()
    expect(new URL(page.url()).pathname).toBe("/console/login")
  },
  "anonymous",
)
