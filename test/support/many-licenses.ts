// As many licenses as a measurement needs, straight into the tables, each with three activations.

/** The part of a database that this needs; a Worker's binding has it, and so has Miniflare's. */
interface Database {
  prepare(sql: string): { bind(...values: unknown[]): { run(): Promise<unknown> } }
}

/** Rows a statement makes at most. */
const CHUNK = 5_000

/** The first ten licenses hold this word; a search for it finds as many however many licenses there are. */
const NEEDLES = "zephyr zq"

/** The product that all of them are for. */
export const MANY = "MANY"

const NUMBERS = "with recursive n(i) as (select cast(?1 as integer) union all select i + 1 from n where i < ?2)"

const STATEMENTS = [
  `insert into licenses (product_id, code, code_key, type, customer_id, customer_key, domains, ips, is_valid, is_marketplace, search_text, created_at, updated_at)
   ${NUMBERS} select (select id from license_products where reference_id = '${MANY}'), 'MANY-' || i, 'many-' || i, 'perpetual',
     'Client ' || iif(i <= 100, i % 50, i), 'client ' || iif(i <= 100, i % 50, i), '[]', '[]', 1, 0,
     'many-' || i || iif(i <= 10, ' ${NEEDLES}', '') || char(1, 1), 0, 0 from n`,
  ...[1, 2, 3].map(
    (
      use,
    ) => `insert into license_activations (license_id, place, domain, ip, is_active, activated_at, created_at, updated_at)
   ${NUMBERS} select l.id, 's${use}.example', 's${use}.example', '192.0.2.${use}', 1, 0, 0, 0
   from n join licenses l on l.code_key = 'many-' || i`,
  ),
]

/**
 * Makes licenses numbered from the last one made on.
 * @param total how many there are to be
 * @throws Error where there are more already
 */
export async function makeManyLicenses(database: Database, total: number): Promise<void> {
  const product = `insert into license_products (reference_id, name, license_update, serve_latest_updates, is_active, created_at, updated_at)
    values (?1, 'Many', 1, 1, 1, 0, 0) on conflict do nothing`
  await database.prepare(product).bind(MANY).run()
  const made = counted.get(database) ?? 0
  if (made > total) throw new Error(`There are ${made} licenses already`)
  for (let first = made + 1; first <= total; first += CHUNK) {
    const last = Math.min(total, first + CHUNK - 1)
    for (const statement of STATEMENTS) await database.prepare(statement).bind(first, last).run()
  }
  counted.set(database, total)
}

/** How many each database has already. */
const counted = new WeakMap<object, number>()
