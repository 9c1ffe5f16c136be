// The sign-up form: addresses as people type them, common passwords, and what a refused form keeps.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { findPasswordRule } from "../../src/core/auth/common-passwords"
import { toSubdomain } from "../../src/pages/platform/subdomain-script"
import { call } from "../support/app"
import { makePlan } from "../support/factories"
import { rows } from "../support/rows"
import { nextSerial } from "../support/serial"

const SETTINGS = {
  TENANCY_SIGNUP_PER_IP_PER_HOUR: "0",
  TENANCY_SIGNUP_GLOBAL_PER_HOUR: "0",
  TENANCY_SIGNUP_VERIFY_EMAIL: "false",
}

const send = (fields: Record<string, string>) =>
  call("POST", "/signup", {
    body: new URLSearchParams({ name: "Harbor Tea", email: "tea@example.com", ...fields }).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    env: SETTINGS,
  })

describe("addresses", () => {
  test.each([
    ["Harbor Tea", "harbor-tea"],
    ["  Café Đà Nẵng! ", "cafe-da-nang"],
    ["harbor-tea", "harbor-tea"],
    ["Tom's", "toms"],
    ["harbor.tea", "harbor.tea"],
    ["***", ""],
  ])("turns %s into %s", (text, subdomain) => {
    expect(toSubdomain(text)).toBe(subdomain)
  })

  test("a form may have capitals and blanks in the address, JSON may not", async () => {
    await makePlan()
    const name = `Harbor Tea ${nextSerial()}`
    const form = await send({ subdomain: name, password: "correct-horse" })
    expect(form.status).toBe(303)
    expect(form.headers.get("Location")).toBe(`/signup/stores/${name.toLowerCase().replaceAll(" ", "-")}`)
    const json = { name, subdomain: name, email: "tea@example.com", password: "correct-horse" }
    expect((await call("POST", "/signup", { json, env: SETTINGS })).status).toBe(422)
  })
})

describe("passwords", () => {
  test("the most common ones are recognized in any case", async () => {
    for (const password of ["password", "12345678", "qwertyuiop", "Password1", "SUNSHINE", "iloveyou"])
      expect(await findPasswordRule(env, password), password).toBe("common_password")
    for (const password of ["correct-horse", "new-secret", "clay and fire", ""])
      expect(await findPasswordRule(env, password), password).toBeNull()
  })

  test("a sign-up with a common password is refused, at its field", async () => {
    await makePlan()
    const { status, text } = await send({ subdomain: `tea${nextSerial()}`, password: "password" })
    expect(status).toBe(422)
    expect(text).toContain("This password is too common.")
    expect(text).not.toContain("hidden_password")
    expect(await rows("select id from stores")).toEqual([])
  })

  test("a refused coupon keeps the password, which the page contains only encrypted, for half an hour", async () => {
    await makePlan()
    const subdomain = `tea${nextSerial()}`
    const refused = await send({ subdomain, password: "correct-horse", coupon: "NOPE" })
    expect(refused.status).toBe(422)
    expect(refused.text).not.toContain("correct-horse")
    expect(refused.text).toContain("We kept the password you entered.")
    const kept = /name="hidden_password" value="([^"]+)"/.exec(refused.text)?.[1] ?? ""
    for (const forged of ["", "v1.x", `${kept.slice(0, -4)}AAAA`])
      expect((await send({ subdomain, password: "", hidden_password: forged })).status).toBe(422)
    expect((await send({ subdomain, password: "", hidden_password: kept })).status).toBe(303)
    const [store] = await rows("select status from stores where id = ?", subdomain)
    expect(store?.status).toBe("pending")
  })

  test("a mistake in another field keeps everything else that was typed", async () => {
    await makePlan({ slug: "pro" })
    const { text } = await send({
      subdomain: "www",
      plan: "pro",
      look: "bazaar/fiesta",
      language: "fr",
      password: "correct-horse",
    })
    expect(text).toContain('value="Harbor Tea"')
    expect(text).toMatch(/name="look" value="bazaar\/fiesta" checked/)
    expect(text).toMatch(/<details class="fold" open/)
    expect(text).toMatch(/value="fr"[^>]*selected/)
  })
})

test("the form names the plan that does not include the chosen theme", async () => {
  await makePlan({ slug: "plain", name: "Plain", themes: ["atelier"] })
  await makePlan({ slug: "pro", name: "Pro" })
  const { text } = await send({
    subdomain: "harbor-tea",
    plan: "plain",
    look: "bazaar/fiesta",
    password: "correct-horse",
  })
  expect(text).toContain("The plan Plain does not include the theme Bazaar.")
})

test("the form shows a picture of each theme that may be chosen, folded away until one is chosen", async () => {
  await makePlan()
  const { text } = await call("GET", "/signup")
  expect(text).toContain('<details class="fold"><summary>')
  expect(text.match(/src="\/themes\/[a-z]+-[0-9a-f]{16}\.webp"/g)?.length).toBeGreaterThanOrEqual(4)
})
