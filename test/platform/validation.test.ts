// The control plane and the operator commands report all invalid fields at once, also those that need a lookup.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test } from "vitest"
import { call, platform } from "../support/app"
import { makeEndpoint, makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { mockReceiver } from "../support/receiver"

beforeEach(() => mockReceiver())

const operator = (command: string, json: unknown) =>
  call("POST", `/api/operator/v1/${command}`, { json, token: env.OPERATOR_TOKEN })

test("reports every invalid field of a request, with the same messages as each alone", async () => {
  const token = await makeKey()
  const store = await makeReadyStore()
  await makePlan({ slug: "pro" })
  const endpoint = await makeEndpoint({ url: "https://receiver.example/hook", events: ["store.created"] })
  const cases: [string, string, Record<string, unknown>][] = [
    [
      "POST",
      "/stores",
      { subdomain: "ok1", name: "", owner_email: "a@b.example", password: "long enough", plan: "no" },
    ],
    ["POST", "/stores", { subdomain: "No!", name: "x1", owner_email: "x", password: "y", theme: "no", trial_days: -1 }],
    ["POST", "/stores", { subdomain: "ok2", name: "x1", owner_email: "x", password: "long enough", preset: "no" }],
    ["POST", "/webhooks", { url: "https://localhost/hook", events: ["no.such"] }],
    ["POST", "/webhooks", { url: "https://shop.localhost/hook", events: [], stores: ["no-such"], description: 7 }],
    ["PATCH", `/webhooks/${endpoint.id}`, { url: "https://10.0.0.1/", is_active: "yes", stores: ["no-such"] }],
    ["POST", `/stores/${store}/subscription/assign`, { plan: "no", trial_days: 999 }],
  ]
  for (const [method, path, json] of cases) {
    const response = await platform(method, path, { token, json })
    expect.soft(response.status, path).toBe(422)
    expect.soft(response.body.error.code).toBe("validation_failed")
    const messages: Record<string, string[]> = response.body.errors
    const invalid = Object.keys(json).filter((field) => messages[field])
    expect.soft(invalid.length, `${path} ${JSON.stringify(messages)}`).toBeGreaterThan(1)
    const expected = Object.keys(json).filter((field) => !VALID.has(json[field]))
    expect.soft(Object.keys(messages).sort(), path).toEqual(expected.sort())
  }
})

/** The valid values of the requests above. */
const VALID = new Set<unknown>(["ok1", "ok2", "x1", "a@b.example", "long enough"])

test("returns the same message for a field alone and next to another invalid one", async () => {
  const token = await makeKey()
  const valid = { subdomain: "fine", name: "A", owner_email: "a@example.com", password: "long enough" }
  const errors = async (json: object) => (await platform("POST", "/stores", { token, json })).body.errors
  const plan = (await errors({ ...valid, plan: "no" })).plan
  const name = (await errors({ ...valid, name: "" })).name
  expect(await errors({ ...valid, name: "", plan: "no" })).toEqual({ name, plan })
})

test("returns 409 for a taken subdomain only when all fields are valid", async () => {
  const token = await makeKey()
  const subdomain = await makeStore()
  const json = { subdomain, name: "A", owner_email: "a@example.com", password: "long enough", plan: "no" }
  expect((await platform("POST", "/stores", { token, json })).status).toBe(422)
  const taken = await platform("POST", "/stores", { token, json: { ...json, plan: undefined } })
  expect([taken.status, taken.body.error.code]).toEqual([409, "subdomain_taken"])
})

test("returns 404 for a missing resource before errors of fields", async () => {
  const token = await makeKey()
  const json = { url: "https://localhost/", events: [] }
  expect((await platform("PATCH", "/webhooks/999", { token, json })).status).toBe(404)
  const assign = { plan: "no", trial_days: -1 }
  expect((await platform("POST", "/stores/none/subscription/assign", { token, json: assign })).status).toBe(404)
})

test.each([
  ["keys:create", { name: "", scopes: "read", expires: "2001-01-01", typo: 1 }, ["expires", "name", "typo"]],
  ["operators:create", { email: "taken@example.com", name: "", password: "x" }, ["email", "name", "password"]],
  ["posts:save", { site: "no-such", name: "" }, ["name", "site"]],
  ["posts:save", { name: "", author: "a@b.example", tags: "no" }, ["author", "name", "tags"]],
  ["posts:save", { name: "!!!", image: "x", categories: "no" }, ["categories", "image", "slug"]],
  ["categories:save", { name: "", parent: "no" }, ["name", "parent"]],
  ["api:send-notification", { title: "", message: "m", at: "2001-01-01" }, ["at", "title"]],
  ["push:settings", { enabled: "x", service_account: "{" }, ["enabled", "service_account"]],
  ["site:settings", { language: "xx", "require-key": "on" }, ["language", "require-key"]],
  ["site:settings", { site: "no-such", language: "xx" }, ["language", "site"]],
  ["site-tokens:create", { site: "no-such", name: "" }, ["name", "site"]],
  [
    "license-keys:create",
    { type: "external", name: "", scopes: "products:read", expires: "2001-01-01" },
    ["expires", "name", "scopes"],
  ],
])("%s reports all invalid options %j", async (command, json, fields) => {
  await operator("operators:create", { email: "taken@example.com", name: "Ada", password: "correct-horse-battery" })
  const response = await operator(command, json)
  expect(response.status).toBe(422)
  expect(Object.keys(response.body.errors).sort()).toEqual(fields)
})
