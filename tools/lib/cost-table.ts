// The format of test/costs/table.json: what every kind of change costs, as measured by the tests of test/costs.

/** What is counted, in the order of the numbers of a row of the table. */
export const COST_COLUMNS = [
  /** As D1 reports and bills them. */
  "rowsRead",
  "rowsWritten",
  /** Calls to a database that write; each is one transaction. */
  "transactions",
  /** All calls to a database; a batch is one. */
  "roundTrips",
  /** Statements in those calls. */
  "statements",
  "objectCalls",
  /** Messages sent to queues. */
  "messages",
] as const

export type Cost = Record<(typeof COST_COLUMNS)[number], number>

/** The cost until the response, and of the work after it: `waitUntil` and queue consumers. */
export interface PhasedCost {
  request: Cost
  background: Cost
}

type CostRow = Record<keyof PhasedCost, readonly number[]>

export interface CostTable {
  columns: readonly string[]
  /** Requests, each measured separately. */
  requests: Record<string, CostRow>
  /** A delivery from its creation to its successful first attempt, without its event. */
  deliveries: Record<string, CostRow>
  /** Single records, such as an event or its deletion. */
  records: Record<string, CostRow>
  /** Bytes of one row with its indexes, at 1,000 rows. */
  bytes: Record<string, number>
}

/** The parts of the table that list costs, in their order. */
export const COST_SECTIONS = ["requests", "deliveries", "records"] as const

/** Converts the numbers of a row to named counts. */
export const readCost = (numbers: readonly number[]): Cost =>
  Object.fromEntries(COST_COLUMNS.map((column, index) => [column, numbers[index] ?? Number.NaN])) as Cost

/** Converts a measured cost to a row of the table. */
export const toCostRow = ({ request, background }: PhasedCost): CostRow => ({
  request: COST_COLUMNS.map((column) => request[column]),
  background: COST_COLUMNS.map((column) => background[column]),
})

/** Serializes the table with one line per row, so that a diff shows one line per changed kind. */
export function formatCostTable(table: CostTable): string {
  const list = (numbers: readonly number[]) => `[${numbers.join(", ")}]`
  const section = (rows: Record<string, CostRow>) =>
    Object.entries(rows).map(
      ([name, { request, background }]) =>
        `${JSON.stringify(name)}: { "request": ${list(request)}, "background": ${list(background)} }`,
    )
  const block = (lines: string[]) => `{\n    ${lines.join(",\n    ")}\n  }`
  const parts = [
    `"columns": ${JSON.stringify(COST_COLUMNS).replaceAll(",", ", ")}`,
    ...COST_SECTIONS.map((name) => `"${name}": ${block(section(table[name]))}`),
    `"bytes": ${block(Object.entries(table.bytes).map(([name, bytes]) => `${JSON.stringify(name)}: ${bytes}`))}`,
  ]
  return `{\n  ${parts.join(",\n  ")}\n}\n`
}
