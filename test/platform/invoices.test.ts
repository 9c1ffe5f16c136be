// Invoices, tax and credit notes: what they contain, how they are numbered, and that they never change.
import { expect, test } from "vitest"
import { isTaxNumber, normalizeTaxNumber } from "../../src/lib/tax-numbers"
import { purgeStore, removeStore } from "../../src/platform/stores/remove"
import { calculateTax, divideRounded, taxOfPart } from "../../src/platform/tax/rules"
import { call, run, sendOperatorCommand } from "../support/app"
import { collectSentMails } from "../support/billing-factories"
import { makePlan, makeReadyStore } from "../support/factories"
import {
  CARD_SETTINGS,
  checkoutMessage,
  deliverMessage,
  invoiceMessage,
  mockProvider,
} from "../support/provider-factories"
import { rows } from "../support/rows"

const TERMS = { seller_country: "DE", rates: { DE: { rate: 1900, name: "USt" }, FR: { rate: 2000, name: "TVA" } } }
const YEAR = new Date().getUTCFullYear()

const sell = async (command: string, input: object) => (await sendOperatorCommand(command, input)).body.data

/** Sets up a seller in Germany, and returns a store that ordered a plan of 19.00 by bank transfer. */
async function makeOrder(details?: { country: string; tax_number?: string }) {
  await sell("offline:settings", { enabled: true })
  await sell("tax:settings", {
    ...{ seller_name: "Tenancy GmbH", seller_address: "Hauptstr. 1\n10115 Berlin", seller_country: "de" },
    seller_tax_number: "DE 123 456 789",
  })
  const { created } = await sell("tax:save", { country: "DE", rate: "19", name: "USt" })
  expect(created).toBe(true)
  const { slug } = await makePlan({ slug: "starter", name: "Starter", price_cents: 1900 })
  const id = await makeReadyStore({ plan: slug })
  const owner = await signIn(id)
  if (details) {
    const form = { name: "Ada & Söhne", address: "Weg 2", tax_number: "", ...details }
    expect((await owner("POST", "/billing/details", form)).status).toBe(303)
  }
  const order = await sell("orders:request", { store: id, plan: slug })
  return { id, owner, order }
}

async function signIn(id: string) {
  const host = `${id}.localhost`
  const send = (method: string, path: string, form?: Record<string, string>, cookie = "") =>
    call(method, path, {
      host,
      body: form && new URLSearchParams(form).toString(),
      headers: { Cookie: cookie, ...(form && { "Content-Type": "application/x-www-form-urlencoded" }) },
    })
  const form = { email: "owner@example.com", password: "correct-horse" }
  const cookie = (await send("POST", "/billing/sign-in", form)).headers.get("Set-Cookie")?.split(";")[0] ?? ""
  return (method: string, path: string, fields?: Record<string, string>) => send(method, path, fields, cookie)
}

test("calculates tax with half a unit rounded up, so that net and tax add up to the gross amount", () => {
  expect([divideRounded(5, 10), divideRounded(4, 10), divideRounded(15, 10)]).toEqual([1, 0, 2])
  const buyer = { country: "DE", taxNumber: "" }
  expect(calculateTax(1900, false, buyer, TERMS)).toMatchObject({ net_cents: 1900, tax_cents: 361 })
  for (let gross = 1; gross < 2000; gross += 7) {
    const { net_cents: net, tax_cents: tax } = calculateTax(gross, true, buyer, TERMS)
    expect(net + tax).toBe(gross)
    expect(Math.abs(tax - (gross * 19) / 119)).toBeLessThanOrEqual(0.5)
  }
  for (const country of ["", "US", "constructor"]) {
    expect(calculateTax(1900, false, { country, taxNumber: "" }, TERMS).tax).toBeNull()
  }
  expect(calculateTax(1900, false, undefined, TERMS)).toMatchObject({ net_cents: 1900, tax_cents: 0 })
})

