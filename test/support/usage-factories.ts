// Sets the usage of a site by writing its counters and users.
import { env } from "cloudflare:workers"

interface SiteUsage {
  products?: number
  /** Orders of the current month. */
  orders?: number
  earlierOrders?: number
  bytes?: number
  /** Staff users, including the owner. */
  staff?: number
  customers?: number
}

/** Sets the usage of a provisioned site. */
export async function setSiteUsage(id: string, usage: SiteUsage): Promise<void> {
  const { products = 0, orders = 0, earlierOrders = 0, bytes = 0, staff = 1, customers = 0 } = usage
  const totals: [list: string, filter: string, total: number][] = [
    ["products", "", products],
    ["products", "published", products],
    ["orders", "", orders + earlierOrders],
    ["orders", new Date().toISOString().slice(0, 7), orders],
    ["orders", "2001-01", earlierOrders],
    ["media_bytes", "", bytes],
  ]
  const counters = env.SITES_1.prepare("insert or replace into counters values (?, ?, ?, ?)")
  const users = env.SITES_1.prepare(
    `insert into users (site_id, email, email_key, first_name, last_name, password_hash, is_staff, created_at, updated_at)
     values (?1, ?2, ?2, 'A', 'B', 'x', ?3, 0, 0)`,
  )
  const people = [...Array(staff - 1).fill(1), ...Array(customers).fill(0)]
  await env.SITES_1.batch([
    // The sample products of a new store are not counted.
    env.SITES_1.prepare("update products set is_sample = null where site_id = ?").bind(id),
    ...totals.map((total) => counters.bind(id, ...total)),
    ...people.map((isStaff, n) => users.bind(id, `u${n}@example.com`, isStaff)),
  ])
}
