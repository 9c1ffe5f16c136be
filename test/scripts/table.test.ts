import { describe, expect, test } from "vitest"
import { formatData } from "../../tools/cli/table"
import { getTextWidth } from "../../tools/cli/terminal"

test("formats an object as one line per field", () => {
  expect(formatData({ id: 1, scopes: ["read", "write"], expires_at: null })).toBe(
    "id          1\nscopes      read, write\nexpires_at  -",
  )
})

test("prints an array of objects as a table with every field", () => {
  expect(formatData([{ id: 1 }, { id: 20, name: "x" }])).toBe("ID  NAME\n1   -\n20  x")
})

test("formats an empty list as (none)", () => {
  expect(formatData([])).toBe("(none)")
})

test("lists the fields of nested objects under the path of each", () => {
  expect(formatData({ limits: { products: 1 }, plan: { name: "Basic", terms: { days: 30 } }, notes: {} })).toBe(
    "limits.products  1\nplan.name        Basic\nplan.terms.days  30\nnotes            -",
  )
})

test("shows the name or identifier of objects in cells, or else their fields", () => {
  expect(
    formatData([
      { store: { id: 7, name: "Acme" }, apps: [{ slug: "blog" }, { slug: "shop" }], limits: { products: 1, size: 2 } },
      { store: null, apps: [], limits: { rows: { posts: 3 }, owner: { id: 9 } } },
    ]),
  ).toBe(
    "STORE  APPS        LIMITS\nAcme   blog, shop  products: 1, size: 2\n-      -           rows (posts: 3), owner: 9",
  )
})

test("shows amounts in units of the currency of the resource", () => {
  expect(
    formatData([
      { id: 1, price_cents: 2_900, currency: "EUR" },
      { id: 2, price_cents: 500, currency: "JPY" },
      { id: 3, price_cents: null, currency: "EUR" },
    ]),
  ).toBe("ID  PRICE\n1   29.00 EUR\n2   500 JPY\n3   -")
  expect(formatData({ totalCents: 1_050, currency: "USD", tax: { amount_cents: 50 } })).toBe(
    "total       10.50 USD\ntax.amount  0.50 USD",
  )
  expect(formatData([{ tax_cents: 50, tax: { name: "VAT" }, currency: "USD" }])).toBe(
    "TAX_AMOUNT  TAX\n0.50 USD    VAT",
  )
  expect(formatData({ price_cents: 2_900 })).toBe("price_cents  2900")
})

test("formats a list of objects in an object as a table after the other fields", () => {
  expect(formatData({ late: true, endpoints: [{ id: 1, url: "x" }], causes: [] })).toBe(
    "late    true\ncauses  -\n\nendpoints\nID  URL\n1   x",
  )
})

test("prints a PEM block with its line breaks, whatever the width, and no other text with line breaks", () => {
  const pem = `-----BEGIN PUBLIC KEY-----\n${"A".repeat(44)}=\n-----END PUBLIC KEY-----\n`
  expect(formatData({ pem, kid: "k1", note: "a\nb" }, { width: 20 })).toBe(`kid   k1\nnote  a b\npem\n${pem.trimEnd()}`)
  expect(formatData({ pem: `${pem}\u001b[2J` })).not.toContain("\n")
})

describe("in a terminal", () => {
  const rows = [
    { id: 1, name: "A".repeat(50), url: `https://example.com/${"x".repeat(80)}` },
    { id: 20, name: "店".repeat(30), url: "-" },
  ]

  test.each([30, 40, 80, 120])("limits lines to %i columns", (width) => {
    const lines = formatData(rows, { width }).split("\n")
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(getTextWidth(line)).toBeLessThanOrEqual(width)
  })

  test("truncates the widest columns with an ellipsis", () => {
    expect(formatData([{ id: 1, name: "Acme", url: "https://example.com/a/long/path" }], { width: 30 })).toBe(
      "ID  NAME  URL\n1   Acme  https://example.com…",
    )
  })

  test("formats rows as blocks when the terminal is too narrow for a table", () => {
    expect(
      formatData(
        [
          { a: 1, b: 2, c: 3 },
          { a: 4, b: 5, c: 6 },
        ],
        { width: 20 },
      ),
    ).toBe("a  1\nb  2\nc  3\n\na  4\nb  5\nc  6")
  })

  test("replaces characters that would move the cursor", () => {
    expect(formatData({ name: "a\u001b[2Jb\u202ec\r\nd" })).toBe("name  a\ufffd[2Jb\ufffdc d")
  })

  test("formats a megabyte of any text within two seconds", () => {
    for (const text of ["x", "👩‍👩‍👧‍👦", "e\u0301", "\u0301", "店", "\u001b[31m"]) {
      const started = performance.now()
      const value = text.repeat(Math.ceil(2 ** 20 / text.length))
      for (const line of formatData([{ id: 1, value }], { width: 80 }).split("\n"))
        expect(getTextWidth(line)).toBeLessThanOrEqual(80)
      expect(performance.now() - started).toBeLessThan(2_000)
    }
  })
})