test("applies reverse charge only to a business in another EU country", () => {
  const isReversed = (country: string, taxNumber: string, seller_country = "DE") =>
    calculateTax(1900, false, { country, taxNumber }, { ...TERMS, seller_country }).reverse_charge
  expect(isReversed("FR", "FR12345678901")).toBe(true)
  expect(isReversed("FR", "")).toBe(false)
  expect(isReversed("DE", "DE123456789")).toBe(false)
  expect(isReversed("US", "12-3456789")).toBe(false)
  expect(isReversed("FR", "FR12345678901", "US")).toBe(false)
  expect(isTaxNumber("GR", normalizeTaxNumber("el 123.456-789"))).toBe(true)
  expect(isTaxNumber("AT", "123")).toBe(false)
})

test("splits the tax of an invoice over its credit notes without a rest", () => {
  const invoice = { gross: 1001, tax: 160 }
  let credited = { gross: 0, tax: 0 }
  for (const part of [333, 333, 335]) {
    const tax = taxOfPart(part, invoice, credited)
    credited = { gross: credited.gross + part, tax: credited.tax + tax }
  }
  expect(credited).toEqual(invoice)
})

test("issues an invoice with tax for a paid order, mails its link, and shows it as page and PDF", async () => {
  const { id, owner, order } = await makeOrder({ country: "DE" })
  expect(order.amount_cents).toBe(2261)
  const { number } = await sell("orders:approve", { reference: order.reference })
  expect(number).toBe(`INV-${YEAR}-000001`)
  const [invoice] = await sell("invoices:list", { store: id })
  expect(invoice).toMatchObject({
    ...{ kind: "invoice", number, net_cents: 1900, tax_cents: 361, gross_cents: 2261, method: "transfer" },
    ...{ tax: { name: "USt", rate: 1900 }, reverse_charge: false, plan: "Starter" },
    seller: { name: "Tenancy GmbH", country: "DE", tax_number: "DE123456789" },
    buyer: { name: "Ada & Söhne", address: "Weg 2", country: "DE", email: "owner@example.com" },
  })
  const mail = (await collectSentMails()).find(({ subject }) => subject === `Invoice ${number}`)
  expect(mail?.text).toContain(`https://${id}.localhost/billing/invoices/${number}`)

  // Later changes do not reach an issued invoice.
  expect(await sell("tax:save", { country: "DE", rate: 7 })).toMatchObject({ created: false })
  await sell("tax:settings", { seller_name: "Other Inc." })
  const page = await owner("GET", `/billing/invoices/${number}`)
  for (const text of ["Tenancy GmbH", "Ada &amp; Söhne", "USt 19 %", "€22.61"]) expect(page.text).toContain(text)
  const pdf = await owner("GET", `/billing/invoices/${number}.pdf`)
  expect([pdf.status, pdf.headers.get("Content-Type"), pdf.text.startsWith("%PDF-1.")]).toEqual([
    ...[200, "application/pdf", true],
  ])
  const receipt = await owner("GET", `/billing/receipts/${number}`)
  expect([receipt.status, receipt.headers.get("Location")]).toEqual([301, `/billing/invoices/${number}`])
  expect((await call("GET", `/billing/invoices/${number}`, { host: `${id}.localhost` })).status).toBe(401)
  const other = await signIn(await makeReadyStore())
  expect((await other("GET", `/billing/invoices/${number}`)).status).toBe(404)
  expect((await other("GET", `/billing/invoices/${number}.pdf`)).status).toBe(404)
})

test("names reverse charge on the invoice of an EU business abroad", async () => {
  const { owner, order } = await makeOrder({ country: "FR", tax_number: "FR 12 345678901" })
  expect(order.amount_cents).toBe(1900)
  const { number } = await sell("orders:approve", { reference: order.reference })
  expect((await owner("GET", `/billing/invoices/${number}`)).text).toContain("Reverse charge")
})

test("refuses a tax number in another country's format, and shows names as text", async () => {
  const { owner } = await makeOrder()
  const form = { name: "<b>x</b>", address: "Weg 2", country: "DE", tax_number: "FR12345678901" }
  expect((await owner("POST", "/billing/details", form)).status).toBe(422)
  expect((await owner("POST", "/billing/details", { ...form, tax_number: "" })).status).toBe(303)
  const { text } = await owner("GET", "/billing")
  expect([text.includes("<b>x</b>"), text.includes("&lt;b&gt;x")]).toEqual([false, true])
})

