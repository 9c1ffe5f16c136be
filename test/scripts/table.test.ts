import { expect, test } from "vitest"
import { readable } from "../../scripts/lib/table"

test("an object is a line a field", () => {
  expect(readable({ id: 1, scopes: ["read", "write"], expires_at: null })).toBe(
    "id          1\nscopes      read, write\nexpires_at  -",
  )
})

test("an array of objects is a table with every field that occurs", () => {
  expect(readable([{ id: 1 }, { id: 20, name: "x" }])).toBe("ID  NAME\n1   -\n20  x")
})

test("an empty list says so", () => {
  expect(readable([])).toBe("(none)")
})

test("nested objects stay JSON", () => {
  expect(readable({ limits: { products: 1 } })).toBe('limits  {"products":1}')
})
