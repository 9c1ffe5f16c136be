// Creates an operator, changes their role, and removes them.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { base, signIn } from "../support/browser.ts"
import { journey } from "../support/journey.ts"

journey(
  "creates a viewer who sees pages without forms, and ends their session when their role changes",
  async (context) => {
    const { page, goTo, press, follow, open, expectText, uniqueName, openWindow } = context
    const colleague = { email: `${uniqueName}@example.com`, password: "a long enough one" }
    await goTo("/console/operators")
    await open(W.operators.new)
    const form = page.locator("#new")
    await form.getByLabel(W.fields.email ?? "").fill(colleague.email)
    await form.getByLabel("Name").fill("Vera")
    await form.getByLabel(W.fields.password ?? "").fill(colleague.password)
    await form.getByLabel(W.operators.role).selectOption("viewer")
    await press(W.operators.create)
    await expectText(W.notices.operator_created)

    const theirs = await openWindow("anonymous")
    await signIn(theirs, colleague)
    // Phones have no room for the role next to the name.
    await theirs.getByText(W.operators.roles.viewer, { exact: true }).first().waitFor({ state: "attached" })
    for (const path of ["/console/stores/acme", "/console/keys", "/console/webhooks"]) {
      await theirs.goto(base + path)
      expect(await theirs.locator("form[method=post]:not([action='/console/logout'])").count()).toBe(0)
    }

    await follow(colleague.email)
    await page.locator("#change").getByLabel(W.operators.role).selectOption("admin")
    await press(W.common.save)
    await expectText(W.notices.operator_changed)
    await theirs.goto(`${base}/console/keys`)
    expect(new URL(theirs.url()).pathname).toBe("/console/login")
    await signIn(theirs, colleague)
    await theirs.locator("summary", { hasText: W.keys.new }).waitFor()

    await follow(W.operators.remove)
    await page.getByLabel(W.operators.confirm).fill(colleague.email)
    await press(W.operators.remove)
    await expectText(W.notices.operator_removed)
    await theirs.reload()
    expect(new URL(theirs.url()).pathname).toBe("/console/login")
  },
)
