// The raw baseline of the hot reads: the same Durable Object and database calls and the same log line as the platform,
// hand-written without libraries or checks.
import type { Bucket } from "./bare"

interface Env {
  DB: D1Database
  SITES_1: D1Database
  BUCKET: DurableObjectNamespace<Bucket>
}

/** Path prefix of the raw handlers in the bare Worker. */
export const RAW_PATH = "/raw/"

const SELECT_STORE = `select * from stores
  left join subscriptions on subscriptions.store_id = stores.id
  left join usage_snapshots on usage_snapshots.store_id = stores.id
  left join domains on domains.store_id = stores.id and domains.is_primary = 1`

const SELECT_STORE_BY_HOST = `select *, stores.id as site from domains
  join stores on stores.id = domains.store_id
  left join subscriptions on subscriptions.store_id = stores.id
  left join site_settings on site_settings.site_id = stores.id
  where domains.domain = ?`

/** Posts whose date of publication is still to come. `?2` is the time. */
const SCHEDULED = "from posts where site_id = ?1 and published_at > updated_at and published_at > ?2"

const IS_LISTED = `site_id = ?1 and status = 'published' and id not in (select id ${SCHEDULED})`

const NEWEST_FIRST = "order by created_at desc, id desc"

const SELECT_POST_IDS = `select id from posts where ${IS_LISTED} ${NEWEST_FIRST} limit 10`

/** Columns that the platform reads for a post in a list. */
const POST_COLUMNS =
  "id, slug, name, description, image, status, is_featured, author_id, published_at, created_at, updated_at"

const selectRelated = (noun: string, key: string, table: string, ids: string) =>
  `select r.post_id, c.id, c.name, c.slug, c.description from ${table} r cross join ${noun} c
   where r.site_id = ?1 and r.post_id in (${ids}) and c.id = r.${key} order by c.name_key, c.id`

const SELECT_POSTS_TOTAL = `select coalesce((select total from counters
  where site_id = ?1 and list = 'posts' and filter = 'published'), 0) - (select count(*) ${SCHEDULED} and status = 'published') as total`

const SELECT_VERSION = `select coalesce((select total from counters where site_id = ?1 and list = 'version' and filter = ''), 0)
  || coalesce('-' || (select max(published_at) from posts
    where site_id = ?1 and published_at > updated_at and published_at <= ?2), '') as version`

const IS_POST = `site_id = ?1 and slug = ?3 and status = 'published' and (published_at is null or published_at <= ?2)`

const SELECT_POST_ID = `select id from posts where ${IS_POST}`

/** Statements by resource; `?1` is the site, `?2` the time, `?3` the slug. */
const SITE_STATEMENTS: Record<string, string[]> = {
  posts: [
    SELECT_POSTS_TOTAL,
    `select ${POST_COLUMNS} from posts where id in (${SELECT_POST_IDS}) ${NEWEST_FIRST}`,
    selectRelated("categories", "category_id", "post_categories", SELECT_POST_IDS),
    selectRelated("tags", "tag_id", "post_tags", SELECT_POST_IDS),
    SELECT_VERSION,
  ],
  post: [
    `select ${POST_COLUMNS}, content from posts where ${IS_POST}`,
    selectRelated("categories", "category_id", "post_categories", SELECT_POST_ID),
    selectRelated("tags", "tag_id", "post_tags", SELECT_POST_ID),
    SELECT_VERSION,
  ],
  home: [
    "select slug, name from pages where site_id = ?1 and status = 'published' order by id limit 20",
    SELECT_POSTS_TOTAL,
    "select * from products where site_id = ?1 and status = 'published' order by created_at desc, id desc limit 8",
    `select id, slug, name, description, image, coalesce(published_at, created_at) as appeared_at from posts
      where ${IS_LISTED} ${NEWEST_FIRST} limit 3`,
    SELECT_VERSION,
  ],
}

const SELECT_LICENSE_MATCH = `select * from licenses join license_products on license_products.id = licenses.product_id
  left join license_activations on license_activations.license_id = licenses.id and license_activations.is_active = 1
    and license_activations.domain = ?2 where licenses.code_key = ?1 limit 1`

async function sha256(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex()
}

const takeBudget = (env: Env, name: string) => env.BUCKET.get(env.BUCKET.idFromName(name)).take()

