// What the README generates from the code is what the code says today.
import { expect, test } from "vitest"
import readme from "../README.md?raw"
import { withTables } from "../tools/openapi/generated"

test("the README's route tables are the routes (npm run docs writes them)", () => {
  expect(readme).toBe(withTables(readme))
})
