import { expect, test } from "vitest"
import { createCsvResponse } from "../../src/console/csv"

const fileOf = (...rows: unknown[][]) =>
  createCsvResponse(
    ["name"],
    (async function* () {
      yield rows
    })(),
    "file",
  ).text()

/** One cell as the file has it, without the quotes around it. */
const cellOf = async (value: unknown) => (await fileOf([value])).slice('"name"\r\n"'.length, -'"\r\n'.length)

test("quotes every cell and doubles the quotes in it", async () => {
  expect(await fileOf(["plain", 'a "b", c', null, 5], ["two\nlines"])).toBe(
    '"name"\r\n"plain","a ""b"", c","","5"\r\n"two\nlines"\r\n',
  )
})

test("disarms a formula at the start of a cell and behind each separator in it", async () => {
  for (const [given, expected] of [
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
    expect.soft(await cellOf(given)).toBe(expected)
  }
})

test("leaves signs within words as they are", async () => {
  for (const given of [
    "a=b",
    "a-b",
    "me@example.com",
    "Calm, and collected; really",
    "2026-11-23T00:00:00Z",
    "Zoë 🙂",
  ]) {
    expect.soft(await cellOf(given)).toBe(given)
  }
})

test("leaves no formula in a file that is split at semicolons", async () => {
  // Only a quote at the start of a piece keeps a semicolon, as in Excel where the list separator is a semicolon.
  const file = await fileOf(["acme", 'Shop";=HYPERLINK(1);"', ";＝1"])
  const pieces = [...(file.split("\r\n")[1] ?? "").matchAll(/("(?:[^"]|"")*"|)([^;]*)(?:;|$)/g)].map(
    ([, quoted = "", rest = ""]) => quoted.slice(1, -1).replaceAll('""', '"') + rest,
  )
  expect(pieces.length).toBeGreaterThan(2)
  for (const piece of pieces) expect(piece).not.toMatch(/^[\s"]*[=＝]/)
})

test("takes time linear in the length of a cell", async () => {
  for (const part of [";", " ", '"', "\n", "; "]) {
    const started = performance.now()
    await fileOf([part.repeat(200_000)])
    expect(performance.now() - started).toBeLessThan(2_000)
  }
})