/** Looks up the API key in parallel with the rate limits. */
async function isKnownKey(env: Env, table: string, key: string, budgets: string[]): Promise<boolean> {
  const hash = await sha256(key)
  const lookup = env.DB.prepare(`select * from ${table} where hash = ?`).bind(hash).first()
  await Promise.all([lookup, ...budgets.map((name) => takeBudget(env, name))])
  return (await lookup) !== null
}

const runBatch = (database: D1Database | D1DatabaseSession, statements: [sql: string, ...values: unknown[]][]) =>
  database.batch(statements.map(([sql, ...values]) => database.prepare(sql).bind(...values)))

/** The control plane: `stores`, `stores?q=…`, `stores/<id>`. */
async function handleStores(env: Env, url: URL, headers: Headers): Promise<Response> {
  const key = headers.get("Authorization")?.slice("Bearer ".length) ?? ""
  const address = headers.get("CF-Connecting-IP") ?? ""
  if (!(await isKnownKey(env, "api_keys", key, [`key:${key}`, address]))) return new Response(null, { status: 401 })
  const id = url.pathname.split("/")[3]
  if (id) return Response.json({ data: await env.DB.prepare(`${SELECT_STORE} where stores.id = ?`).bind(id).first() })
  const q = url.searchParams.get("q")
  const found = "(select rowid from stores_search where stores_search match ?1)"
  const [counts, rows] = q
    ? await runBatch(env.DB, [
        [`select count(*) as total from stores where seq in ${found}`, `"${q}"`],
        [
          `${SELECT_STORE} where seq in (select seq from stores where seq in ${found} order by seq desc limit 30) order by seq desc`,
          `"${q}"`,
        ],
      ])
    : await runBatch(env.DB, [
        ["select total from counters where list = 'stores' and filter = ''"],
        [`${SELECT_STORE} where seq in (select seq from stores order by seq desc limit 30) order by seq desc`],
      ])
  return Response.json({ data: rows?.results, total: counts?.results[0] })
}

/** Public reads of a store's host: `posts`, `post/<slug>`, `home`. */
async function handleSite(env: Env, what: string, slug: string | undefined, host: string): Promise<Response> {
  const site = await env.DB.withSession("first-unconstrained").prepare(SELECT_STORE_BY_HOST).bind(host).first()
  const id = site?.site
  const statements = SITE_STATEMENTS[what]
  if (!id || !statements) return new Response(null, { status: 404 })
  const session = env.SITES_1.withSession("first-unconstrained")
  const answers = await runBatch(
    session,
    statements.map((sql) => [
      sql,
      ...[id, Date.now(), slug].slice(0, sql.includes("?3") ? 3 : sql.includes("?2") ? 2 : 1),
    ]),
  )
  const rows = answers.map(({ results }) => results as Record<string, unknown>[])
  if (what !== "home") return Response.json(rows)
  const items = rows
    .flat()
    .map(({ slug, name, image }) => `<li><a href="/${slug}">${name}</a><img src="${image}"></li>`)
  const html = `<!doctype html><title>${site?.name}</title><ul>${items.join("")}</ul>`
  return new Response(html, {
    headers: { "Content-Type": "text/html; charset=utf-8", ETag: `"${await sha256(html)}"` },
  })
}

/** `POST verify`, of a license by its code. */
async function handleVerify(env: Env, request: Request): Promise<Response> {
  const key = request.headers.get("X-API-KEY") ?? ""
  if (!(await isKnownKey(env, "license_keys", key, [request.headers.get("CF-Connecting-IP") ?? ""])))
    return new Response(null, { status: 401 })
  const { product_id, license_code } = await request.json<{ product_id: string; license_code: string }>()
  const domain = new URL(request.headers.get("X-API-URL") ?? "").hostname
  const [products, matches] = await runBatch(env.DB, [
    ["select * from license_products where reference_id = ?", product_id],
    [SELECT_LICENSE_MATCH, license_code.toLowerCase(), domain],
  ])
  return Response.json({ product: products?.results[0], holding: matches?.results[0] })
}

/** Handles `/raw/stores`, `/raw/posts`, `/raw/home` etc.; `/raw/constant` returns a constant. */
export async function handleRaw(request: Request, env: Env): Promise<Response> {
  const url = new URL(request.url)
  const [, , resource = "", slug] = url.pathname.split("/")
  if (resource === "constant") return new Response("ok")
  const answer =
    resource === "stores"
      ? await handleStores(env, url, request.headers)
      : resource === "verify"
        ? await handleVerify(env, request)
        : await handleSite(env, resource, slug, url.hostname)
  console.log(JSON.stringify({ level: "info", method: request.method, route: resource, status: answer.status }))
  return answer
}
