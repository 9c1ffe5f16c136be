// Searches the platform. An exact match of a unique id redirects straight to its page.
import { page } from "../kit/page"
import { Badge, Card, EmptyState, labelOf, Table } from "../kit/parts"
import { createPages } from "../router"
import { searchEverything } from "../search/service"
import { W } from "../strings"

export const search = createPages().get("/console/search", async (c) => {
  const q = [...(c.req.query("q") ?? "").toWellFormed()].slice(0, 200).join("").trim()
  if (!q) return page(c, { title: W.search.title, children: <EmptyState text={W.search.no_query} /> })
  const found = await searchEverything(c.var.ctx, q)
  const url = getExactMatchUrl(found)
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
    ...found.entries.map(({ type }): [string, string, string] => [
      W.search.request,
      labelOf(type),
      `/console/audit?q=${encodeURIComponent(q)}`,
    ]),
  ]
  return page(c, {
    title: W.search.results(q),
    children: (
      <>
        {found.stores.length + exact.length === 0 && <EmptyState text={W.search.empty} />}
        {exact.length > 0 && (
          <Card title={W.search.exact} id="exact">
            <Table
              label={W.search.exact}
              rows={exact}
              columns={[
                { head: W.search.kind, cell: ([kind]) => kind },
                { head: W.keys.name, cell: ([, label, href]) => <a href={href}>{label}</a> },
              ]}
            />
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
              ]}
            />
          </Card>
        )}
      </>
    ),
  })
})

/** The page of the object whose id is the search term; null when there is none. */
function getExactMatchUrl(found: Awaited<ReturnType<typeof searchEverything>>): string | null {
  const [key] = found.keys
  if (found.store) return `/console/stores/${found.store.id}`
  if (found.event) return `/console/events/${found.event.id}`
  if (found.order) return `/console/orders/${found.order.reference}`
  if (found.license) return `/console/licenses/${found.license.id}`
  if (key) return `/console/keys?id=${key.id}`
  return null
}
