// Inserts many licenses, each with three activations, directly into the tables, for measurements.

/** The common part of a Worker's D1 binding and Miniflare's. */
interface Database {
  prepare(sql: string): {
    bind(...values: unknown[]): { run(): Promise<unknown>; first(column: string): Promise<unknown> }
  }
}

/** Rows per statement. */
const BATCH_SIZE = 5_000

/** Only the first ten licenses contain these words, so a search has ten results for any number of licenses. */
const SEARCH_WORDS = "zephyr zq"

/** Reference id of the licenses' product. */
export const MANY_LICENSES_PRODUCT = "MANY"

const NUMBERS = "with recursive n(i) as (select cast(?1 as integer) union all select i + 1 from n where i < ?2)"

const STATEMENTS = [
  `insert into licenses (product_id, code, code_key, type, customer_id, customer_key, domains, ips, is_valid, is_marketplace, search_text, created_at, updated_at)
   ${NUMBERS} select (select id from license_products where reference_id = '${MANY_LICENSES_PRODUCT}'), 'MANY-' || i, 'many-' || i, 'perpetual',
     'Client ' || iif(i <= 100, i % 50, i), 'client ' || iif(i <= 100, i % 50, i), '[]', '[]', 1, 0,
     'many-' || i || iif(i <= 10, ' ${SEARCH_WORDS}', '') || char(1, 1), 0, 0 from n`,
  ...[1, 2, 3].map(
    (
      use,
    ) => `insert into license_activations (license_id, place, domain, ip, is_active, activated_at, created_at, updated_at)
   ${NUMBERS} select l.id, 's${use}.example', 's${use}.example', '192.0.2.${use}', 1, 0, 0, 0
   from n join licenses l on l.code_key = 'many-' || i`,
  ),
]

/**
 * Inserts licenses until the database has `total` of them.
 * @throws Error if it already has more
 */
export async function makeManyLicenses(database: Database, total: number): Promise<void> {
  const product = `insert into license_products (reference_id, name, license_update, serve_latest_updates, is_active, created_at, updated_at)
    values (?1, 'Many', 1, 1, 1, 0, 0) on conflict do nothing`
  await database.prepare(product).bind(MANY_LICENSES_PRODUCT).run()
  const existing = Number(
    await database
      .prepare("select count(*) as count from licenses where code_key like ?1")
      .bind("many-%")
      .first("count"),
  )
  if (existing > total) throw new Error(`There are ${existing} licenses already`)
  for (let first = existing + 1; first <= total; first += BATCH_SIZE) {
    const last = Math.min(total, first + BATCH_SIZE - 1)
    for (const statement of STATEMENTS) await database.prepare(statement).bind(first, last).run()
  }
}
