// Validation of input: errors of the schema and of lookups in one response.
import { expect, test } from "vitest"
import * as z from "zod"
import { type PartialInput, parseInput } from "../../src/core/http/input"
import { Refusal } from "../../src/core/http/refusal"
import { withLookups } from "../../src/core/http/validation"

const Schema = withLookups(z.object({ name: z.string().min(2), plan: z.string(), days: z.int().optional() }), "plan")

const errorsOf = (work: () => unknown) => {
  try {
    work()
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.code === "validation_failed") return { ...thrown.facts.fields }
    throw thrown
  }
  return null
}

test("returns the values when the schema and the lookups accept them", () => {
  const input = parseInput(Schema, { name: "Ada", plan: "pro" })
  expect(input.hasErrors).toBe(false)
  expect(input.complete({ plan: null })).toEqual({ name: "Ada", plan: "pro" })
})

test("reports errors of lookups and of the schema together, in the order of the fields", () => {
  const input = parseInput(Schema, { name: "", plan: "nope", days: "x" })
  expect(input.valid).toEqual({ plan: "nope" })
  const fields = { name: [{ rule: "required" }], plan: [{ rule: "selected" }], days: [{ rule: "integer" }] }
  const errors = errorsOf(() => input.complete({ plan: "selected" }))
  expect(errors).toEqual(fields)
  expect(Object.keys(errors ?? {})).toEqual(["name", "plan", "days"])
  expect(errorsOf(() => input.reject("plan", "selected"))).toBeNull()
  expect({ ...input.reject("plan", "selected").facts.fields }).toEqual(fields)
  expect(Object.keys(errorsOf(() => input.with({ plan: "selected" }).complete({})) ?? {})).toHaveLength(3)
})

test("ignores the lookup of a field that the schema refused", () => {
  const input = parseInput(withLookups(z.object({ a: z.string(), b: z.string() }), "a", "b"), { a: 7, b: "b" })
  expect(input.isValid("a")).toBe(false)
  expect(errorsOf(() => input.complete({ a: "selected", b: "taken" }))).toEqual({
    a: [{ rule: "string" }],
    b: [{ rule: "taken" }],
  })
  expect(errorsOf(() => input.require("a"))).toEqual({ a: [{ rule: "string" }] })
  expect(input.require("b")).toBe("b")
})

test("reports the items of a list by their path", () => {
  const Items = withLookups(z.object({ items: z.array(z.int()), note: z.string() }), "items")
  const input = parseInput(Items, { items: [1, 2], note: 1 })
  expect(errorsOf(() => input.complete({ items: [{ path: "1", rule: "selected" }] }))).toEqual({
    "items.1": [{ rule: "selected" }],
    note: [{ rule: "string" }],
  })
})

test("runs the lookups of rules that the commit enforces only for invalid input", async () => {
  let lookups = 0
  const complete = (input: PartialInput<{ name: string; plan: string }, "plan">) =>
    input.completeBeforeCommit(async () => {
      lookups += 1
      return { plan: "taken" }
    })
  await complete(parseInput(Schema, { name: "Ada", plan: "pro" }))
  expect(lookups).toBe(0)
  await expect(complete(parseInput(Schema, { name: "", plan: "pro" }))).rejects.toThrow(Refusal)
  expect(lookups).toBe(1)
})

test("throws at once for a value that is not an object, and when no field that is looked up is valid", () => {
  expect(errorsOf(() => parseInput(Schema, []))).toEqual({ body: [{ rule: "object" }] })
  expect(Object.keys(errorsOf(() => parseInput(Schema, { name: "Ada" })) ?? {})).toEqual(["plan"])
})

test("adds errors that were found before", () => {
  const known = { typo: [{ rule: "prohibited" as const }] }
  const input = parseInput(Schema, { name: "Ada", plan: "pro", typo: 1 }, known)
  expect(Object.keys(errorsOf(() => input.complete({ plan: "selected" })) ?? {}).sort()).toEqual(["plan", "typo"])
})
