// Reads customers and their orders, for staff. Guests have no account, so they are not among the customers.
import type * as z from "zod"
import { authenticate, type UserCtx } from "../../../content/user"
import { Refusal } from "../../../core/http/refusal"
import { rowId } from "../../../core/http/row-id"
import { type Page, pageFrom } from "../../../core/list/page"
import { toSpellings } from "../../../db/term-search"
import { selectCustomer, selectMatchingPage, selectPage, selectSpent } from "./queries"
import type { Customer, CustomerWithOrders, ListCustomers } from "./schemas"

/**
 * Lists a page of customers, newest first.
 * @throws Refusal `unauthenticated`, `forbidden` for customers
 */
export async function listCustomers(ctx: UserCtx, input: z.output<typeof ListCustomers>): Promise<Page<Customer>> {
  const { search: term = "" } = input
  const select = term ? selectMatchingPage : selectPage
  const { results } = await authenticate(ctx, () => select(input, { site: ctx.site.id, ...toSpellings(term) }), {
    role: "viewer",
  })
  return pageFrom(results)
}

/** A customer of a list, with the totals of paid orders by currency. */
export type CustomerWithTotals = Customer & Pick<CustomerWithOrders, "spent">

/**
 * Lists a page of customers with what each has paid, newest first.
 * @throws Refusal `unauthenticated`, `forbidden` for customers
 */
export async function listCustomersWithTotals(
  ctx: UserCtx,
  input: z.output<typeof ListCustomers>,
): Promise<Page<CustomerWithTotals>> {
  const { rows, total } = await listCustomers(ctx, input)
  const spent = rows.length
    ? await selectSpent(
        ctx.site,
        rows.map(({ id }) => id),
      )
    : []
  const byCustomer = Map.groupBy(spent, ({ userId }) => userId)
  return { rows: rows.map((row) => ({ ...row, spent: byCustomer.get(row.id) ?? [] })), total }
}

/**
 * Reads a customer.
 * @throws Refusal `unauthenticated`, `forbidden` for customers; `not_found`, also for staff
 */
export async function readCustomer(ctx: UserCtx, segment: string): Promise<CustomerWithOrders> {
  const { results } = await authenticate(ctx, () => selectCustomer(ctx.site, rowId(segment)), { role: "viewer" })
  const [[customer], spent, orders] = results
  if (!customer) throw new Refusal("not_found")
  return { customer, spent, orders }
}
