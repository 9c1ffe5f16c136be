// Queries for customers: the users of a site who are not staff, each limited to one site.
import { and, asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm"
import type { ContentSite } from "../../../content/site"
import { prepareSitePages } from "../../../core/list/page"
import { rowCounter, selectSiteCounter } from "../../../core/list/site-totals"
import { param } from "../../../db/prepared"
import { users } from "../../../db/schema/sites/users"
import { containsBoundTerm, type TermSpellings } from "../../../db/term-search"
import { orders } from "../tables"
import type { Customer } from "./schemas"

interface ListParams extends TermSpellings {
  site: string
}

const columns = (site: Parameters<typeof selectSiteCounter>[0]) => ({
  id: users.id,
  firstName: users.firstName,
  lastName: users.lastName,
  email: users.email,
  phone: users.phone,
  disabledAt: users.disabledAt,
  createdAt: users.createdAt,
  updatedAt: users.updatedAt,
  ordersCount: sql<number>`${selectSiteCounter(site, rowCounter("orders", sql`${users.id}`))}`.as("orders_count"),
})

const isCustomer = eq(users.isStaff, false)

/** Matches names and addresses. There is no search index, so a search reads all customers of the site. */
const matchesTerm = sql`(instr(${users.emailKey}, ${param("term")}) > 0
  or ${containsBoundTerm(sql`${users.firstName} || ' ' || ${users.lastName}`)})`

const preparePages = (total: SQL, where: SQL | undefined) =>
  prepareSitePages<Customer, ListParams>(total, (db, { limit, offset }, direction) =>
    db
      .select(columns(param("site")))
      .from(users)
      .where(where)
      .orderBy(direction === "forward" ? desc(users.id) : asc(users.id))
      .limit(limit)
      .offset(offset),
  )

/** Selects a page of all customers, newest first. */
export const selectPage = preparePages(selectSiteCounter(param("site"), "customers"), isCustomer)

const isMatch = and(isCustomer, matchesTerm)

/** Selects a page of the customers whose name or address contains a term, newest first. */
export const selectMatchingPage = preparePages(
  sql`(select count(*) from ${users} where ${and(eq(users.siteId, param("site")), isMatch)})`,
  isMatch,
)

/** Selects what customers have paid, by customer and currency. */
export const selectSpent = ({ db }: ContentSite, customerIds: readonly number[]) =>
  db
    .select({
      userId: orders.userId,
      currency: orders.currency,
      totalCents: sql<number>`sum(${orders.totalCents})`.mapWith(Number).as("total"),
    })
    .from(orders)
    .where(
      and(
        sql`${orders.userId} in (select value from json_each(${JSON.stringify(customerIds)}))`,
        inArray(orders.status, ["paid", "fulfilled"]),
      ),
    )
    .groupBy(orders.userId, orders.currency)
    .orderBy(orders.currency)

/** Orders that a customer's resource shows. */
const LATEST_ORDERS = 20

/** Selects a customer, what the customer has paid by currency, and the latest orders. */
export const selectCustomer = ({ db, id }: ContentSite, customerId: number) =>
  [
    db
      .select(columns(id))
      .from(users)
      .where(and(eq(users.id, customerId), isCustomer)),
    db
      .select({
        currency: orders.currency,
        totalCents: sql<number>`sum(${orders.totalCents})`.mapWith(Number).as("total"),
      })
      .from(orders)
      .where(and(eq(orders.userId, customerId), inArray(orders.status, ["paid", "fulfilled"])))
      .groupBy(orders.currency)
      .orderBy(orders.currency),
    db.select().from(orders).where(eq(orders.userId, customerId)).orderBy(desc(orders.id)).limit(LATEST_ORDERS),
  ] as const
