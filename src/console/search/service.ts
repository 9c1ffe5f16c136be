// Searches stores and license customers by text, operators by name, orders and invoices by the start of their number,
// users of stores by email address, and other objects by exact id.
import { desc, eq, inArray, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { findAccountsEverywhere } from "../../content/accounts/find-everywhere"
import type { Ctx } from "../../core/context"
import { selectByPrefix } from "../../core/list/prefix"
import { queryAvailableDatabases } from "../../core/write/delivery-databases"
import { belongsToEvent } from "../../core/write/event-log"
import { batch } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
import { invoices } from "../../db/schema/central/invoices"
import { apiKeys } from "../../db/schema/central/keys"
import { licenses } from "../../db/schema/central/licenses"
import { operators } from "../../db/schema/central/operators"
import { orders, payments } from "../../db/schema/central/orders"
import { stores } from "../../db/schema/central/stores"
import { webhookDeliveries, webhookEvents } from "../../db/schema/central/webhooks"
import { foldForSearch } from "../../lib/text"
// lint: the search covers licenses too
import { normaliseCode } from "../../license/licenses/schemas"
import { selectByRequest } from "../../platform/audit/service"
import { hasTrigram, selectMatches, selectStoreDetails, toStoreDetails } from "../../platform/stores/queries"
import { ListStores } from "../../platform/stores/schemas"

export const MAX_RESULTS = 20

/** Operators are created by hand, so there are few; each search reads them. */
const MAX_OPERATORS = 200

/** A row id, with or without `#`. */
const ROW_NUMBER = /^#?(\d{1,15})$/

/**
 * Searches the central database in one round trip and the site databases in parallel with it; then deliveries, and the
 * stores of the accounts that were found.
 * @param q at most 200 characters
 */
export async function searchEverything(ctx: Ctx, q: string) {
  const text = q.trim()
  const [central, accounts] = await Promise.all([searchCentral(ctx, text), findAccountsEverywhere(ctx, text)])
  return { ...central, accounts }
}

async function searchCentral(ctx: Ctx, text: string) {
  const folded = ListStores.shape.q.parse(text) ?? ""
  const upper = text.toUpperCase()
  const number = Number(ROW_NUMBER.exec(text)?.[1] ?? -1)
  const [
    matchingStores,
    storesById,
    matchingDomains,
    events,
    matchingOrders,
    keys,
    matchingLicenses,
    entries,
    matchingInvoices,
    matchingPayments,
    customers,
    colleagues,
  ] = await batch(ctx.db, [
    selectStoreDetails(ctx.db)
      .where(inArray(stores.seq, selectMatches(folded, MAX_RESULTS)))
      .orderBy(desc(stores.seq)),
    ctx.db.select({ id: stores.id }).from(stores).where(eq(stores.id, text.toLowerCase())),
    ctx.db
      .select({ domain: domains.domain, storeId: domains.storeId })
      .from(domains)
      .where(eq(domains.domain, text.toLowerCase())),
    ctx.db
      .select({ seq: webhookEvents.seq, id: webhookEvents.id, type: webhookEvents.type })
      .from(webhookEvents)
      .where(eq(webhookEvents.id, upper)),
    ctx.db
      .select({
        reference: orders.reference,
        storeId: orders.storeId,
        amountCents: orders.amountCents,
        currency: orders.currency,
        createdAt: orders.createdAt,
      })
      .from(orders)
      .where(hasNumber(orders.id, orders.reference, text))
      .orderBy(desc(orders.reference)),
    ctx.db
      .select({ id: apiKeys.id, name: apiKeys.name, keyPrefix: apiKeys.keyPrefix })
      .from(apiKeys)
      .where(eq(apiKeys.keyPrefix, getKeyPrefix(text)))
      .limit(MAX_RESULTS),
    ctx.db
      .select({ id: licenses.id })
      .from(licenses)
      .where(eq(licenses.codeKey, normaliseCode(text))),
    selectByRequest(ctx, upper, MAX_RESULTS),
    ctx.db
      .select({
        number: invoices.number,
        storeId: invoices.storeId,
        amountCents: invoices.grossCents,
        currency: invoices.currency,
        createdAt: invoices.issuedAt,
      })
      .from(invoices)
      .where(hasNumber(invoices.id, invoices.number, text))
      .orderBy(desc(invoices.number)),
    ctx.db
      .select({
        number: payments.number,
        storeId: payments.storeId,
        amountCents: payments.amountCents,
        currency: payments.currency,
        createdAt: payments.paidAt,
      })
      .from(payments)
      .where(hasNumber(payments.id, payments.number, text))
      .orderBy(desc(payments.number)),
    ctx.db
      .select({ id: licenses.id, email: licenses.email, customerId: licenses.customerId })
      .from(licenses)
      .where(inArray(licenses.id, selectLicensesByText(folded, MAX_RESULTS)))
      .orderBy(desc(licenses.id)),
    ctx.db
      .select({ id: operators.id, name: operators.name, email: operators.email })
      .from(operators)
      .orderBy(operators.id)
      .limit(MAX_OPERATORS),
  ])
  const deliveries = await findDeliveries(ctx, number, events[0]?.seq)
  return {
    stores: folded ? matchingStores.map(toStoreDetails) : [],
    store: storesById[0] ?? null,
    domains: matchingDomains,
    event: events[0] ?? null,
    deliveries,
    orders: matchingOrders.slice(0, MAX_RESULTS),
    keys,
    license: matchingLicenses[0] ?? null,
    entries,
    /** Invoices, credit notes and receipts of earlier payments. */
    documents: [
      ...matchingInvoices,
      ...matchingPayments.filter(({ number }) => !matchingInvoices.some((invoice) => invoice.number === number)),
    ].slice(0, MAX_RESULTS),
    customers: hasTrigram(folded) ? customers : [],
    operators: folded ? colleagues.filter(({ name, email }) => foldForSearch(`${name} ${email}`).includes(folded)) : [],
  }
}

/** Whether a number begins with a text. A text without a digit is a word: "in" does not match INV-2026-000001. */
const hasNumber = (id: SQLiteColumn, number: SQLiteColumn, text: string): SQL =>
  /\d/.test(text) ? inArray(id, selectByPrefix(id, number, text, MAX_RESULTS)) : sql`false`

/** Selects the latest licenses whose code, customer, email or invoice contains a text of three or more characters. */
const selectLicensesByText = (text: string, limit: number) =>
  hasTrigram(text)
    ? sql`(select rowid from licenses_search where licenses_search match ${`"${text.replaceAll('"', '""')}"`} order by rowid desc limit ${limit})`
    : sql`(select null)`

/** Finds a delivery by its id, and those of an event. */
async function findDeliveries(ctx: Ctx, number: number, seq: number | undefined) {
  const { id, event } = webhookDeliveries
  if (number < 0 && seq === undefined) return []
  const condition = seq === undefined ? eq(id, number) : belongsToEvent(sql`${id}`, sql`${seq}`)
  const { results } = await queryAvailableDatabases(ctx, async ({ db }) =>
    db.select({ id, event }).from(webhookDeliveries).where(condition).limit(MAX_RESULTS),
  )
  return results.flat().slice(0, MAX_RESULTS)
}

/** The prefix of an API key, also when the whole key was pasted. */
const getKeyPrefix = (text: string): string => /^tnk_[0-9A-Za-z]{8}/.exec(text)?.[0] ?? text
