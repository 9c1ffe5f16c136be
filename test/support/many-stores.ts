// Inserts many stores for measurements, directly into the tables.

/** The subset of D1Database that both the Worker's binding and Miniflare's have. */
interface Database {
  prepare(sql: string): { bind(...values: unknown[]): { run(): Promise<unknown> } }
}

/** Rows per insert statement. */
const ROWS_PER_STATEMENT = 5_000

/** A word that ten evenly spread stores contain, however many stores there are. */
export const NEEDLE = "zephyr"
export const NEEDLE_COUNT = 10

/** Statements that insert the rows of stores ?1 to ?2 of ?3. */
const STATEMENTS = [
  `insert into stores (id, name, status, theme, preset, owner_email, database, search_text, version, provisioned_at, created_at, updated_at)
   select id, name, status, 'atelier', 'porcelain', email, 'SITES_1',
     lower(id || char(1, 1) || name || char(1, 1) || email || char(1, 1)), 1, 0, 0, 0
   from (select 'shop-' || i as id, 'o' || i || '@mail.example' as email,
       'Number ' || i || iif(i % (?3 / ${NEEDLE_COUNT}) = 0, ' ${NEEDLE}', '') as name,
       iif(i % 10 = 0, 'suspended', 'ready') as status from n)`,
  `insert into domains (domain, store_id, is_primary, is_fallback, verified_at, created_at)
   select 'shop-' || i || '.localhost', 'shop-' || i, 1, 1, 0, 0 from n where ?3 > 0`,
  `insert into usage_snapshots (store_id, period, counts, collected_at)
   select 'shop-' || i, '2026-09', json_object('products', i, 'staff_users', 1), 0 from n where ?3 > 0`,
  `insert into subscriptions (store_id, status, provider, created_at, updated_at)
   select 'shop-' || i, 'active', 'local', 0, 0 from n where i % 3 = 0 and ?3 > 0`,
]

/**
 * Inserts stores, a tenth of them suspended, a third with a subscription.
 * @param total number of stores; a multiple of ten
 */
export async function makeManyStores(database: Database, total: number): Promise<void> {
  for (let first = 1; first <= total; first += ROWS_PER_STATEMENT) {
    const last = Math.min(total, first + ROWS_PER_STATEMENT - 1)
    for (const statement of STATEMENTS) {
      const numbers = "with recursive n(i) as (select cast(?1 as integer) union all select i + 1 from n where i < ?2)"
      const sql = statement.replace(/^(insert into [^)]+\))/, `$1 ${numbers}`)
      await database.prepare(sql).bind(first, last, total).run()
    }
  }
}
