// The operator's command line over HTTP: who may use it, what it tells of itself, what it takes.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { call } from "../support/app"
import { rows } from "../support/rows"

const token = env.OPERATOR_TOKEN
const operator = (command: string, json: unknown = {}, given: { token?: string; host?: string } = { token }) =>
  call("POST", `/api/operator/v1/${command}`, { json, ...given })

test("only the operator token opens it, and only on the central host", async () => {
  const cases: [{ token?: string; host?: string }, number, string][] = [
    [{}, 401, "unauthenticated"],
    [{ token: `${token}x` }, 401, "invalid_key"],
    [{ token: token.slice(1) }, 401, "invalid_key"],
    [{ token, host: "acme.localhost" }, 404, "not_found"],
  ]
  for (const [given, status, code] of cases) {
    const answer = await operator("keys:list", {}, given)
    expect.soft([answer.status, answer.body.error.code]).toEqual([status, code])
  }
})

test("it lists its commands with their options", async () => {
  const { data } = (await call("GET", "/api/operator/v1", { token })).body
  const command = data.find(({ name }: { name: string }) => name === "keys:create")
  expect(command.options.map(({ name, required }: { name: string; required: boolean }) => [name, required])).toEqual([
    ["name", true],
    ["scopes", true],
    ["expires", false],
  ])
})

test("marks the options that are secret, and no others", async () => {
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

test("a key is issued once in plain text, listed without it, and revoked", async () => {
  const made = (await operator("keys:create", { name: "ci", scopes: "read, write,read" })).body.data
  expect(made.key).toMatch(/^tnk_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}$/)
  expect(made.scopes).toEqual(["read", "write"])
  expect(JSON.stringify(await rows("select * from api_keys"))).not.toContain(made.key)
  const listed = await operator("keys:list")
  expect(listed.body.data[0]).toMatchObject({ id: made.id, name: "ci", is_usable: true, created_by_name: "operator" })
  expect(listed.text).not.toContain(made.key)
  expect((await operator("keys:revoke", { id: String(made.id) })).body.data.is_usable).toBe(false)
  expect((await call("GET", "/api/platform/v1/me", { token: made.key })).body.error.code).toBe("key_revoked")
})

test("the last admin stays, and who asks is told why", async () => {
  const person = { email: "one@example.com", name: "One", password: "correct-horse-battery" }
  const { id } = (await operator("operators:create", person)).body.data
  const removed = await operator("operators:remove", { id })
  expect([removed.status, removed.body.error]).toEqual([
    409,
    { code: "last_admin", message: "The last admin can neither be removed nor made a viewer." },
  ])
})

test("an unknown command is 404, an unknown option and a bad value are 422, unreadable JSON is 400", async () => {
  for (const name of ["no:such", "constructor", "__proto__"]) expect.soft((await operator(name)).status).toBe(404)
  const slip = await operator("keys:create", { name: "ci", scopes: "read", expire: "2030-01-01" })
  expect([slip.status, Object.keys(slip.body.errors)]).toEqual([422, ["expire"]])
  const bad = await operator("keys:create", { scopes: "admin", expires: "2001-01-01" })
  expect([bad.status, Object.keys(bad.body.errors).sort()[0]]).toEqual([422, "name"])
  const past = await operator("keys:create", { name: "ci", scopes: "read", expires: "2001-01-01" })
  expect([past.status, Object.keys(past.body.errors)]).toEqual([422, ["expires"]])
  const headers = { "Content-Type": "application/json" }
  expect((await call("POST", "/api/operator/v1/keys:list", { token, body: "{", headers })).status).toBe(400)
  expect(await rows("select id from api_keys")).toEqual([])
})
