// More violations, behind a helper, a constant, a list or another name. Each rule's variants share the legal
// counterpart.
import type { Rule } from "./cases.ts"
import { vary } from "./vary.ts"

const SERVICE = "src/platform/*/service.ts"
const CONTENT = "src/content/*/service.ts"
const RULES_FILE = "src/platform/*/rules.ts"
const PAGE = "src/console/pages/*.ts"
const TEST = "test/platform/*.test.ts"
const CTX = 'import type { Ctx } from "../../core/context"\n'
const REQUEST = 'import type { Context } from "hono"\n'
const VITEST = 'import { expect, test } from "vitest"\n'
const READS = `import { eq } from "drizzle-orm"
${CTX}import { stores } from "../../db/schema/central/stores"
`
const COMMITS = `import { stores } from "../../db/schema/central/stores"
${CTX}import { commit } from "../../core/write/commit"
`
const REMOVAL = `import { eq } from "drizzle-orm"
import { stores } from "../../db/schema/central/stores"
import { remove } from "../../db/write"
const buildRemoval = (id: string) => remove(stores).where(eq(stores.id, id))
`
const SURFACE = `import type { PlatformEnv } from "../../core/http/platform-env"
import { Refusal } from "../../core/http/refusal"
import { createSurface } from "../../core/http/surface"
export const refuse = () => new Refusal("not_found")
export const app = createSurface<PlatformEnv, never>({
  name: "x",
  maxBody: null,
  codes: { not_found: 404, method_not_allowed: 405, temporarily_unavailable: 503, server_error: 500 },
  refuse: (c) => c.text("error"),
`

