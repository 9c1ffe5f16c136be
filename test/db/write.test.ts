// Write builders: rejected statements.
import { and, eq } from "drizzle-orm"
import { expect, test } from "vitest"
import { plans } from "../../src/db/schema/central/plans"
import { remove, update } from "../../src/db/write"

test("throws for a write without a condition, even when all conditions are undefined", () => {
  const gone = [undefined, undefined]
  for (const condition of [undefined, and(), and(...gone)]) {
    expect(() => remove(plans).where(condition)).toThrow("names no rows")
    expect(() => update(plans).set({ name: "x" }).where(condition)).toThrow("names no rows")
  }
  expect(remove(plans).where(and(eq(plans.slug, "a"), undefined))).toBeDefined()
})
