import { expect, test } from "vitest"
import { parseCommandLine } from "../../scripts/lib/arguments"

const parse = (line: string) => parseCommandLine(line.split(" ").filter(Boolean))

test("a command takes options with an equals sign or a space", () => {
  expect(parse("keys:create --name=Demo --scopes read,write")).toEqual({
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

test("--json is for us, not for the Worker", () => {
  expect(parse("--json keys:list")).toEqual({ command: "keys:list", options: {}, json: true })
})

test("a second word is refused", () => {
  expect(() => parse("keys:list now")).toThrow('"now" belongs to no option')
})
