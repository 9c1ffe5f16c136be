// Compares measured costs with test/costs/table.json, and passes them on to the reporter that updates it.
import { expect, type TestContext } from "vitest"
import { type COST_SECTIONS, type CostTable, type PhasedCost, readCost, toCostRow } from "../../tools/lib/cost-table"
import { HINT } from "./hint"
import json from "./table.json"

declare module "vitest" {
  interface TaskMeta {
    /** A measured row of the table, and its position in its section. */
    cost?: { section: keyof Omit<CostTable, "columns">; name: string; position: number; row: unknown }
  }
}

const table: CostTable = json

/**
 * Asserts that a cost is the one of the table, neither higher nor lower.
 * @param position of the row in its section
 */
export function expectCost(
  { task }: TestContext,
  section: (typeof COST_SECTIONS)[number],
  name: string,
  position: number,
  cost: PhasedCost,
): void {
  task.meta.cost = { section, name, position, row: toCostRow(cost) }
  const row = table[section][name]
  const expected = row && { request: readCost(row.request), background: readCost(row.background) }
  expect(cost, `${name}: ${HINT}`).toEqual(expected)
}

/**
 * Tolerance of a size. Numbers of earlier tests in the same isolate, such as addresses, may have more digits, and the
 * pages of an index split differently then.
 */
const MAX_DEVIATION = 0.01

/** Asserts that a size in bytes is the one of the table. */
export function expectBytes({ task }: TestContext, name: string, position: number, bytes: number): void {
  task.meta.cost = { section: "bytes", name, position, row: bytes }
  const expected = table.bytes[name] ?? Number.NaN
  expect(Math.abs(bytes - expected), `${name}: ${bytes} bytes instead of ${expected}. ${HINT}`).toBeLessThanOrEqual(
    expected * MAX_DEVIATION,
  )
}

/** Asserts that a section lists these rows, in this order. */
export const expectRows = (section: keyof Omit<CostTable, "columns">, names: string[]): void =>
  expect(Object.keys(table[section]), HINT).toEqual(names)
