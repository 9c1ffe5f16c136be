// The operator's own account: time zone, appearance and two-factor authentication.
import { Secret, TOTP } from "otpauth"
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { runCommand } from "../support/api.ts"
import { base, signIn } from "../support/browser.ts"
import { journey } from "../support/journey.ts"

journey(
  "sets the time zone and appearance, turns on two-factor authentication, and signs in with a recovery code",
  async (context) => {
    const { page, goTo, press, expectText, uniqueName, openWindow } = context
    const me = { email: `${uniqueName}@example.com`, password: "a long enough one" }
    await runCommand("operators:create", { ...me, name: "Ada" })
    await signIn(page, me)
    await goTo("/console/account")
    await page.getByLabel("Time zone").fill("Asia/Tokyo")
    await page.getByLabel(W.account.theme).selectOption("dark")
    await press(W.common.save)
    await expectText(W.notices.saved)
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark")
    await press(W.account.totp_set_up)
    const secret = (await page.locator("#totp code").textContent()) ?? ""
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    await page
      .locator("#totp")
      .getByLabel(W.fields.code ?? "", { exact: true })
      .fill(totp.generate())
    await press(W.account.totp_enable)
    await expectText(W.account.recovery_body)
    const [code = ""] = ((await page.locator("#codes").textContent()) ?? "").split("\n")

    const elsewhere = await openWindow("anonymous")
    await signIn(elsewhere, me)
    await elsewhere.getByRole("heading", { name: W.login.code_title }).waitFor()
    await elsewhere.getByLabel(W.fields.code ?? "", { exact: true }).fill(code)
    await elsewhere.getByRole("button", { name: W.login.code_submit }).click()
    await elsewhere.waitForURL(`${base}/console`)

    await goTo("/console/account")
    await press(W.account.end_other_sessions)
    await expectText(W.notices.session_revoked)
    await elsewhere.reload()
    expect(new URL(elsewhere.url()).pathname).toBe("/console/login")
  },
  "anonymous",
)
