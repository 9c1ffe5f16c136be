// The operator CLI endpoint: authentication, command descriptions and input validation.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { call } from "../support/app"
import { rows } from "../support/rows"

const token = env.OPERATOR_TOKEN
const operator = (command: string, json: unknown = {}, options: { token?: string; host?: string } = { token }) =>
  call("POST", `/api/operator/v1/${command}`, { json, ...options })

test("accepts only the operator token, and only on the central host", async () => {
  const cases: [{ token?: string; host?: string }, number, string][] = [
    [{}, 401, "unauthenticated"],
    [{ token: `${token}x` }, 401, "invalid_key"],
    [{ token: token.slice(1) }, 401, "invalid_key"],
    [{ token, host: "acme.localhost" }, 404, "not_found"],
  ]
  for (const [options, status, code] of cases) {
    const response = await operator("keys:list", {}, options)
    expect.soft([response.status, response.body.error.code]).toEqual([status, code])
  }
})

test("lists the commands with their options", async () => {
  const { data } = (await call("GET", "/api/operator/v1", { token })).body
  const command = data.find(({ name }: { name: string }) => name === "keys:create")
  expect(command.options.map(({ name, required }: { name: string; required: boolean }) => [name, required])).toEqual([
    ["name", true],
    ["scopes", true],
    ["expires", false],
    ["store_ids", false],
  ])
})

test("marks exactly the secret options as secret", async () => {
  const { data } = (await call("GET", "/api/operator/v1", { token })).body
  const secrets = data.flatMap((command: { name: string; options: { name: string; secret?: true }[] }) =>
    command.options.filter(({ secret }) => secret).map((option) => `${command.name} ${option.name}`),
  )
  expect(secrets.sort()).toEqual([
    "license-keys:create key",
    "license-settings lm_legacy_encryption_key",
    "license-settings lm_license_encryption_key",
    "operators:create password",
    "push:settings service_account",
  ])
})

test("returns an API key once in plain text, lists it without, and revokes it", async () => {
  const created = (await operator("keys:create", { name: "ci", scopes: "read, write,read" })).body.data
  expect(created.key).toMatch(/^tnk_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}$/)
  expect(created.scopes).toEqual(["read", "write"])
  expect(JSON.stringify(await rows("select * from api_keys"))).not.toContain(created.key)
  const listed = await operator("keys:list")
  expect(listed.body.data[0]).toMatchObject({
    id: created.id,
    name: "ci",
    is_usable: true,
    created_by_name: "operator",
  })
  expect(listed.text).not.toContain(created.key)
  expect((await operator("keys:revoke", { id: String(created.id) })).body.data.is_usable).toBe(false)
  expect((await call("GET", "/api/platform/v1/me", { token: created.key })).body.error.code).toBe("key_revoked")
})

test("refuses to delete the last admin, with the reason", async () => {
  const person = { email: "one@example.com", name: "One", password: "correct-horse-battery" }
  const { id } = (await operator("operators:create", person)).body.data
  const removed = await operator("operators:remove", { id })
  expect([removed.status, removed.body.error]).toEqual([
    409,
    { code: "last_admin", message: "The last admin can neither be removed nor made a viewer." },
  ])
})

test("returns 404 for an unknown command, 422 for an unknown option or invalid value, and 400 for malformed JSON", async () => {
  for (const name of ["no:such", "constructor", "__proto__"]) expect.soft((await operator(name)).status).toBe(404)
  const unknownOption = await operator("keys:create", { name: "ci", scopes: "read", expire: "2030-01-01" })
  expect([unknownOption.status, Object.keys(unknownOption.body.errors)]).toEqual([422, ["expire"]])
  const bad = await operator("keys:create", { scopes: "admin", expires: "2001-01-01" })
  expect([bad.status, Object.keys(bad.body.errors)]).toEqual([422, ["name", "scopes.0", "expires"]])
  const past = await operator("keys:create", { name: "ci", scopes: "read", expires: "2001-01-01" })
  expect([past.status, Object.keys(past.body.errors)]).toEqual([422, ["expires"]])
  const headers = { "Content-Type": "application/json" }
  expect((await call("POST", "/api/operator/v1/keys:list", { token, body: "{", headers })).status).toBe(400)
  expect(await rows("select id from api_keys")).toEqual([])
})
