// The console's pages for money: invoices, credit notes, tax settings, and amounts of coupons.
import { beforeEach, expect, test } from "vitest"
import { sendOperatorCommand } from "../support/app"
import { makePlan, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { type Browser, signIn } from "./support"

const YEAR = new Date().getUTCFullYear()

const NUMBER = `INV-${YEAR}-000001`

const send = async (command: string, input: object) => (await sendOperatorCommand(command, input)).body.data

/** Issues an invoice of 22.61 EUR to a store with a name that a spreadsheet could run. */
async function issueInvoice(): Promise<string> {
  await send("offline:settings", { enabled: true })
  await send("tax:save", { country: "DE", rate: "19", name: "USt" })
  await makePlan({ slug: "starter", name: "Starter", price_cents: 2261 })
  const store = await makeReadyStore({ subdomain: "acme", name: "=Acme <b>", plan: "starter" })
  const order = await send("orders:request", { store, plan: "starter" })
  await send("orders:approve", { reference: order.reference })
  return store
}

test("lists, finds, shows and exports invoices", async () => {
  const store = await issueInvoice()
  const finance = await signIn({ role: "finance" })
  for (const query of ["", `?q=inv-${YEAR}`, `?store=${store}`, "?kind=invoice", "?until=2100-01-01T00:00"]) {
    expect((await finance.get(`/console/invoices${query}`)).text, query).toContain(`>${NUMBER}</a>`)
  }
  for (const query of ["?q=INV-1999", "?store=other", "?kind=credit_note", "?since=2100-01-01T00:00"]) {
    expect((await finance.get(`/console/invoices${query}`)).text, query).not.toContain(NUMBER)
  }
  const page = await finance.get(`/console/invoices/${NUMBER}`)
  for (const text of ["=Acme &lt;b&gt;", "owner@example.com", "€22.61"]) expect(page.text).toContain(text)
  const pdf = await finance.get(`/console/invoices/${NUMBER}.pdf?language=vi`)
  expect([pdf.headers.get("Content-Type"), pdf.text.slice(0, 7)]).toEqual(["application/pdf", "%PDF-1."])
  const csv = await finance.get(`/console/invoices.csv?store=${store}`)
  expect(csv.text.trim().split("\r\n")[1]).toContain(`"${NUMBER}","invoice",`)
  expect(csv.text).toContain(`"'=Acme <b>"`)
  const search = await finance.get(`/console/search?q=${NUMBER}`)
  expect([search.status, search.headers.get("Location")]).toEqual([303, `/console/invoices/${NUMBER}`])
  for (const path of ["INV-1", "INV-1.pdf"]) expect((await finance.get(`/console/invoices/${path}`)).status).toBe(404)
})

test("issues a credit note after a confirmation that is bound to what is left", async () => {
  await issueInvoice()
  const path = `/console/invoices/${NUMBER}/credit`
  const [finance, support] = [await signIn({ role: "finance" }), await signIn({ role: "support" })]
  expect((await support.confirm(path, { amount: "1.00" }, { reason: "No" })).status).toBe(403)
  for (const amount of ["22.62", "0", "1.001", "-1", ""])
    expect((await finance.get(`${path}?amount=${amount}`)).status, amount).toBe(422)
  expect((await finance.confirm(path, { amount: "12.61" }, { reason: "" })).status).toBe(422)
  const credited = await finance.confirm(path, { amount: "12.61" }, { reason: "Two days offline" })
  const location = `/console/invoices/CN-${YEAR}-000001?done=invoice_credited`
  expect([credited.status, credited.headers.get("Location")]).toEqual([303, location])
  const note = await finance.get(location)
  for (const text of ["Two days offline", "€12.61", NUMBER]) expect(note.text).toContain(text)
  expect(note.text).not.toContain(">Issue credit note<")
  expect((await finance.get(`/console/invoices/${NUMBER}`)).text).toContain('value="10.00"')
  expect((await finance.confirm(path, { amount: "10.01" }, { reason: "x" })).status).toBe(422)
  expect(await rows("select type, actor_type from audit_entries where type = 'invoice_credited'")).toEqual([
    { type: "invoice_credited", actor_type: "admin" },
  ])
})

test("saves the seller, tax rates and the prefix of credit notes, which the first one locks", async () => {
  const finance = await signIn({ role: "finance" })
  expect((await finance.get("/console/tax")).text).toContain("Invoices have no seller yet.")
  const seller = {
    ...{ seller_name: "Tenancy GmbH", seller_address: "Hauptstr. 1", seller_country: "de", seller_tax_number: "" },
    ...{ credit_note_prefix: "GS", prices_include_tax: "true" },
  }
  const confirmation = await finance.get(`/console/tax/edit?${new URLSearchParams(seller)}`)
  for (const text of ["Tenancy GmbH", "The tax is a part of it."]) expect(confirmation.text).toContain(text)
  expect((await finance.confirm("/console/tax/edit", seller)).status).toBe(303)
  for (const wrong of [{ seller_country: "Germany" }, { seller_name: "" }, { credit_note_prefix: "inv" }])
    expect((await finance.confirm("/console/tax/edit", { ...seller, ...wrong })).status).toBe(422)
  expect((await sendOperatorCommand("offline:settings", { receipt_prefix: "gs" })).status).toBe(422)
  expect((await finance.confirm("/console/tax/rates", { country: "de", rate: "19,5", name: "USt" })).status).toBe(303)
  expect((await finance.get("/console/tax")).text).toContain("USt 19.5 %")
  await issueInvoice()
  const credit = await finance.confirm(`/console/invoices/${NUMBER}/credit`, { amount: "1" }, { reason: "Refund" })
  expect(credit.headers.get("Location")).toContain(`/console/invoices/GS-${YEAR}-000001`)
  expect((await finance.confirm("/console/tax/edit", { ...seller, credit_note_prefix: "CN" })).status).toBe(422)
  expect((await finance.confirm("/console/tax/edit", { ...seller, seller_name: "Tenancy AG" })).status).toBe(303)
  expect((await finance.confirm("/console/tax/rates", { country: "DE", rate: "0" })).status).toBe(303)
  expect(await send("tax:settings", {})).toMatchObject({
    ...{ seller_name: "Tenancy AG", credit_note_prefix: "GS", prices_include_tax: true, rates: {} },
  })
})

test("gives the prefix to only one of two settings that are saved at the same moment", async () => {
  const results = await Promise.all([
    sendOperatorCommand("tax:settings", { credit_note_prefix: "DOC" }),
    sendOperatorCommand("offline:settings", { receipt_prefix: "doc" }),
  ])
  expect(results.map(({ status }) => status).toSorted()).toEqual([200, 422])
})

let admin: Browser

beforeEach(async () => {
  admin = await signIn()
})

test("opens the refused form of a coupon, and no other", async () => {
  const admin = await signIn()
  const open = (text: string) => text.match(/<details[^>]* open=""[^>]*>/g) ?? []
  expect((await admin.post("/console/coupons", { code: "MAY", trial_days: "7", is_active: "true" })).status).toBe(303)
  expect(open((await admin.get("/console/coupons")).text)).toEqual([])
  const created = await admin.post("/console/coupons", { code: "JUNE", trial_days: "none", is_active: "true" })
  expect(open(created.text)).toEqual(['<details class="disclosure" open="">'])
  const edited = await admin.get("/console/coupons/MAY/edit?trial_days=none&is_active=true")
  expect([edited.status, open(edited.text)]).toEqual([422, ['<details open="">']])
})

test("takes a coupon's amount in units of the currency of its plans", async () => {
  await makePlan({ slug: "tokyo", price_cents: 1500, currency: "JPY" })
  await makePlan({ slug: "paris", price_cents: 1900, currency: "EUR" })
  const create = (fields: Record<string, string>) => admin.post("/console/coupons", { is_active: "true", ...fields })
  const refused: Record<string, string>[] = [
    { code: "MIXED", amount: "5" },
    { code: "BOTH", amount: "5", percent_off: "10", plans: "paris" },
    { code: "DIGITS", amount: "5.50", plans: "tokyo" },
    { code: "NOTHING", amount: "0", plans: "paris" },
  ]
  for (const fields of refused) expect((await create(fields)).status, fields.code).toBe(422)
  expect((await create({ code: "YEN", amount: "500", plans: "tokyo" })).status).toBe(303)
  expect((await create({ code: "EURO", amount: "5,50", plans: "paris" })).status).toBe(303)
  expect(await rows("select code, amount_off from coupons order by code")).toEqual([
    { code: "EURO", amount_off: 550 },
    { code: "YEN", amount_off: 500 },
  ])
  const list = (await admin.get("/console/coupons")).text
  for (const text of ["€5.50, forever", "¥500, forever", 'value="5.50"']) expect(list).toContain(text)
  const edit = { code: "EURO", amount: "6.00", plans: "paris", is_active: "true" }
  expect((await admin.get(`/console/coupons/EURO/edit?${new URLSearchParams(edit)}`)).text).toContain("€6.00")
  expect((await admin.confirm("/console/coupons/EURO/edit", edit)).status).toBe(303)
  expect(await rows("select amount_off from coupons where code = 'EURO'")).toEqual([{ amount_off: 600 }])
})