export const INDIRECT_EVASIONS: Rule[] = [
  vary(
    {
      rule: "types are not cast away",
      by: "lint",
      file: SERVICE,
      legal: `import type { Write } from "../../db/write"
type Step = { name: string; write: Write }
const first = <T>(list: readonly T[]): T | undefined => list[0]
export const run = (steps: Step[]) => first(steps)?.write`,
      error: "types are not cast away",
    },
    `import type { Write } from "../../db/write"
const cast = <T>(value: unknown): T => value as T
export const run = (value: object) => cast<Write>(value)`,
    `import type { Write } from "../../db/write"
type Step = Write
export const run = (value: object) => value as Step`,
    `import type { Write } from "../../db/write"
export const run = (values: object[]) => values as Write[]`,
    `import type { Change } from "../../core/write/commit"
export const run = (guard: object) => ({ guard }) as Change`,
    `import type { Write } from "../../db/write"
export const isWrites = (values: object[]): values is Write[] => values.length > 0`,
  ),
  vary(
    {
      rule: "types are not cast away",
      by: "lint",
      file: SERVICE,
      legal: `import type { OutboundUrl } from "../../core/outbound/fetch"
export const run = (url: OutboundUrl) => url.length`,
      error: "lint rules know the exports of this module by their names",
    },
    `import type { OutboundUrl as Link } from "../../core/outbound/fetch"
export const run = (url: string) => url as Link`,
  ),
  vary(
    {
      rule: "types are not turned off",
      by: "lint",
      file: "src/license/*/messages.ts",
      legal: `export type MessageCode = "a"
declare module "../../core/http/refusal" {
  interface UnusedMessages {
    code: MessageCode
  }
}`,
      error: "types are not turned off",
    },
    `declare module "../../core/log" {
  interface UnusedFields {
    owner_email?: string
  }
}
export const name = "log"`,
    `declare global {
  interface UnusedGlobal {
    name: string
  }
}
export const name = "global"`,
  ),
  vary(
    {
      rule: "a write is passed to a writer",
      by: "lint",
      file: SERVICE,
      legal: `${REMOVAL}export const run = (ids: string[]) => ids.map((id) => buildRemoval(id))`,
      error: "a write is a value that only a writer runs",
    },
    `${REMOVAL}export function run(id: string) {
  buildRemoval(id)
}`,
    `${REMOVAL}export async function run(ids: string[]) {
  for (const id of ids) await buildRemoval(id)
}`,
    `import { isPlanUnchanged } from "../plans/service"
${REMOVAL}function chooseRemoval(id: string) {
  if (id) return buildRemoval(id)
  return remove(stores).where(eq(stores.name, ""))
}
export function run(id: string) {
  chooseRemoval(id)
  return isPlanUnchanged
}`,
  ),
  vary(
    {
      rule: "a write is passed to a writer",
      by: "biome",
      file: SERVICE,
      legal: `${REMOVAL}export const run = (id: string) => buildRemoval(id)`,
      error: "useAwaitThenable",
    },
    `${REMOVAL}export async function run(id: string) {
  await buildRemoval(id)
}`,
  ),
  vary(
    {
      rule: "state of a module is declared with isolateState",
      by: "lint",
      file: SERVICE,
      legal: `${CTX}import { createOutboundSemaphore } from "../../core/context"
import { createResultCache } from "../../core/result-cache"
const cache = createResultCache<number>(1_000)
export const run = (ctx: Ctx) => [createOutboundSemaphore(), cache(ctx.env, async () => 1)]`,
      error: "state of a module is declared with isolateState",
    },
    `import { createOutboundSemaphore } from "../../core/context"
const slots = createOutboundSemaphore()
export const run = () => slots`,
    `import { createOutboundSemaphore } from "../../core/context"
export const SEMAPHORES = { outbound: createOutboundSemaphore() }`,
  ),
  vary(
    {
      rule: "rules are pure",
      by: "lint",
      file: RULES_FILE,
      legal: `export function run(lines: readonly { price: number }[]) {
  const prices: number[] = []
  for (const { price } of lines) prices.push(price)
  return prices
}`,
      error: "rules are pure: they do not change their parameters",
    },
    `export function run(lines: string[]) {
  lines.push("shipping")
  return lines
}`,
    `export function run(lines: { price: number }[]) {
  for (const line of lines) line.price = 0
}`,
    `export function run(member: { role: string }) {
  const target = member
  target.role = "owner"
}`,
  ),
  vary(
    {
      rule: "rules are pure",
      by: "lint",
      file: RULES_FILE,
      legal: `export const run = (ids: string[], isListed: (id: string) => boolean) => ids.filter(isListed)`,
      error: "rules are pure: they return decisions",
    },
    `export const run = (id: string, save: (id: string) => void) => save(id)`,
    `export const run = (id: string, load: (id: string) => Promise<string>) => load(id)`,
    `export const run = (log: { info(message: string): void }) => log.info("decided")`,
  ),
  vary(
    {
      rule: "no query per item",
      by: "lint",
      file: CONTENT,
      legal: `${READS}import { batch } from "../../db/client"
const select = (ctx: Ctx, id: string) => ctx.db.select().from(stores).where(eq(stores.id, id)).limit(1)
export function run(ctx: Ctx, ids: string[]) {
  const reads = []
  for (const id of ids) reads.push(select(ctx, id))
  return batch(ctx.db, reads)
}`,
      error: "no query per item",
    },
    `${READS}const select = (ctx: Ctx, id: string) => ctx.db.select().from(stores).where(eq(stores.id, id)).limit(1)
export function run(ctx: Ctx, ids: string[]) {
  const reads: PromiseLike<unknown>[] = []
  for (const id of ids) reads.push(select(ctx, id))
  return Promise.all(reads)
}`,
    `${READS}export async function run(ctx: Ctx, ids: string[]) {
  const rows = []
  const reads = ids.map((id) => ctx.db.select().from(stores).where(eq(stores.id, id)).limit(1))
  for await (const row of reads) rows.push(row)
  return rows
}`,
  ),
  vary(
    {
      rule: "a query has a condition or a limit",
      by: "lint",
      file: "src/platform/*/queries.ts",
      legal: `import { prepareRead } from "../../db/prepared"
import { stores } from "../../db/schema/central/stores"
export const selectStores = prepareRead<{ id: string }, object>((db) => db.select({ id: stores.id }).from(stores).limit(9))`,
      error: "a query has a condition or a limit",
    },
    `import { prepareRead } from "../../db/prepared"
import { stores } from "../../db/schema/central/stores"
export const selectStores = prepareRead<{ id: string }, object>((db) => db.select({ id: stores.id }).from(stores))`,
    `import type { CentralDatabase } from "../../db/client"
import { stores } from "../../db/schema/central/stores"
export const list = (db: CentralDatabase) => db.select({ id: stores.id }).from(stores).all()`,
  ),
  vary(
    {
      rule: "a query has a condition or a limit",
      by: "lint",
      file: "src/apps/galleries/*.ts",
      legal: `import { and, count, eq, isNull } from "drizzle-orm"
import type { ContentSite } from "../../content/site"
import type { SiteDatabase } from "../../db/client"
import { prepareSiteRead } from "../../db/prepared"
import { pushAccounts } from "../../db/schema/sites/push"
import { users } from "../../db/schema/sites/users"
import { galleries } from "./tables"
export const list = ({ db }: ContentSite) => db.select().from(galleries).limit(9)
export const find = ({ db, id }: ContentSite) =>
  db.select().from(galleries).where(and(eq(galleries.siteId, id), eq(galleries.id, 1)))
export const account = (db: SiteDatabase) => db.select().from(pushAccounts)
export const selectUsers = (db: SiteDatabase) => db.select({ id: users.id }).from(users).$dynamic()
export const countActive = prepareSiteRead<{ n: number }, { site: string }>((db) =>
  db.select({ n: count() }).from(users).where(isNull(users.disabledAt)),
)`,
      error: "the condition on the site limits nothing",
    },
    ...[
      "export const list = async ({ site }: { site: ContentSite }) => await site.db.select().from(galleries)",
      "export const list = ({ db }: ContentSite) => db.select().from(galleries).orderBy(galleries.id)",
      "export const list = ({ db }: ContentSite) => { const query = db.select().from(galleries); return query }",
      "export const list = ({ db, id }: ContentSite) => db.select().from(galleries).where(eq(galleries.siteId, id))",
      "export const list = ({ db }: ContentSite, scope: SiteScope) => db.select().from(users).where(and(scope.condition(users)))",
      "export const list = (ctx: UserCtx) => authenticate(ctx, () => [ctx.site.db.select().from(users)])",
      `export const list = prepareSiteRead<{ id: number }, { site: string }>((db) => {
  return db.select({ id: users.id }).from(users)
})`,
    ].map(
      (code) => `import { and, eq } from "drizzle-orm"
import type { ContentSite } from "../../content/site"
import { authenticate, type UserCtx } from "../../content/user"
import { prepareSiteRead } from "../../db/prepared"
import { users } from "../../db/schema/sites/users"
import type { SiteScope } from "../../db/site-scope"
import { galleries } from "./tables"
${code}`,
    ),
  ),
  vary(
    {
      rule: "a GET changes nothing",
      by: "lint",
      file: "src/console/pages/*.tsx",
      legal: `import { readStore } from "../../platform/stores/service"
import { createPages } from "../router"
export const router = createPages().get("/console/x", async (c) => {
  const run = readStore
  return c.json({ id: (await run(c.var.ctx, "a")).store.id })
})`,
      error: "a GET changes nothing",
    },
    `import { suspendStore } from "../../platform/stores/service"
import { createPages } from "../router"
export const router = createPages().get("/console/x", async (c) => {
  const run = suspendStore
  await run(c.var.ctx, "a", { notify: false })
  return c.text("x")
})`,
  ),
  vary(
    {
      rule: "errors are not swallowed",
      by: "lint",
      file: SERVICE,
      legal: `${COMMITS}export async function run(ctx: Ctx) {
  try {
    await commit(ctx, { auditLog: { auditSkipped: "no_change" } })
  } catch (cause) {
    ctx.log.error("the change failed", cause)
  }
}
export function parse(text: string) {
  try {
    return [new URL(text), stores.id]
  } catch {
    return null
  }
}`,
      error: "errors are not swallowed",
    },
    `${COMMITS}export async function run(ctx: Ctx) {
  try {
    return [await commit(ctx, { auditLog: { auditSkipped: "no_change" } }), stores]
  } catch {
    return null
  }
}`,
    `${COMMITS}export async function run(ctx: Ctx) {
  try {
    return [await ctx.db.select({ id: stores.id }).from(stores).limit(1), commit]
  } catch (_cause) {
    return []
  }
}`,
    `${COMMITS}export const run = (ctx: Ctx) =>
  commit(ctx, { auditLog: { auditSkipped: "no_change" } }).catch(() => null)
export const table = stores`,
  ),
  vary(
    {
      rule: "secrets and personal data are not logged",
      by: "lint",
      file: SERVICE,
      legal: `${CTX}const logItem = (ctx: Ctx, item: string, _recipient: string) => ctx.log.info("sent", { item })
export const run = (ctx: Ctx, user: { id: string; email: string }) => logItem(ctx, user.id, user.email)`,
      error: "secrets and personal data are not logged",
    },
    `${CTX}const logItem = (ctx: Ctx, item: string) => ctx.log.info("sent", { item })
export const run = (ctx: Ctx, user: { email: string }) => logItem(ctx, user.email)`,
    `${CTX}function logItem(ctx: Ctx, item: string) {
  if (item) ctx.log.warn("bounced", { reason: \`to \${item}\` })
}
export const run = (ctx: Ctx, token: string) => logItem(ctx, token.trim())`,
    `${REQUEST}import type { PlatformEnv } from "../../core/http/platform-env"
export const run = (c: Context<PlatformEnv>) => c.var.log.info("call", { path: c.req.url })`,
  ),
  vary(
    {
      rule: "text is escaped",
      by: "lint",
      file: "src/console/pages/*.tsx",
      legal: `${REQUEST}export function run({ req }: Context, mail: { text: string; html: string }) {
  const { text, html } = mail
  return [req.path, text, html]
}`,
      error: "text is escaped",
    },
    `${REQUEST}export function run(c: Context) {
  const { html, req } = c
  return html(\`<b>\${req.query("q")}</b>\`)
}`,
    `${REQUEST}export const run = ({ html, req }: Context) => html(\`<b>\${req.query("q")}</b>\`)`,
  ),
  vary(
    {
      rule: "texts of pages are translated",
      by: "lint",
      file: "src/admin/pages/*.tsx",
      legal: `export const Name = ({ t }: { t: { open: string; closed: string; hint: string } }) => (
  <p title={t.hint}>
    PDF · 1 × {t.open ? t.open : t.closed}
  </p>
)`,
      error: "texts of pages are translated",
    },
    `export const Name = () => <p>Open orders</p>`,
    `export const Name = ({ isOpen }: { isOpen: boolean }) => <p>{isOpen ? "Open" : "Closed"}</p>`,
    `export const Name = () => <img src="/a.png" alt="The shop's logo" />`,
    `export const meta = { title: "Open orders" }
export const Name = () => <p />`,
    `export const form = { message: "The domain was added." }
export const Name = () => <p />`,
  ),
  vary(
    {
      rule: "a field of the admin has a label in every language",
      by: "lint",
      file: "src/admin/pages/*.tsx",
      legal: `import { Field } from "../../page-kit/form"

export const Name = ({ t, name }: { t: { weight: string }; name: string }) => (
  <p>
    <Field name="email" />
    <Field name={name} label={t.weight} />
  </p>
)`,
      error: "a field of the admin has a label",
    },
    `import { Field } from "../../page-kit/form"

export const Name = () => <Field name="weight" />`,
    `import { Select } from "../../page-kit/form"

export const Name = ({ name }: { name: string }) => <Select name={name} choices={[]} />`,
    `import { getFieldLabel } from "../../page-kit/form"

export const name = getFieldLabel("weight")`,
  ),
  vary(
    {
      rule: "the client's address and the host are resolved by core/http",
      by: "lint",
      file: "src/platform/*/routes.ts",
      legal: `${REQUEST}const ACCEPTED = "Accept-Language"
export const run = (c: Context) => c.req.header(ACCEPTED)`,
      error: "resolved by core/http",
    },
    `${REQUEST}const FORWARDED = "X-Forwarded-For"
export const run = (c: Context) => c.req.header(FORWARDED)`,
  ),
  vary(
    {
      rule: "cookies are set by the modules of sessions",
      by: "lint",
      file: PAGE,
      legal: `${REQUEST}const TAG = "ETag"
export const run = (c: Context) => c.header(TAG, "a")`,
      error: "cookies are set by the modules of sessions",
    },
    `${REQUEST}const COOKIE = "Set-Cookie"
export const run = (c: Context) => c.header(COOKIE, "a=b")`,
    `export const run = () => new Headers([["set-cookie", "a=b"]])`,
  ),
  vary(
    {
      rule: "a redirect goes to a path of ours",
      by: "lint",
      file: PAGE,
      legal: `${REQUEST}export const run = (c: Context) => c.body(null, 303, { Location: "/console" })`,
      error: "a redirect goes to a path of ours",
    },
    `${REQUEST}export const run = (c: Context) => c.body(null, 303, { Location: c.req.query("next") ?? "/" })`,
    `${REQUEST}export const run = (c: Context) => c.header("Location", c.req.query("next"))`,
    `${REQUEST}export const run = (c: Context) => c.redirect(new URL(c.req.url).searchParams.get("next") ?? "/")`,
  ),
  vary(
    {
      rule: "every route of the content API and of apps names its caller",
      by: "lint",
      file: "src/content/*/more.ts",
      legal: `import * as z from "zod"
import { describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { sendData } from "../envelope"
import { dataEnvelope } from "../response-schemas"
import type { ContentEnv } from "../types"
import { user } from "../user"
export const more = createRouter<ContentEnv>().get(
  "/more",
  describe({ id: "more.get", summary: "More", responses: { status: 200, body: dataEnvelope(z.null()) } }),
  user,
  (c) => sendData(c, null),
)`,
      error: "names its caller",
    },
    `import * as z from "zod"
import { describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { sendData } from "../envelope"
import { dataEnvelope } from "../response-schemas"
import type { ContentEnv } from "../types"
export const more = createRouter<ContentEnv>().get(
  "/more",
  describe({ id: "more.get", summary: "More", responses: { status: 200, body: dataEnvelope(z.null()) } }),
  (c) => sendData(c, null),
)`,
  ),
  vary(
    {
      rule: "the query of a route is checked by a schema",
      by: "lint",
      file: "src/platform/*/routes.ts",
      legal: `${REQUEST}import { createRouter } from "../../core/http/router"
export const run = (c: Context) => [createRouter, new URL(c.req.url).pathname]`,
      error: "the query of a route is checked by a schema",
    },
    `${REQUEST}import { createRouter } from "../../core/http/router"
export const run = (c: Context) => [createRouter, new URL(c.req.url).searchParams.get("q")]`,
    `${REQUEST}import { createRouter } from "../../core/http/router"
export function run(c: Context) {
  const { req } = c
  return [createRouter, req.query("q")]
}`,
  ),
  vary(
    {
      rule: "every surface has a gate",
      by: "lint",
      file: "src/platform/*/app.ts",
      legal: `${SURFACE}  gate: [
    async (c, next) => {
      if (c.req.path === "/") throw new Refusal("not_found")
      await next()
    },
  ],
})`,
      error: "every surface has a gate",
    },
    `${SURFACE}  gate: [(_, next) => next()],
})`,
    `${SURFACE}  gate: [
    async (c, next) => {
      c.header("X-Open", "1")
      await next()
    },
  ],
})`,
  ),
  vary(
    {
      rule: "every surface has a gate",
      by: "lint",
      file: "src/platform/*/app.ts",
      legal: `import { gate } from "../gate/gate"
export const gates = [gate]`,
      error: "are open to everyone",
    },
    `import { publicAccess } from "../../core/http/surface"
export const gates = [publicAccess]`,
  ),
  vary(
    {
      rule: "JSON from outside is checked by a schema",
      by: "lint",
      file: SERVICE,
      legal: `export async function run(response: Response) {
  const value: unknown = await response.json()
  return value
}`,
      error: "JSON from outside is checked by a schema",
    },
    `export const run = async (response: Response): Promise<{ id: string }> => await response.json()`,
    `export async function run(response: Response) {
  const sale: { id: string } = await response.json()
  return sale.id
}`,
  ),
  vary(
    {
      rule: "secrets are compared in constant time, or by a query",
      by: "lint",
      file: SERVICE,
      legal: `import { equalSecrets } from "../../lib/hash"
export const run = (secret: string, secrets: string[]) => secrets.some((one) => equalSecrets(one, secret))`,
      error: "secrets are compared in constant time",
    },
    `export const run = (secret: string, secrets: string[]) => secrets.includes(secret)`,
    `export const run = (token: string, expected: string) => Object.is(expected, token)`,
  ),
  vary(
    {
      rule: "the time is ctx.now",
      by: "lint",
      file: SERVICE,
      legal: `const FORMAT = new Intl.DateTimeFormat("en", { timeZone: "UTC" })
export const run = (date: Date) => FORMAT.format(date)`,
      error: "the time is ctx.now",
    },
    `const FORMAT = new Intl.DateTimeFormat("en", { timeZone: "UTC" })
export const run = () => FORMAT.format()`,
    `${CTX}export const run = (ctx: Ctx) => ctx.now.setUTCDate(1)`,
  ),
  vary(
    {
      rule: "dates are compared by their time",
      by: "lint",
      file: SERVICE,
      legal: `export const run = (a: { savedAt: Date }, b: { savedAt: Date }) => a.savedAt.getTime() === b.savedAt.getTime()`,
      error: "dates are compared by their time",
    },
    `export const run = (a: { savedAt: Date }, b: { savedAt: Date }) => a.savedAt === b.savedAt`,
  ),
  vary(
    {
      rule: "a date's parts are those in UTC, or in a named time zone",
      by: "lint",
      file: SERVICE,
      legal: `export const run = (date: Date, timeZone: string) => new Intl.DateTimeFormat("en", { timeZone }).format(date)`,
      error: "a date's parts are those in UTC",
    },
    `export const run = (date: Date) => new Intl.DateTimeFormat("en", { dateStyle: "long" }).format(date)`,
    `export const run = (date: Date) => date.toLocaleDateString("en")`,
    `export const run = (date: Date) => date.toDateString()`,
  ),
  vary(
    {
      rule: "every statement on a site database names its site",
      by: "lint",
      file: CONTENT,
      legal: `import { sql } from "drizzle-orm"
export const name = sql.identifier("counted_rows")`,
      error: "SQL names site tables by their declarations",
    },
    `import { sql } from "drizzle-orm"
export const run = sql\`select * from \${sql.identifier("users")}\``,
  ),
  vary(
    {
      rule: "only the folder of a card provider names it",
      by: "lint",
      file: SERVICE,
      legal: `export const run = (id: string) => \`https://example.com/payments/\${id}\``,
      error: "the name of a card provider",
    },
    `export const run = (id: string) => \`https://dashboard.stripe.com/payments/\${id}\``,
  ),
  vary(
    {
      rule: "a test asserts something",
      by: "lint",
      file: TEST,
      legal: `${VITEST}test("rejects", async () => {
  const results: number[] = []
  try {
    await Promise.reject(new Error("x"))
  } catch (cause) {
    expect(cause).toBeInstanceOf(Error)
    results.push(1)
  }
  if (results.length > 1) expect(results).toEqual([1, 2])
  else expect(results).toEqual([1])
})`,
      error: "a test asserts something",
    },
    `${VITEST}test("rejects", async () => {
  try {
    await Promise.resolve(1)
  } catch (cause) {
    expect(cause).toBeInstanceOf(Error)
  }
})`,
    `${VITEST}test("rejects", async () => {
  await Promise.resolve(1).catch((cause) => expect(cause).toBeInstanceOf(Error))
})`,
    `${VITEST}test("finds it", () => {
  const found = [1, 2].find((one) => one > 2)
  if (found !== undefined) expect(found).toBe(3)
})`,
    `${VITEST}test("works", () => {
  expect(true).toBe(true)
})`,
    `${VITEST}test("is the same", () => {
  const value = [1]
  expect(value).toEqual(value)
})`,
  ),
  vary(
    {
      rule: "a test asserts something",
      by: "biome",
      file: TEST,
      legal: `${VITEST}test("compares", () => {
  expect([1].length).toBe(1)
})`,
      error: "noUnusedExpressions",
    },
    `${VITEST}test("compares", () => {
  expect([1].length).toBe
})`,
  ),
]
