import { expect, test } from "vitest"
import { assertKnownOptions, getTextOption, parseCommandLine } from "../../tools/cli/arguments"

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

test("rejects an unexpected argument", () => {
  expect(() => parse("keys:list now")).toThrow('Unexpected argument "now"')
})

test("rejects an argument after --name=value", () => {
  expect(() => parse("keys:list --a=1 now")).toThrow('Unexpected argument "now"')
})

test("accepts positional arguments for some commands", () => {
  expect(parse("api GET /stores --data={}")).toMatchObject({ positionals: ["GET", "/stores"], options: { data: "{}" } })
  expect(() => parse("api GET /stores more")).toThrow('Unexpected argument "more"')
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

test("names an unknown option", () => {
  expect(() => assertKnownOptions({ nmae: "a" }, ["name"])).toThrow("Unknown option --nmae.")
})
