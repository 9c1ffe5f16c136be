// The search: straight to what a text names exactly, else everything that holds it.
import { Hono } from "hono"
import { page } from "../kit/page"
import { Badge, Card, Empty, Table, words } from "../kit/parts"
import { searchEverything } from "../search/service"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

export const search = new Hono<ConsoleEnv>().get("/console/search", async (c) => {
  const q = [...(c.req.query("q") ?? "").toWellFormed()].slice(0, 200).join("").trim()
  if (!q) return page(c, { title: W.search.title, children: <Empty text={W.found.ask} /> })
  const found = await searchEverything(c.var.ctx, q)
  const straight = straightTo(found)
  if (straight) return c.redirect(straight, 303)
  const exact: [kind: string, label: string, href: string][] = [
    ...found.domains.map(({ domain, storeId }): [string, string, string] => [
      W.found.domain,
      domain,
      `/console/stores/${storeId}#domains`,
    ]),
    ...found.deliveries.map(({ id, event }): [string, string, string] => [
      W.found.delivery,
      `#${id}, ${event}`,
      `/console/deliveries/${id}`,
    ]),
    ...found.entries.map(({ type }): [string, string, string] => [
      W.found.request,
      words(type),
      `/console/audit?q=${encodeURIComponent(q)}`,
    ]),
  ]
  return page(c, {
    title: W.found.title(q),
    children: (
      <>
        {found.stores.length + exact.length === 0 && <Empty text={W.found.nothing} />}
        {exact.length > 0 && (
          <Card title={W.found.rest} id="exact">
            <Table
              label={W.found.rest}
              rows={exact}
              columns={[
                { head: W.audit.what, cell: ([kind]) => kind },
                { head: W.keys.name, cell: ([, label, href]) => <a href={href}>{label}</a> },
              ]}
            />
          </Card>
        )}
        {found.stores.length > 0 && (
          <Card title={W.found.stores} id="stores">
            <Table
              label={W.found.stores}
              rows={found.stores}
              columns={[
                { head: W.stores.store, cell: ({ store }) => <a href={`/console/stores/${store.id}`}>{store.name}</a> },
                { head: W.store.id, cell: ({ store }) => store.id },
                { head: W.stores.owner, cell: ({ store }) => store.ownerEmail },
                { head: W.stores.status, cell: ({ store }) => <Badge of={store.status} /> },
              ]}
            />
          </Card>
        )}
      </>
    ),
  })
})

/** The page of the one thing that the text is the exact name of. */
function straightTo(found: Awaited<ReturnType<typeof searchEverything>>): string | null {
  const [key] = found.keys
  if (found.store) return `/console/stores/${found.store.id}`
  if (found.event) return `/console/events/${found.event.id}`
  if (found.order) return `/console/orders/${found.order.reference}`
  if (found.license) return `/console/licenses/${found.license.id}`
  if (key) return `/console/keys?id=${key.id}`
  return null
}
