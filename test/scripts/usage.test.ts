// Tests how a command line is checked against the description of its command, and what is suggested.
import { expect, test } from "vitest"
import { parseCommandLine } from "../../tools/cli/arguments"
import type { Command } from "../../tools/cli/commands"
import { createUnknownCommandError, findCommand, formatUsage, resolveOptions } from "../../tools/cli/usage"

const KEYS_CREATE: Command = {
  name: "keys:create",
  summary: "Create an API key",
  options: [
    { name: "name", required: true, summary: "" },
    { name: "scopes", required: true, summary: "", values: ["read", "write"], list: true },
    { name: "owner_email", required: false, summary: "" },
    { name: "mode", required: false, summary: "", values: ["failed", "missed", "all"] },
  ],
}
const KEYS_REVOKE: Command = {
  name: "keys:revoke",
  summary: "Revoke an API key",
  options: [{ name: "id", required: true, summary: "" }],
}
const DOMAINS_VERIFY: Command = {
  name: "domains:verify",
  summary: "Verify a domain",
  arguments: ["id", "domain"],
  options: [
    { name: "id", required: true, summary: "" },
    { name: "domain", required: true, summary: "" },
  ],
}
const COMMANDS = [KEYS_CREATE, KEYS_REVOKE, DOMAINS_VERIFY]

const parse = (line: string) => {
  const parsed = parseCommandLine(line.split(" "))
  return { ...parsed, command: parsed.command ?? "" }
}
const resolve = (command: Command, line: string) => resolveOptions(command, parse(`${command.name} ${line}`.trim()))

test("finds a command with a colon or a space", () => {
  expect(findCommand(COMMANDS, parse("keys:revoke 3"))?.command).toBe(KEYS_REVOKE)
  const spaced = findCommand(COMMANDS, parse("keys revoke 3"))
  expect([spaced?.command, spaced?.line.positionals]).toEqual([KEYS_REVOKE, ["3"]])
  expect(findCommand(COMMANDS, parse("keys list"))).toBeUndefined()
})

test.each([
  ["key:create", 'Did you mean "keys:create"?'],
  ["keys:craete", 'Did you mean "keys:create"?'],
  ["keys:delete", 'Did you mean "keys:create"?'],
  ["kyes", 'Did you mean "keys"?'],
  ["weather", "Run help to see all commands."],
  ["x".repeat(100_000), "Run help to see all commands."],
])("suggests a command for %.20s", (name, hint) => {
  expect(createUnknownCommandError(COMMANDS, name).message).toContain(hint)
})

test("assigns positional arguments to the declared options, or to the only required one", () => {
  expect(resolve(DOMAINS_VERIFY, "acme shop.example")).toEqual({ id: "acme", domain: "shop.example" })
  expect(resolve(KEYS_REVOKE, "3")).toEqual({ id: "3" })
  expect(resolve(KEYS_REVOKE, "--id=3")).toEqual({ id: "3" })
})

test("accepts dashes for underscores and underscores for dashes", () => {
  expect(resolve(KEYS_CREATE, "--name=ci --scopes=read --owner-email=a@b.example")).toEqual({
    name: "ci",
    scopes: "read",
    owner_email: "a@b.example",
  })
})

test.each([
  [KEYS_CREATE, "--name=ci --scope=read", "Unknown option --scope. Did you mean --scopes?"],
  [KEYS_CREATE, "--colour=red", "Unknown option --colour. Run keys:create --help to see its options."],
  [KEYS_CREATE, "--name=ci", "Missing --scopes. Usage: keys:create --name= --scopes= [options]"],
  [
    KEYS_CREATE,
    "--name=ci --scopes=read --mode=mised",
    '--mode cannot be "mised". Did you mean missed? Allowed: failed',
  ],
  [KEYS_CREATE, "now --name=ci --scopes=read", 'Unexpected argument "now".'],
  [KEYS_REVOKE, "3 4", 'Unexpected argument "4". Usage: keys:revoke <id>'],
  [DOMAINS_VERIFY, "acme", "Missing <domain>. Usage: domains:verify <id> <domain>"],
])("%o rejects %s", (command, line, message) => {
  expect(() => resolve(command, line)).toThrow(message)
})

test("formats a usage line", () => {
  expect(COMMANDS.map(formatUsage)).toEqual([
    "Usage: keys:create --name= --scopes= [options]",
    "Usage: keys:revoke <id>",
    "Usage: domains:verify <id> <domain>",
  ])
})
