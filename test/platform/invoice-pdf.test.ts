// Reads the PDF of an invoice with pdf.js, which is not what wrote it.

import { env } from "cloudflare:workers"
import { extractText, getDocumentProxy, getMeta } from "unpdf"
import { expect, test } from "vitest"
import { renderInvoicePdf } from "../../src/platform/invoices/pdf"
import type { Invoice } from "../../src/platform/invoices/service"

const party = (name: string, address: string) => ({
  name,
  address,
  country: "VN",
  email: "a@example.com",
  tax_number: "",
})

const makeInvoice = (buyer: string, address = "12 Phố Huế\nHà Nội"): Invoice =>
  ({
    number: "2026-000001",
    kind: "invoice",
    invoiceNumber: null,
    currency: "EUR",
    grossCents: 2900,
    issuedAt: new Date("2026-11-27T10:00:00Z"),
    document: {
      seller: party("Płatnik Sp. z o.o. (Łódź)", "ul. Żurawia 1"),
      buyer: party(buyer, address),
      plan: "Начало · Αρχή",
      period: null,
      method: "card",
      net_cents: 2900,
      tax_cents: 0,
      tax: null,
      reverse_charge: false,
      reason: null,
      discount: null,
    },
  }) as unknown as Invoice

async function read(invoice: Invoice) {
  const file = await renderInvoicePdf(env, invoice, "vi")
  const pdf = await getDocumentProxy(file.slice())
  const { text, totalPages } = await extractText(pdf)
  return { file, pages: text, totalPages, info: (await getMeta(pdf)).info }
}

test("shows names in Latin, Vietnamese, Greek and Cyrillic letters, and can be searched", async () => {
  const { file, pages, info } = await read(makeInvoice("Nguyễn Thị Ngọc Ánh — Đường Lê Lợi"))
  const [text = ""] = pages
  for (const name of ["Nguyễn Thị Ngọc Ánh — Đường Lê Lợi", "Płatnik Sp. z o.o. (Łódź)", "Начало · Αρχή", "Phố Huế"])
    expect(text).toContain(name)
  expect(text).toMatch(/29,00.€/)
  expect(info.Title).toContain("2026-000001")
  expect(file.length).toBeLessThan(60_000)
})

test("is the same file each time, whatever the clock says", async () => {
  const render = () => renderInvoicePdf(env, makeInvoice("A"), "en")
  expect(await render()).toEqual(await render())
})

test("replaces what the font lacks, and cannot be broken by a name", async () => {
  const { pages } = await read(makeInvoice("Ⅻ ḿ 店 😀 ) Tj ET endstream endobj \u0000"))
  expect(pages[0]).toContain("XII m ? ? ) Tj ET endstream endobj ?")
})

test("continues on another page", async () => {
  const { pages, totalPages } = await read(makeInvoice("Long", "line\n".repeat(100) + "W".repeat(500)))
  expect(totalPages).toBeGreaterThan(2)
  expect(pages.join(" ").match(/line/g)).toHaveLength(100)
  expect(pages.join("").replace(/[^W]/g, "")).toHaveLength(500)
})
