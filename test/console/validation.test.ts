// Forms of the console show all invalid fields at once, also those that need a lookup.
import { expect, test } from "vitest"
import { makePlan, makeReadyStore } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { makeOperator, signIn } from "./support"

test.each([
  ["/console/stores", { subdomain: "a", name: "", owner_email: "x", password: "y", plan: "no" }, ["name", "plan"]],
  ["/console/webhooks", { url: "https://localhost/", events: "no.such" }, ["url", "events"]],
  ["/console/orders", { store: "acme", plan: "no", note: "x".repeat(501) }, ["plan", "note"]],
  ["/console/operators", { email: "taken@example.com", name: "", password: "x" }, ["email", "name"]],
  [
    "/console/account/password",
    { current_password: "wrong", password: "x", password_confirmation: "y" },
    ["current_password", "password", "password_confirmation"],
  ],
  ["/console/licenses", { product_reference_id: "NO", email: "x" }, ["product_reference_id", "email"]],
] as [string, Record<string, string>, string[]][])("%s shows every error of %j", async (path, form, fields) => {
  mockReceiver()
  await makePlan({ slug: "pro" })
  await makeReadyStore({ subdomain: "acme" })
  await makeOperator({ email: "taken@example.com" })
  const admin = await signIn()
  const response = await admin.post(path, form)
  expect(response.status).toBe(422)
  for (const field of fields) expect.soft(response.text, field).toContain(`${field}-error`)
})
