import { expect, test } from "vitest"
import { getTextOption, parseCommandLine } from "../../tools/cli/arguments"

const parse = (line: string) => parseCommandLine(line.split(" ").filter(Boolean))

test("a command takes options with an equals sign or a space", () => {
  expect(parse("keys:create --name=Demo --scopes read,write")).toMatchObject({
    command: "keys:create",
    options: { name: "Demo", scopes: "read,write" },
    json: false,
  })
})

test("a value keeps its own equals signs", () => {
  expect(parse("x --url=https://a.example/?b=c").options).toEqual({ url: "https://a.example/?b=c" })
})

test("a name without a value is a flag", () => {
  expect(parse("x --dry-run --limit=5").options).toEqual({ "dry-run": true, limit: "5" })
})

test("a repeated option becomes an array", () => {
  expect(parse("x --a=1 --a=2 --a=3").options).toEqual({ a: ["1", "2", "3"] })
})

test("--json is not sent to the Worker", () => {
  expect(parse("--json keys:list")).toMatchObject({ command: "keys:list", options: {}, json: true })
})

test("arguments after the command are positional, also those after --", () => {
  expect(parse("api GET /stores --data={}")).toMatchObject({ positionals: ["GET", "/stores"], options: { data: "{}" } })
  expect(parse("x --limit -5 -- --name -h")).toMatchObject({ positionals: ["--name", "-h"], options: { limit: "-5" } })
})

test.each([
  ["--help", { help: true }],
  ["-h keys:list", { help: true, command: "keys:list" }],
  ["keys:list --help", { help: true, command: "keys:list" }],
  ["keys:list --name -h", { help: true, options: { name: true } }],
  ["--version", { version: true }],
])("parses %s", (line, expected) => {
  expect(parse(line)).toMatchObject(expected)
})

test("rejects an unknown short option", () => {
  expect(() => parse("keys:list -x")).toThrow("Unknown option -x.")
})

test("--as and --profile are not sent to the Worker, and must be names", () => {
  expect(parse("keys:list --as=ana@example.com --profile eu")).toMatchObject({
    options: {},
    as: "ana@example.com",
    profile: "eu",
  })
  for (const line of ["x --as", "x --as=", "x --as=\u00e9"]) expect(() => parse(line)).toThrow("--as must be")
})

test("getTextOption rejects a flag and a repeated option", () => {
  expect(getTextOption({ name: "a" }, "name")).toBe("a")
  for (const value of [true, ["a", "b"]] as const)
    expect(() => getTextOption({ name: value as true }, "name")).toThrow("--name requires exactly one value")
})