test("credits at most what is left, with gapless numbers, also in concurrent requests", async () => {
  const { order, owner } = await makeOrder({ country: "DE" })
  const { number } = await sell("orders:approve", { reference: order.reference })
  const credit = (amount: unknown, reason = "Refund") =>
    sendOperatorCommand("invoices:credit", { number, amount, reason })
  for (const amount of ["22.62", "0", "-1", "1.001", "abc"]) expect((await credit(amount)).status).toBe(422)
  expect((await credit("1e9")).body.error.errors.amount).toEqual([
    expect.stringContaining("an amount greater than zero"),
  ])
  expect((await sendOperatorCommand("invoices:credit", { number: "INV-1", amount: 1, reason: "x" })).status).toBe(404)
  const responses = await Promise.all([credit("12.61"), credit("12.61")])
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 422])
  const rest = await credit("10,00")
  expect(rest.body.data).toMatchObject({ number: `CN-${YEAR}-000002`, gross_cents: 1000, invoice: number })
  const [sum] = await rows(
    "select sum(gross_cents) as gross, sum(document ->> '$.tax_cents') as tax from invoices where kind = 'credit_note'",
  )
  expect(sum).toEqual({ gross: 2261, tax: 361 })
  expect((await credit("0.01")).status).toBe(422)
  expect((await owner("GET", "/billing")).text).toContain(`CN-${YEAR}-000001`)
  expect((await owner("GET", `/billing/invoices/CN-${YEAR}-000001`)).text).toContain("Refund")
  expect((await collectSentMails()).map(({ subject }) => subject)).toContain(`Credit note CN-${YEAR}-000001`)
})

test("credits at most what is left of a deleted store's invoice, also in concurrent requests", async () => {
  const { id, order } = await makeOrder({ country: "DE" })
  const { number } = await sell("orders:approve", { reference: order.reference })
  await run((ctx) => removeStore(ctx, id, { confirm: id, reason: "console" }))
  await run((ctx) => purgeStore(ctx, id))
  const credit = () => sendOperatorCommand("invoices:credit", { number, amount: "12.61", reason: "Refund" })
  const responses = await Promise.all([credit(), credit(), credit()])
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 422, 422])
})

test("issues one invoice for a payment by card, and closes the open order of the same debt", async () => {
  mockProvider()
  const { id, order } = await makeOrder({ country: "DE" })
  await makePlan({ slug: "card", name: "Card plan", stripe_price: "price_a", price_cents: 1900 })
  const now = Math.floor(Date.now() / 1000)
  const deliver = (message: unknown) => deliverMessage(message, { env: CARD_SETTINGS })
  await deliver(checkoutMessage(id, "card", now))
  expect((await sell("orders:list", { store: id }))[0].status).toBe("pending")
  const paid = [invoiceMessage("paid", now + 1), invoiceMessage("payment_succeeded", now + 2)]
  for (const message of [...paid, ...paid]) expect((await deliver(message)).status).toBe(200)
  await deliver(invoiceMessage("paid", now + 3, { id: "in_0", amount: 0 }))

  const list = await sell("invoices:list", { store: id })
  expect(list).toMatchObject([
    { number: `INV-${YEAR}-000001`, net_cents: 1597, tax_cents: 303, gross_cents: 1900, method: "card" },
  ])
  expect(list[0].plan).toBe("Card plan")
  expect(JSON.stringify(list)).not.toContain("in_1")
  expect(await rows("select number, amount_cents from payments order by id")).toEqual([
    { number: `INV-${YEAR}-000001`, amount_cents: 1900 },
    { number: null, amount_cents: 0 },
  ])
  expect((await sell("orders:list", { store: id }))[0]).toMatchObject({ status: "rejected", reason: "paid_by_card" })
  expect((await sendOperatorCommand("orders:approve", { reference: order.reference })).status).toBe(409)
  const events = await rows("select payload from webhook_events where type = 'order.rejected'")
  expect(events.map(({ payload }) => JSON.parse(String(payload)).data.order.reason)).toEqual(["paid_by_card"])
  const mails = await collectSentMails()
  expect(mails.filter(({ subject }) => subject.includes("INV-"))).toHaveLength(1)
  const closed = mails.find(({ subject }) => subject === `Your order ${order.reference} is closed: paid by card`)
  expect(closed?.text).toMatch(/The order was for A store: .+ plan, 1 month, €\d+\.\d\d\./)
})
