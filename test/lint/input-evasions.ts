// More violations, of the rules about the environment, SQL, requests, input and output. Each rule's variants share the
// legal counterpart.
import type { Rule } from "./cases.ts"
import { vary } from "./vary.ts"

const SERVICE = "src/platform/*/service.ts"
const CONTENT = "src/content/*/service.ts"
const PAGE = "src/console/pages/*.tsx"
const CTX = 'import type { Ctx } from "../../core/context"\n'
const REQUEST = 'import type { Context } from "hono"\n'
const POSTS = 'import { posts } from "../../db/schema/sites/posts"\n'
const SQL = 'import { sql } from "drizzle-orm"\n'

const ROUTES = `import type { PlatformEnv } from "../../core/http/platform-env"
import { describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
`

const APP_ROUTES = `import * as z from "zod"
import { sendData } from "../../../content/envelope"
import { appUser } from "../../../content/mount-apps"
import { dataEnvelope } from "../../../content/response-schemas"
import type { ContentEnv } from "../../../content/types"
import { describe } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
export const callers = [appUser]
export const routes = createRouter<ContentEnv>().post(
  "/x",
  describe({ id: "x.make", summary: "Make x", responses: { status: 200, body: dataEnvelope(z.null()) } }),`

export const INPUT_EVASIONS: Rule[] = [
  vary(
    {
      rule: "a binding is used through the module that owns it",
      by: "lint",
      file: SERVICE,
      legal: `${CTX}import { settingsOf } from "../../env"
export function run(ctx: Ctx) {
  const { env } = ctx
  return [settingsOf(env), { ...ctx, env }]
}`,
      error: "the environment is only passed on",
    },
    `${CTX}export const run = (ctx: Ctx) => Object.values(ctx.env)`,
    `${CTX}export const run = ({ env }: Ctx) => Object.entries(env)`,
    `${CTX}export const run = (ctx: Ctx) => ({ ...ctx.env })`,
    `${CTX}export function run({ env }: Ctx) {
  const { ...bindings } = env
  return bindings
}`,
    `${CTX}export const run = ({ env: { ...bindings } }: Ctx) => bindings`,
    `${CTX}export function run(ctx: Ctx) {
  const bindings = ctx.env
  return bindings
}`,
    `${CTX}export const run = ({ env }: Ctx) => ("MEDIA" in env ? env.MEDIA : null)`,
    `${CTX}const hasMedia = (env: object): env is { MEDIA: { delete(key: string): unknown } } => "MEDIA" in env
export const run = (ctx: Ctx) => hasMedia(ctx.env) && ctx.env.MEDIA.delete("a")`,
    `${CTX}export const run = (ctx: Ctx, name: string) => ctx.env[name as never]`,
    `export const run = () => (import.meta as ImportMeta & { env: { APP_KEY: string } }).env.APP_KEY`,
  ),
  vary(
    {
      rule: "every statement on a site database names its site",
      by: "lint",
      file: CONTENT,
      legal: `${SQL}import type { SiteDatabase } from "../../db/client"
${POSTS}export const run = (db: SiteDatabase, site: string) =>
  db.select({ count: sql\`(select count(*) from \${posts} where \${posts.siteId} = \${site})\` }).from(posts).limit(9)`,
      error: "SQL has a condition on it",
    },
    `${SQL}${POSTS}export const count = sql\`(select count(*) from \${posts})\``,
    `${SQL}${POSTS}export const slug = (id: number) => sql\`(select slug from \${posts} where \${posts.id} = \${id})\``,
    `${SQL}${POSTS}export const run = (id: number) => sql\`update \${posts} set name = '' where \${posts.id} = \${id}\``,
  ),
  vary(
    {
      rule: "every statement on a site database names its site",
      by: "lint",
      file: CONTENT,
      legal: `${SQL}export const one = sql\`select value from json_each('[1]')\``,
      error: "SQL names site tables by their declarations",
    },
    `${SQL}export const run = (id: number) => sql\`delete from posts where id = \${id}\``,
    `${SQL}export const run = (id: number) => sql\`select * from "users" join user_tokens on user_id = \${id}\``,
    `${SQL}import type { SiteDatabase } from "../../db/client"
export const run = (db: SiteDatabase) => db.select({ id: sql<number>\`id\` }).from(sql\`posts\`)`,
  ),
  vary(
    {
      rule: "every statement on a site database names its site",
      by: "lint",
      file: CONTENT,
      legal: `import { eq } from "drizzle-orm"
${POSTS}import { inSite } from "../../db/site-scope"
export const run = (site: string, id: number) => inSite(site).remove(posts).where(eq(posts.id, id))`,
      error: "writes are built",
    },
    `${SQL}${POSTS}import { writeSql } from "../../db/write"
export const run = (id: number) => writeSql(sql\`delete from \${posts} where \${posts.id} = \${id}\`)`,
  ),
  vary(
    {
      rule: "every statement on a site database names its site",
      by: "lint",
      file: CONTENT,
      legal: `import type { SiteDatabase } from "../../db/client"
${POSTS}export const run = (db: SiteDatabase) => db.select().from(posts).limit(9)`,
      error: "a table keeps its own type",
    },
    `import type { SQLiteTable } from "drizzle-orm/sqlite-core"
${CTX}${POSTS}const table: SQLiteTable = posts
export const run = (ctx: Ctx) => ctx.db.select().from(table)`,
    `import { eq } from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"
${POSTS}import { remove } from "../../db/write"
export const run = () => remove(posts as SQLiteTable).where(eq(posts.id, 1))`,
    `${CTX}${POSTS}import type { CentralTable } from "../../db/schema/site-table"
const centralOf = (table: unknown) => table as CentralTable
export const run = (ctx: Ctx) => ctx.db.select().from(centralOf(posts))`,
  ),
  vary(
    {
      rule: "every statement on a site database names its site",
      by: "lint",
      file: CONTENT,
      legal: `${CTX}import { siteDatabase } from "../../db/client"
export const run = (ctx: Ctx, site: string) => siteDatabase(ctx.env, "SITES_1", site)`,
      error: "only maintenance works across sites",
    },
    `${CTX}import { siteDatabase } from "../../db/client"
import { acrossSites } from "../../db/site-scope"
export const run = (ctx: Ctx) => siteDatabase(ctx.env, "SITES_1", acrossSites("usage_counts"))`,
  ),
  vary(
    {
      rule: "SQL has no values in its text",
      by: "lint",
      file: "src/db/*.ts",
      legal: `export const run = (database: D1Database, name: string) =>
  database.prepare("select * from stores where name = ?").bind(name).all()`,
      error: "SQL is text without values",
    },
    `export const run = (database: D1Database, name: string) =>
  database.prepare("select * from stores where name = '" + name + "'").all()`,
    `export const run = (database: D1Database, name: string) =>
  database.prepare(\`select * from stores where name = '\${name}'\`).all()`,
    `${SQL}export const run = (name: string) => sql.raw(\`name = '\${name}'\`)`,
  ),
  vary(
    {
      rule: "request bodies are read by core/http/body",
      by: "lint",
      file: PAGE,
      legal: `${REQUEST}export function run(c: Context) {
  const { method, url } = c.req
  const request = c.req.raw
  return [method, url, request.headers]
}`,
      error: "a request keeps its name",
    },
    `${REQUEST}export function run(c: Context) {
  const incoming = c.req.raw
  return incoming.text()
}`,
    `${REQUEST}export function run(c: Context) {
  const r = c.req
  return r.json()
}`,
    `${REQUEST}export function run(c: Context) {
  const { json } = c.req
  return json()
}`,
    `${REQUEST}export const run = ({ req: { raw } }: Context) => raw.arrayBuffer()`,
    `${REQUEST}export function run(c: Context) {
  const { body } = c.req.raw
  return new Response(body).text()
}`,
    `${REQUEST}export const run = (c: Context) => new Request(c.req.raw).json()`,
    `export const run = (incoming: Request) => incoming.json()`,
    `export const run = (incoming: Request) => incoming.body?.getReader()`,
  ),
  vary(
    {
      rule: "every route of the content API and of apps names its caller",
      by: "lint",
      file: "src/apps/galleries/*/routes.ts",
      legal: `${APP_ROUTES}
  appUser,
  (c) => sendData(c, null),
)`,
      error: "names its caller",
    },
    `${APP_ROUTES}
  (c) => sendData(c, null),
)`,
  ),
  vary(
    {
      rule: "JSON from outside is checked by a schema",
      by: "lint",
      file: SERVICE,
      legal: `import * as z from "zod"
const Sale = z.object({ id: z.string() })
export const run = (text: string) => Sale.parse(JSON.parse(text))
export function read(text: string): unknown {
  return JSON.parse(text)
}
export async function load(response: Response) {
  const value: unknown = await response.json()
  return Sale.parse(value)
}`,
      error: "JSON from outside is checked by a schema",
    },
    `export const run = (text: string) => JSON.parse(text) as { id: string }`,
    `export const run = (text: string): { id: string } => JSON.parse(text)`,
    `export function run(text: string) {
  const value: { id: string } = JSON.parse(text)
  return value.id
}`,
    `export const run = (text: string): string => JSON.parse(text).id`,
    `export const run = async (response: Response) => (await response.json()) as { id: string }`,
    `export const run = (response: Response) => response.json<{ id: string }>()`,
    `import type { JobMessage } from "../../core/queue/messages"
export const run = (message: Message) => message.body as JobMessage`,
    `import type { JobMessage } from "../../core/queue/messages"
export const run = (batch: MessageBatch<JobMessage>) => batch.messages.map(({ body }) => body.job)`,
    `${REQUEST}export const run = (c: Context) => c.req.param("kind") as "active" | "deleted"`,
  ),
  vary(
    {
      rule: "the query of a route is checked by a schema",
      by: "lint",
      file: "src/platform/*/routes.ts",
      legal: `import * as z from "zod"
${ROUTES.replace("{ describe }", "{ describe, query }")}export const routes = createRouter<PlatformEnv>().get(
  "/x",
  describe({ id: "x.read", summary: "Read x", responses: { status: 200, file: "text/plain" } }),
  query(z.object({ q: z.string() })),
  (c) => c.text(c.req.valid("query").q),
)`,
      error: "the query of a route is checked by a schema",
    },
    `${ROUTES}export const routes = createRouter<PlatformEnv>().get(
  "/x",
  describe({ id: "x.read", summary: "Read x", responses: { status: 200, file: "text/plain" } }),
  (c) => c.text(c.req.query("q") ?? ""),
)`,
  ),
  vary(
    {
      rule: "routes, jobs and console pages call services, never the database",
      by: "lint",
      file: "src/platform/*/routes.ts",
      legal: `import { savePlan } from "../plans/service"
export const run = savePlan`,
      error: "routes",
    },
    `import { writeUnaudited } from "../../core/write/commit"
export const run = writeUnaudited`,
    `${SQL}export const run = sql\`select 1\``,
    `import { commitSite } from "../../core/write/site-commit"
export const run = commitSite`,
  ),
  vary(
    {
      rule: "errors are Refusals with a code",
      by: "lint",
      file: "src/platform/*/routes.ts",
      legal: `${REQUEST}import { Refusal } from "../../core/http/refusal"
export function run(c: Context, isKnown: boolean) {
  if (!isKnown) throw new Refusal("not_found")
  return c.json({ data: null }, 201)
}`,
      error: "errors are Refusals with a code",
    },
    `${REQUEST}export const run = (c: Context) => c.json({ error: "not found" }, 404)`,
    `${REQUEST}export const run = (c: Context) => c.text("not found", 404)`,
    `${REQUEST}export function run(c: Context) {
  c.status(404)
  return c.json({ error: "not found" })
}`,
    `export const run = () => new Response("not found", { status: 404 })`,
  ),
  vary(
    {
      rule: "errors are Refusals with a code",
      by: "biome",
      file: SERVICE,
      legal: `import { Refusal } from "../../core/http/refusal"
export const run = () => {
  throw new Refusal("not_found")
}`,
      error: "useThrowOnlyError",
    },
    `export const run = () => {
  throw "not found"
}`,
    `export const run = () => {
  throw { status: 404 }
}`,
  ),
  vary(
    {
      rule: "errors are not swallowed",
      by: "biome",
      file: SERVICE,
      legal: `${CTX}export async function run(ctx: Ctx, work: () => Promise<void>) {
  try {
    await work()
  } catch (cause) {
    ctx.log.error("the work failed", cause)
  }
}`,
      error: "noEmptyBlockStatements",
    },
    `export async function run(work: () => Promise<void>) {
  try {
    await work()
  } catch {}
}`,
    `export const run = (work: () => Promise<void>) => work().catch(() => {})`,
  ),
  vary(
    {
      rule: "types are not turned off",
      by: "biome",
      file: SERVICE,
      legal: `export const run = (work: () => number) => work()`,
      error: "noBannedTypes",
    },
    `export const run = (work: Function) => work()`,
    `export const run = (value: {}) => value`,
  ),
  vary(
    {
      rule: "types are not turned off",
      by: "biome",
      file: SERVICE,
      legal: `export const run = (value: string | null) => value?.length ?? 0`,
      error: "no",
    },
    `export const run = (value: string | null) => value!.length`,
    `export const run = (value: any) => value.name`,
  ),
  vary(
    {
      rule: "secrets are compared in constant time, or by a query",
      by: "lint",
      file: SERVICE,
      legal: `import { equalSecrets } from "../../lib/hash"
export const run = (token: string | null, expected: string) => token !== null && equalSecrets(token, expected)`,
      error: "secrets are compared in constant time",
    },
    `export const run = (secret: string, given: string) => secret === given`,
    `${CTX}export const run = (ctx: Ctx, given: string) => given === ctx.settings.OPERATOR_TOKEN`,
    `export const run = (signature: string, expected: string) => signature !== expected`,
    `export const run = (user: { passwordHash: string }, given: string) => given === user.passwordHash`,
  ),
  vary(
    {
      rule: "hashes are SHA-256",
      by: "lint",
      file: SERVICE,
      legal: `import { sha256 } from "../../lib/hash"
export const run = (text: string) => sha256(text)`,
      error: "hashes are SHA-256",
    },
    `export const run = (data: Uint8Array<ArrayBuffer>) => crypto.subtle.digest("MD5", data)`,
    `export const run = (data: Uint8Array<ArrayBuffer>) => crypto.subtle.digest("SHA-1", data)`,
  ),
  vary(
    {
      rule: "cookies are set by the modules of sessions",
      by: "lint",
      file: "src/console/pages/*.ts",
      legal: `${REQUEST}import { getCookie } from "hono/cookie"
export const run = (c: Context) => getCookie(c, "a")`,
      error: "cookies are set by the modules of sessions",
    },
    `${REQUEST}import { setCookie } from "hono/cookie"
export const run = (c: Context) => setCookie(c, "a", "b")`,
    `${REQUEST}export const run = (c: Context) => c.header("Set-Cookie", "a=b")`,
    `export const run = () => ({ "set-cookie": "a=b" })`,
  ),
  vary(
    {
      rule: "another origin reads what the content API, the documentation and the status page allow",
      by: "lint",
      file: "src/console/pages/*.ts",
      legal: `${REQUEST}export const run = (c: Context) => c.header("Cache-Control", "no-store")`,
      error: "another origin reads",
    },
    `${REQUEST}export const run = (c: Context) => c.header("Access-Control-Allow-Origin", "*")`,
  ),
  vary(
    {
      rule: "a redirect goes to a path of ours",
      by: "lint",
      file: "src/console/pages/*.ts",
      legal: `${REQUEST}export const run = (c: Context) => c.redirect("/console", 303)`,
      error: "a redirect goes to a path of ours",
    },
    `${REQUEST}export const run = (c: Context) => c.redirect(c.req.query("next") ?? "/")`,
    `${REQUEST}export const run = (c: Context) => c.redirect(c.req.header("Referer") || "/", 303)`,
    `${REQUEST}export function run(c: Context) {
  const next = c.req.query("next") ?? "/console"
  return c.redirect(next)
}`,
    `${REQUEST}export const run = (c: Context) => c.redirect(\`\${c.req.query("next")}\`)`,
    `${REQUEST}export const run = (c: Context) => c.redirect(c.req.query("next") + "?done=saved")`,
  ),
  vary(
    {
      rule: "text is escaped",
      by: "lint",
      file: PAGE,
      legal: `export const Name = ({ name }: { name: string }) => (
  <button type="submit" class="plain">
    {name}
  </button>
)`,
      error: "text is escaped",
    },
    `export const Name = ({ name }: { name: string }) => <script>{\`show("\${name}")\`}</script>`,
    `export const Name = () => (
  <button type="button" onclick="alert(1)">
    x
  </button>
)`,
    `export const run = (element: { innerHTML: string }, text: string) => {
  element.innerHTML = text
}`,
  ),
  vary(
    {
      rule: "text is escaped",
      by: "lint",
      file: "src/page-kit/client/*.ts",
      legal: `export const run = (element: Element, text: string) => {
  element.textContent = text
}`,
      error: "text is escaped",
    },
    `export const run = (element: Element, text: string) => {
  element.innerHTML = text
}`,
    `export const run = (element: Element, text: string) => element.insertAdjacentHTML("beforeend", text)`,
  ),
  vary(
    {
      rule: "requests leave through core/outbound",
      by: "lint",
      file: SERVICE,
      legal: `import { fetchOutbound, type OutboundUrl } from "../../core/outbound/fetch"
export const run = (url: OutboundUrl) => fetchOutbound(url, { signal: AbortSignal.timeout(1_000) })`,
      error: "requests leave through core/outbound",
    },
    `export const run = (service: { fetch(request: Request): Promise<Response> }, url: string) =>
  service.fetch(new Request(url))`,
  ),
  vary(
    {
      rule: "a response of another server is read up to a limit",
      by: "lint",
      file: SERVICE,
      legal: `import { fetchOutbound, type OutboundUrl } from "../../core/outbound/fetch"
import { readBoundedText } from "../../lib/read-text"
export const run = async (url: OutboundUrl) =>
  readBoundedText(await fetchOutbound(url, { signal: AbortSignal.timeout(1_000) }), 1_000)`,
      error: "a response of another server is read up to a limit",
    },
    `import { fetchOutbound, type OutboundUrl } from "../../core/outbound/fetch"
export const run = async (url: OutboundUrl) =>
  (await fetchOutbound(url, { signal: AbortSignal.timeout(1_000) })).text()`,
  ),
  vary(
    {
      rule: "a regular expression comes from the source",
      by: "lint",
      file: SERVICE,
      legal: `const LETTER = "[a-z]"
const PATTERN = new RegExp(\`^\${LETTER}+$\`)
export const run = (text: string) => PATTERN.test(text)`,
      error: "a regular expression comes from the source",
    },
    `export const run = (pattern: string, text: string) => new RegExp(pattern).test(text)`,
    `export const run = (pattern: string, text: string) => RegExp(pattern).test(text)`,
    `export const run = (name: string, text: string) => new RegExp(\`^\${name}$\`).test(text)`,
    `export const run = (name: string, text: string) => new RegExp("^" + name).test(text)`,
  ),
  vary(
    {
      rule: "rules are pure",
      by: "lint",
      file: "src/platform/*/rules.ts",
      legal: `import { addMs } from "../../lib/time"
export const run = (now: Date) => addMs(now, 1)`,
      error: "rules are pure",
    },
    `import { ulid } from "../../lib/ulid"
export const run = (now: Date) => ulid(now)`,
    `import { withDeadline } from "../../lib/deadline"
export const run = (work: Promise<void>) => withDeadline(1, work)`,
  ),
  vary(
    {
      rule: "rules are pure",
      by: "lint",
      file: "src/platform/*/rules.ts",
      legal: `export function run(store: { status: string }) {
  const next = { ...store, name: "" }
  next.status = "suspended"
  return next
}`,
      error: "rules are pure: they do not change their parameters",
    },
    `export function run(store: { status: string }) {
  store.status = "suspended"
}`,
    `export const run = ({ store }: { store: { hits: number } }) => store.hits++`,
  ),
  vary(
    {
      rule: "only a deadline sets a timer",
      by: "lint",
      file: SERVICE,
      legal: `export const run = (scheduled: number) => scheduled`,
      error: "globals are used by name",
    },
    `export const run = () => scheduler.wait(1_000)`,
  ),
  vary(
    {
      rule: "every test runs, exactly once",
      by: "lint",
      file: "test/platform/*.test.ts",
      legal: `import { expect, test } from "vitest"
test("adds", () => {
  expect(1 + 1).toBe(2)
})`,
      error: "every test runs, exactly once",
    },
    `import { expect, test } from "vitest"
test("adds", (context) => {
  context.skip()
  expect(1 + 1).toBe(2)
})`,
  ),
  vary(
    {
      rule: "imports follow the layers, and surfaces, apps, themes and pages are isolated",
      by: "lint",
      file: "src/apps/galleries/*.ts",
      legal: `export const load = () => import("../../core/http/refusal")`,
      error: "does not import this",
    },
    `import type { Product } from "../ecommerce/products/schemas"
export const run = (product: Product) => product`,
    `export { listProducts } from "../ecommerce/products/service"`,
    `export const run = (product: import("../ecommerce/products/schemas").Product) => product`,
    `import { listProducts } from "../../../src/apps/ecommerce/products/service"
export const run = listProducts`,
    `import "../ecommerce/products/service"`,
  ),
  vary(
    {
      rule: "imports follow the layers, and surfaces, apps, themes and pages are isolated",
      by: "lint",
      file: "src/apps/galleries/*.ts",
      legal: `export const load = () => import("../../core/http/refusal")`,
      error: "the path of a dynamic import is a literal",
    },
    `export const load = (app: string) => import(\`../\${app}/service\`)`,
    `const PATH = "../ecommerce/products/service"
export const load = () => import(PATH)`,
  ),
  vary(
    {
      rule: "every statement on a site database names its site",
      by: "lint",
      file: CONTENT,
      legal: `${CTX}import { stores } from "../../db/schema/central/stores"
export const run = (ctx: Ctx) => ctx.db.select().from(stores).limit(9)`,
      error: "tables of a site database are declared with siteTable",
    },
    `import { integer, sqliteTable } from "drizzle-orm/sqlite-core"
${CTX}const posts = sqliteTable("posts", { id: integer("id") })
export const run = (ctx: Ctx) => ctx.db.select().from(posts)`,
  ),
  vary(
    {
      rule: "every statement on a site database names its site",
      by: "lint",
      file: "src/db/schema/sites/*.ts",
      legal: `import { integer, primaryKey, text } from "drizzle-orm/sqlite-core"
import { siteTable } from "../site-table"
export const notes = siteTable(
  "notes",
  { siteId: text("site_id").notNull(), id: integer("id").notNull() },
  (table) => [primaryKey({ columns: [table.siteId, table.id] })],
)`,
      error: "tables of a site database are declared with siteTable",
    },
    `import { integer, sqliteTable } from "drizzle-orm/sqlite-core"
export const notes = sqliteTable("notes", { id: integer("id").primaryKey() })`,
  ),
  vary(
    {
      rule: "types are not turned off",
      by: "lint",
      file: "src/platform/*/schemas.ts",
      legal: `import * as z from "zod"
export const Create = z.object({ meta: z.unknown() })`,
      error: "types are not turned off",
    },
    `import * as z from "zod"
export const Create = z.object({ meta: z.any() })`,
  ),
  vary(
    {
      rule: "types are not cast away",
      by: "lint",
      file: SERVICE,
      legal: `${CTX}export const run = (ctx: Ctx) => ctx.db`,
      error: "types are not cast away",
    },
    `import type { CentralDatabase } from "../../db/client"
export const run = (database: object) => database as CentralDatabase`,
    `import type { Bindings } from "../../env"
export const run = (values: object) => values as Bindings`,
  ),
  vary(
    {
      rule: "errors are Refusals with a code",
      by: "lint",
      file: SERVICE,
      legal: `export const run = () => Response.json({ data: null }, { status: 201 })`,
      error: "errors are Refusals with a code",
    },
    `export const run = () => Response.json({ error: "not found" }, { status: 404 })`,
  ),
  vary(
    {
      rule: "mails go to an outbox",
      by: "lint",
      file: SERVICE,
      legal: `${CTX}import { enqueueMailRun } from "../../mails/outbox"
export const run = (ctx: Ctx) => enqueueMailRun(ctx)`,
      error: "mails go to an outbox",
    },
    `import { sendMail } from "../../core/mail/send"
export const run = sendMail`,
  ),
  vary(
    {
      rule: "jobs are sent with a lease",
      by: "lint",
      file: SERVICE,
      legal: `${CTX}import { enqueueJob } from "../../core/queue/leased-jobs"
export const run = (ctx: Ctx) => enqueueJob(ctx, { job: "mails" })`,
      error: "jobs are sent by core/queue/leased-jobs",
    },
    `import { sendJobMessage } from "../../core/queue/send"
export const run = sendJobMessage`,
  ),
  vary(
    {
      rule: "ciphers, signatures and hashes are those of lib and of the license manager's encryption",
      by: "lint",
      file: SERVICE,
      legal: `import { hmacSha256 } from "../../lib/hash"
export const run = hmacSha256`,
      error: "ciphers, signatures and hashes are those of lib",
    },
    `export const run = (key: CryptoKey, data: Uint8Array<ArrayBuffer>) => crypto.subtle.sign("HMAC", key, data)`,
    `const { subtle } = crypto
export const run = (key: CryptoKey, data: Uint8Array<ArrayBuffer>) => crypto.subtle.decrypt("AES-GCM", key, data) ?? subtle`,
  ),
  vary(
    {
      rule: "rules are pure",
      by: "lint",
      file: "src/platform/*/rules.ts",
      legal: `export const isOver = (now: Date, end: Date) => end < now`,
      error: "rules are pure: they receive values",
    },
    `${CTX}export const run = (ctx: Ctx) => ctx.settings.APP_NAME`,
    `import type { CentralDatabase } from "../../db/client"
export const run = (db: CentralDatabase) => db.select()`,
  ),
  vary(
    {
      rule: "services know no transport",
      by: "lint",
      file: SERVICE,
      legal: `${CTX}export const run = (ctx: Ctx) => ctx.address`,
      error: "only routers, middleware, responses and pages use Hono",
    },
    `${REQUEST}export const run = (c: Context) => c.req.path`,
  ),
  vary(
    {
      rule: "the client's address and the host are resolved by core/http",
      by: "lint",
      file: "src/platform/*/routes.ts",
      legal: `${REQUEST}import { clientAddress } from "../../core/http/http"
export const run = (c: Context) => [clientAddress(c), c.req.header("Accept-Language")]`,
      error: "resolved by core/http",
    },
    `${REQUEST}export const run = (c: Context) => c.req.header("X-Forwarded-For")`,
    `${REQUEST}export const run = (c: Context) => c.req.header("CF-Connecting-IP")`,
    `${REQUEST}export const run = (c: Context) => c.req.raw.headers.get("Host")`,
  ),
  vary(
    {
      rule: "a date's parts are those in UTC, or in a named time zone",
      by: "lint",
      file: SERVICE,
      legal: `export const run = (date: Date) => date.getUTCHours()`,
      error: "a date's parts are those in UTC",
    },
    `export const run = (date: Date) => date.getHours()`,
    `export const run = (date: Date) => date.setDate(1)`,
  ),
  vary(
    {
      rule: "only the folder of a card provider names it",
      by: "lint",
      file: SERVICE,
      legal: `import { CARD_PROVIDERS } from "../payments/providers"
export const run = CARD_PROVIDERS`,
      error: "only the folder of a card provider names it",
    },
    `import * as api from "../payments/stripe/api"
export const run = api`,
  ),
  vary(
    {
      rule: "every change has an audit entry, or one of the declared reasons for none",
      by: "lint",
      file: SERVICE,
      legal: `${CTX}import { auditEntries } from "../../db/schema/central/audit"
export const run = (ctx: Ctx) => ctx.db.select({ id: auditEntries.id }).from(auditEntries).limit(9)`,
      error: "only core/write adds audit entries",
    },
    `import { auditEntries } from "../../db/schema/central/audit"
import { insert } from "../../db/write"
export const run = () => insert(auditEntries)`,
    `import { eq } from "drizzle-orm"
import { auditEntries } from "../../db/schema/central/audit"
import { remove } from "../../db/write"
export const run = (id: number) => remove(auditEntries).where(eq(auditEntries.id, id))`,
  ),
]
