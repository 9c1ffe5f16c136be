// Write builders reject statements without a condition.
import { and, eq } from "drizzle-orm"
import { expect, test } from "vitest"
import { plans } from "../../src/db/schema/central/plans"
import { remove, update } from "../../src/db/write"

test("throws for a write without a condition, even when all conditions are undefined", () => {
  for (const condition of [undefined, and(), and(undefined, undefined)]) {
    expect(() => remove(plans).where(condition)).toThrow("without a condition")
    expect(() => update(plans).set({ name: "x" }).where(condition)).toThrow("without a condition")
  }
  expect(remove(plans).where(and(eq(plans.slug, "a"), undefined))).toBeDefined()
})
