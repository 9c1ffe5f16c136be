// One's own account: the zone in which times are told, the colours, a second factor.
import { Secret, TOTP } from "otpauth"
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { command } from "../support/api.ts"
import { base, signIn } from "../support/browser.ts"
import { journey } from "../support/journey.ts"

journey(
  "sets the time zone and the colours, and switches a second factor on that the next sign-in asks for",
  async (walk) => {
    const { page, to, press, sees, word, another } = walk
    const me = { email: `${word}@example.com`, password: "a long enough one" }
    await command("operators:create", { ...me, name: "Ada" })
    await signIn(page, me)
    await to("/console/account")
    await page.getByLabel("Time zone").fill("Asia/Tokyo")
    await page.getByLabel(W.account.theme).selectOption("dark")
    await press(W.common.save)
    await sees(W.notices.saved)
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark")
    await press(W.account.totp_set_up)
    const secret = (await page.locator("#totp code").textContent()) ?? ""
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    await page
      .locator("#totp")
      .getByLabel(W.fields.code ?? "", { exact: true })
      .fill(totp.generate())
    await press(W.account.totp_enable)
    await sees(W.account.recovery_body)
    const [code = ""] = ((await page.locator("#codes").textContent()) ?? "").split("\n")

    const elsewhere = await another("nobody")
    await signIn(elsewhere, me)
    await elsewhere.getByRole("heading", { name: W.login.code_title }).waitFor()
    await elsewhere.getByLabel(W.fields.code ?? "", { exact: true }).fill(code)
    await elsewhere.getByRole("button", { name: W.login.code_submit }).click()
    await elsewhere.waitForURL(`${base}/console`)

    await to("/console/account")
    await press(W.account.end_other_sessions)
    await sees(W.notices.session_revoked)
    await elsewhere.reload()
    expect(new URL(elsewhere.url()).pathname).toBe("/console/login")
  },
  "nobody",
)
