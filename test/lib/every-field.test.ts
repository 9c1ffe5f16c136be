import { expect, test } from "vitest"
import { listFields, toColumns } from "../../src/lib/every-field"

test("lists the fields that are not omitted, in the order of the object", () => {
  expect(listFields({ b: 1, secret: { omitted: "never shown" }, a: 2 })).toEqual([
    ["b", 1],
    ["a", 2],
  ])
})

test("returns the values of an input by their columns, without the omitted fields", () => {
  const columns = { owner_email: "ownerEmail", name: "name", password: { omitted: "stored as a hash" } } as const
  expect(toColumns({ owner_email: "ada@example.com", name: undefined, password: "secret" }, columns)).toEqual({
    ownerEmail: "ada@example.com",
    name: undefined,
  })
})
