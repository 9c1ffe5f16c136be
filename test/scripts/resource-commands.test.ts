// Tests the commands that are derived from the control plane's OpenAPI document.
import { expect, test } from "vitest"
import type { CommandLine } from "../../tools/cli/arguments"
import { listEventTypes, listResourceCommands, OPERATOR_COMMANDS } from "../../tools/cli/operations"
import { buildRequest, readPlatformDocument } from "../../tools/cli/resource-commands"

const document = readPlatformDocument()
const commands = listResourceCommands(document)

function find(name: string) {
  const command = commands.find((one) => one.name === name)
  if (!command) throw new Error(`no command ${name}`)
  return command
}

const build = (name: string, options: CommandLine["options"]) => {
  const { path, query, body } = buildRequest(find(name), options)
  return { path: path + (query.size ? `?${query}` : ""), body }
}

test("has a command for every operation, except those with an operator command", () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  expect(commands).toHaveLength(operations.length - OPERATOR_COMMANDS.length)
  expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length)
  for (const name of ["stores:list", "stores:set-theme", "plans:list", "webhooks:create", "webhooks:rotate-secret"])
    expect(find(name).summary).not.toBe("")
})

test("describes arguments, required options, allowed values and lists", () => {
  expect(find("domains:verify").arguments).toEqual(["id", "domain"])
  const options = new Map(find("webhooks:create").options.map((option) => [option.name, option]))
  expect(options.get("url")).toMatchObject({ required: true })
  expect(options.get("events")).toMatchObject({ required: true, list: true, values: listEventTypes(document) })
  expect(options.get("description")).toMatchObject({ required: false })
  expect(find("stores:create").options.find(({ name }) => name === "password")).toMatchObject({ secret: true })
  expect(listEventTypes(document)).toEqual(expect.arrayContaining(["*", "store.ready", "store.*"]))
})

test.each<[string, CommandLine["options"], ReturnType<typeof build>]>([
  ["stores:get", { id: "a/b é" }, { path: "/api/platform/v1/stores/a%2Fb%20%C3%A9", body: undefined }],
  [
    "stores:list",
    { status: "ready", "per-page": "5" },
    { path: "/api/platform/v1/stores?per_page=5&status=ready", body: undefined },
  ],
  [
    "subscriptions:assign",
    { id: "acme", plan: "starter", "trial-days": "14" },
    { path: "/api/platform/v1/stores/acme/subscription/assign", body: { plan: "starter", trial_days: 14 } },
  ],
  [
    "webhooks:create",
    { url: "https://a.example/", events: ["store.*", "app.enabled,app.disabled"], stores: "null" },
    {
      path: "/api/platform/v1/webhooks",
      body: { url: "https://a.example/", events: ["store.*", "app.enabled", "app.disabled"], stores: null },
    },
  ],
  [
    "webhooks:update",
    { id: "7", filter: '[{"path":"name","op":"changed"}]', headers: '{"X-Team":"a,b"}', payload: "thin" },
    {
      path: "/api/platform/v1/webhooks/7",
      body: { filter: [{ path: "name", op: "changed" }], headers: { "X-Team": "a,b" }, payload: "thin" },
    },
  ],
  [
    "webhooks:update",
    { id: "3", "is-active": true, data: '{"description":"x","is_active":false}' },
    { path: "/api/platform/v1/webhooks/3", body: { description: "x", is_active: true } },
  ],
  ["webhooks:rotate-secret", { id: "3" }, { path: "/api/platform/v1/webhooks/3/rotate-secret", body: {} }],
  // The platform describes what is wrong with the value.
  [
    "subscriptions:extend",
    { id: "a", days: "soon" },
    { path: "/api/platform/v1/stores/a/subscription/extend", body: { days: "soon" } },
  ],
])("%s with %o is a request", (name, options, expected) => {
  expect(build(name, options)).toEqual(expected)
})

test.each<[string, CommandLine["options"], string]>([
  ["stores:get", { id: ".." }, '<id> cannot be ".."'],
  ["stores:update", { id: "a", name: ["x", "y"] }, "--name can only be given once."],
  ["stores:update", { id: "a", name: true }, "--name requires a value"],
  ["stores:update", { id: "a", data: "[1]" }, "--data must be a JSON object."],
])("%s rejects %o", (name, options, message) => {
  expect(() => build(name, options)).toThrow(message)
})
