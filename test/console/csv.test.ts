import { expect, test } from "vitest"
import { createCsvResponse } from "../../src/page-kit/csv"
import { measureFastest } from "../support/timing"

const createResponse = (...rows: unknown[][]) =>
  createCsvResponse<unknown[]>(
    {
      name: (row) => row[0],
      secret: { omitted: "not part of the file" },
      ...Object.fromEntries(
        (rows[0] ?? []).slice(1).map((_, index) => [`more_${index}`, (row: unknown[]) => row[index + 1]]),
      ),
    },
    (async function* () {
      yield rows
    })(),
    "file",
  )

const writeFile = (...rows: unknown[][]) => createResponse(...rows).text()

/** Writes one cell and returns it without the enclosing quotes. */
const writeCell = async (value: unknown) => (await writeFile([value])).slice('"name"\r\n"'.length, -'"\r\n'.length)

test("quotes every cell and doubles the quotes in it", async () => {
  expect(await writeFile(["plain", 'a "b", c', null], ["two\nlines", 5])).toBe(
    '"name","more_0","more_1"\r\n"plain","a ""b"", c",""\r\n"two\nlines","5",""\r\n',
  )
})

test("starts a file with a byte order mark, so that Excel reads it as UTF-8", async () => {
  const bytes = new Uint8Array(await createResponse(["Đặng"]).arrayBuffer())
  expect([...bytes.slice(0, 4)]).toEqual([0xef, 0xbb, 0xbf, '"'.charCodeAt(0)])
})

test("escapes formulas at the start of a cell and after each separator in it", async () => {
  for (const [value, expected] of [
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["＝1＋1", "'＝1＋1"],
    ["＋1", "'＋1"],
    ["－1", "'－1"],
    ["＠SUM(A1)", "'＠SUM(A1)"],
    ["\t=1", "'\t'=1"],
    ["\u0007=1", "'\u0007=1"],
    ["  =1", "'  =1"],
    ["\ufeff=1", "'\ufeff=1"],
    ["\u200b=1", "'\u200b=1"],
    ['"=1', `'""=1`],
    ["x;=1;y", "x;'=1;y"],
    ["x; ＝1", "x;' ＝1"],
    [";;=1", ";;'=1"],
    [",=1", ",'=1"],
    ["x\t@A1", "x\t'@A1"],
    ["x\n-1", "x\n'-1"],
    ['x";"=1', `x"";'""=1`],
  ]) {
    expect.soft(await writeCell(value)).toBe(expected)
  }
})

test("leaves signs inside words unchanged", async () => {
  for (const value of [
    "a=b",
    "a-b",
    "me@example.com",
    "Calm, and collected; really",
    "2026-11-23T00:00:00Z",
    "Zoë 🙂",
  ]) {
    expect.soft(await writeCell(value)).toBe(value)
  }
})

test("leaves no formula in a file that a spreadsheet splits at semicolons", async () => {
  // Splits like Excel with a semicolon as list separator: quotes protect a semicolon only at the start of a part.
  const file = await writeFile(["acme", 'Shop";=HYPERLINK(1);"', ";＝1"])
  const parts = [...(file.split("\r\n")[1] ?? "").matchAll(/("(?:[^"]|"")*"|)([^;]*)(?:;|$)/g)].map(
    ([, quoted = "", rest = ""]) => quoted.slice(1, -1).replaceAll('""', '"') + rest,
  )
  expect(parts.length).toBeGreaterThan(2)
  for (const part of parts) expect(part).not.toMatch(/^[\s"]*[=＝]/)
})

test("escapes long cells in linear time", async () => {
  for (const part of [";", " ", '"', "\n", "; "]) {
    const ms = await measureFastest(2_000, () => writeFile([part.repeat(200_000)]))
    expect(ms, part).toBeLessThanOrEqual(2_000)
  }
})
