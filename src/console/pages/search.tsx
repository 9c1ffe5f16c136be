// Searches the platform: pages, objects and people. An exact match of a unique id redirects straight to its page, and so
// does the only result if the search term is its number, domain or email address.

import { MAX_ACCOUNTS } from "../../content/accounts/find-everywhere"
import { CENTRAL_SITE } from "../../content/site"
import { staffRole } from "../../content/staff/rules"
import { fullName } from "../../lib/full-name"
import { Badge, Card, EmptyState, formatMoney, labelOf, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { UnavailableDatabases } from "../kit/incomplete"
import { page } from "../kit/page"
import { SEARCH } from "../paths"
import { createPages } from "../router"
import { findPages } from "../search/pages"
import { MAX_RESULTS, searchEverything } from "../search/service"
import { getSession } from "../session"
import { W } from "../strings"
import { getInvoicePath } from "./invoices"
import { BillingLinks } from "./store/billing-links"

export const search = createPages().get(SEARCH, async (c) => {
  const q = [...(c.req.query("q") ?? "").toWellFormed()].slice(0, 200).join("").trim()
  if (!q) return page(c, { title: W.search.title, children: <EmptyState text={W.search.no_query} /> })
  const found = await searchEverything(c.var.ctx, q)
  const { role } = getSession(c).operator
  const pages = findPages(q, (action) => c.var.getFormPermission(role, action).isAllowed)
  const isExact = (number: string | null) => number?.toUpperCase() === q.toUpperCase()
  const url = getExactMatchUrl(q, found)
  if (url) return c.redirect(url, 303)
  const exact: [kind: string, label: string, href: string][] = [
    ...found.domains.map(({ domain, storeId }): [string, string, string] => [
      W.search.domain,
      domain,
      `/console/stores/${storeId}/domains`,
    ]),
    ...found.deliveries.map(({ id, event }): [string, string, string] => [
      W.search.delivery,
      `#${id}, ${event}`,
      `/console/deliveries/${id}`,
    ]),
    ...found.documents.filter((document) => isExact(document.number)).map(describeDocument),
    ...found.entries.map(({ type }): [string, string, string] => [
      W.search.request,
      labelOf(type),
      `/console/audit?q=${encodeURIComponent(q)}`,
    ]),
  ]
  const numbered: Numbered[] = [
    ...found.orders.map(({ reference, ...order }) => ({
      ...order,
      ...{ number: reference, href: `/console/orders/${reference}`, kind: W.orders.order },
    })),
    ...found.documents
      .filter(({ number }) => !isExact(number))
      .map((document) => ({ ...document, href: getInvoicePath(document.number ?? ""), kind: W.search.document })),
  ]
  const people: [kind: string, label: string, href: string][] = [
    ...found.operators.map(({ id, name, email }): [string, string, string] => [
      W.search.operator,
      `${name}, ${email}`,
      `/console/operators/${id}`,
    ]),
    ...found.customers.map(({ id, email, customerId }): [string, string, string] => [
      W.search.customer,
      `${email ?? customerId ?? W.common.none}, ${W.licenses.one(id)}`,
      `/console/licenses/${id}`,
    ]),
  ]
  const only = pages.length === 0 && getOnlyMatchUrl(q, found, exact)
  if (only) return c.redirect(only, 303)
  const { accounts, hasMore, unavailable } = found.accounts
  const count = found.stores.length + exact.length + numbered.length + people.length + accounts.length + pages.length
  return page(c, {
    title: W.search.results(q),
    children: (
      <>
        <UnavailableDatabases names={unavailable} />
        {count === 0 && <EmptyState text={W.search.empty} />}
        {pages.length > 0 && (
          <Card title={W.search.pages} id="pages">
            <ul class="links">
              {pages.map(([label, href]) => (
                <li>
                  <a href={href}>{label}</a>
                </li>
              ))}
            </ul>
          </Card>
        )}
        {exact.length > 0 && (
          <Card title={W.search.exact} id="exact">
            <Results label={W.search.exact} rows={exact} />
          </Card>
        )}
        {numbered.length > 0 && (
          <Card title={W.search.numbered} id="numbers">
            <NumberedResults rows={numbered} />
            {[found.orders, found.documents].some(({ length }) => length === MAX_RESULTS) && (
              <p class="sub">{W.search.more_numbers(MAX_RESULTS)}</p>
            )}
          </Card>
        )}
        {people.length > 0 && (
          <Card title={W.search.people} id="people">
            <Results label={W.search.people} rows={people} />
          </Card>
        )}
        {accounts.length > 0 && (
          <Card title={W.search.accounts} id="accounts">
            <Table
              label={W.search.accounts}
              rows={accounts}
              columns={[
                {
                  head: W.keys.name,
                  cell: (user) => <a href={getAccountPath(user)}>{fullName(user) || user.email}</a>,
                },
                {
                  head: W.stores.store,
                  cell: ({ siteId }) => (siteId === CENTRAL_SITE ? W.sites.central : siteId),
                },
                {
                  head: W.search.kind,
                  cell: (user) => labelOf(staffRole(user) ?? "customer"),
                },
              ]}
            />
            {hasMore && <p class="sub">{W.search.more_accounts(MAX_ACCOUNTS)}</p>}
          </Card>
        )}
        {found.stores.length > 0 && (
          <Card title={W.search.stores} id="stores">
            <Table
              label={W.search.stores}
              rows={found.stores}
              columns={[
                { head: W.stores.store, cell: ({ store }) => <a href={`/console/stores/${store.id}`}>{store.name}</a> },
                { head: W.store.id, cell: ({ store }) => store.id },
                { head: W.stores.owner, cell: ({ store }) => store.ownerEmail },
                { head: W.stores.status, cell: ({ store }) => <Badge status={store.status} /> },
                { head: W.store.tabs.billing, cell: ({ store }) => <BillingLinks storeId={store.id} /> },
              ]}
            />
          </Card>
        )}
      </>
    ),
  })
})

const Results = ({ label, rows }: { label: string; rows: [kind: string, label: string, href: string][] }) => (
  <Table
    label={label}
    rows={rows}
    columns={[
      { head: W.keys.name, cell: ([, text, href]) => <a href={href}>{text}</a> },
      { head: W.search.kind, cell: ([kind]) => kind },
    ]}
  />
)

/** An order, invoice or receipt whose number begins with the search term. */
interface Numbered {
  number: string | null
  href: string
  kind: string
  storeId: string
  amountCents: number
  currency: string
  createdAt: Date
}

const NumberedResults = ({ rows }: { rows: Numbered[] }) => (
  <Table
    label={W.search.numbered}
    rows={rows}
    columns={[
      { head: W.search.number, cell: ({ number, href }) => <a href={href}>{number}</a> },
      { head: W.search.kind, cell: ({ kind }) => kind },
      { head: W.stores.store, cell: ({ storeId }) => <a href={`/console/stores/${storeId}`}>{storeId}</a> },
      {
        head: W.orders.amount,
        isNumeric: true,
        cell: ({ amountCents, currency }) => formatMoney(amountCents, currency),
      },
      { head: W.common.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
)

type Found = Awaited<ReturnType<typeof searchEverything>>

const describeDocument = ({ number, storeId }: Found["documents"][number]): [string, string, string] => [
  W.search.document,
  `${number}, ${storeId}`,
  getInvoicePath(number ?? ""),
]

const getAccountPath = ({ siteId, id }: Found["accounts"]["accounts"][number]) => `/console/sites/${siteId}/users/${id}`

/**
 * The page of the only result if the search term is its number, domain, email address or customer id; otherwise null.
 * The store of a domain does not count as another result.
 * @param exact the results that are found by nothing but the complete term
 */
function getOnlyMatchUrl(q: string, found: Found, exact: [kind: string, label: string, href: string][]): string | null {
  const { accounts, unavailable, hasMore } = found.accounts
  const term = q.toLowerCase()
  const people = [
    ...found.operators.map(({ id, email }) => ({ href: `/console/operators/${id}`, names: [email] })),
    ...found.customers.map(({ id, email, customerId }) => ({
      href: `/console/licenses/${id}`,
      names: [email, customerId],
    })),
  ]
  const hasOthers =
    unavailable.length > 0 ||
    hasMore ||
    found.stores.some(({ store }) => !found.domains.some(({ storeId }) => storeId === store.id)) ||
    people.some(({ names }) => !names.some((name) => name?.toLowerCase() === term))
  if (hasOthers) return null
  const urls = [...exact.map(([, , href]) => href), ...people.map(({ href }) => href), ...accounts.map(getAccountPath)]
  const [only, ...others] = new Set(urls)
  return others.length === 0 ? (only ?? null) : null
}

/** The page of the object whose id is the search term; null when there is none. */
function getExactMatchUrl(q: string, found: Found): string | null {
  const [key] = found.keys
  const order = found.orders.find(({ reference }) => reference === q.toUpperCase())
  if (found.store) return `/console/stores/${found.store.id}`
  if (found.event) return `/console/events/${found.event.id}`
  if (order) return `/console/orders/${order.reference}`
  if (found.license) return `/console/licenses/${found.license.id}`
  if (key) return `/console/keys?id=${key.id}`
  return null
}
