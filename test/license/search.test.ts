// License search ignores case and composition in every script, also for licenses stored before it did.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { toNfc } from "../../src/lib/text"
import { internalClient, makeLicense, makeProduct } from "../support/license-factories"

/** Customers, with terms that find them and terms that do not. */
const CUSTOMERS: [string, string[], string[]][] = [
  ["Hauptstraße 5", ["STRASSE", "strasse", "STRAẞE", "straße", "aß", "ss", "ß"], ["strase"]],
  ["GROẞMANN", ["grossmann", "großmann", "Groẞmann"], ["grosman"]],
  ["İstanbul", ["İSTANBUL", "i̇stanbul", "stanbul", "TA"], ["isstanbul"]],
  ["Ofﬁce ﬂoor", ["office", "OFFICE FLOOR", "ﬂ", "fi", "FFI"], ["ofice"]],
  ["Café Ève", ["CAFE\u0301", "café", "e\u0301", "È"], ["cafe"]],
  ["ΟΔΥΣΣΕΥΣ", ["οδυσσευς", "Οδυσσευς", "ευσ"], ["οδυσευς"]],
]

const find = async (term: string): Promise<string[]> => {
  const internal = await internalClient()
  const { body } = await internal("GET", `/product-licenses?search=${encodeURIComponent(term)}`)
  return body.data.map((license: { customer_id: string }) => license.customer_id)
}

const expectFound = async () => {
  for (const [customer, found, missing] of CUSTOMERS) {
    for (const term of found) expect.soft(await find(term), term).toContain(customer)
    for (const term of missing) expect.soft(await find(term), term).not.toContain(customer)
  }
}

test("finds licenses whatever the case and the composition of the term", async () => {
  const product = await makeProduct()
  for (const [customer] of CUSTOMERS) await makeLicense(product, { customer_id: customer })
  await expectFound()
})

test("finds licenses that an earlier release stored, after the migration", async () => {
  const product = await makeProduct()
  for (const [customer] of CUSTOMERS) {
    const { id, code } = await makeLicense(product, { customer_id: customer })
    const texts = [code, customer].map((text) => `${toNfc(text).toLowerCase().replaceAll("ς", "σ")}\u{1}\u{1}`)
    await env.DB.prepare("update licenses set search_text = ? where id = ?").bind(texts.join(""), id).run()
  }
  expect(await find("STRASSE")).toEqual([])
  const migration = env.TEST_MIGRATIONS_CENTRAL.find(({ name }) => name === "0047_fold_search_texts.sql")
  for (const query of migration?.queries ?? []) await env.DB.prepare(query).run()
  await expectFound()
})
