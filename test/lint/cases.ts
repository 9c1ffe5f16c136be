// Violations of the project's rules, each with a legal counterpart; evasions.ts and *-evasions.ts have more. Types, Biome or `npm run lint` reject every violation before a test runs; violations.test.ts proves it, and
// CONTRIBUTING's table of rules is generated from here.

import { CALL_EVASIONS } from "./call-evasions.ts"
import { EVASIONS } from "./evasions.ts"
import { INDIRECT_EVASIONS } from "./indirect-evasions.ts"
import { INPUT_EVASIONS } from "./input-evasions.ts"
import { PAGE_EVASIONS } from "./page-evasions.ts"

/** What rejects a violation: the compiler, Biome, or the project's own lint rules. */
export type Enforcer = "types" | "biome" | "lint"

/** A file that breaks a rule, and one that does not. */
export interface Case {
  /** Where both are placed; `*` is a new folder or name. */
  file: string
  violation: string
  legal: string
  /** Part of the error. */
  error: string
}

/** A rule of CONTRIBUTING's table. */
export interface Rule {
  rule: string
  by: Enforcer
  cases: Case[]
}

const CTX = 'import type { Ctx } from "../../core/context"\n'
const LEGAL_READ = `${CTX}import { stores } from "../../db/schema/central/stores"
export const find = (ctx: Ctx) => ctx.db.select({ id: stores.id }).from(stores).limit(9)`

const LOOKUPS = `import * as z from "zod"
import type { Input } from "../../core/http/input"
import { withLookups } from "../../core/http/validation"
const Create = withLookups(z.object({ slug: z.string(), name: z.string() }), "slug")
`

const BASIC_RULES: Rule[] = [
  {
    rule: "a binding is used through the module that owns it",
    by: "types",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `${CTX}export const run = (ctx: Ctx) => ctx.env.DB.prepare("update stores set name = ''").run()`,
        legal: LEGAL_READ,
        error: "Property 'DB' does not exist",
      },
      {
        file: "src/platform/*/routes.ts",
        violation: `import type { Context } from "hono"
import type { PlatformEnv } from "../../core/http/platform-env"
export const run = (c: Context<PlatformEnv>) => c.env.DB.prepare("select 1").first()`,
        legal: `import type { Context } from "hono"
import type { PlatformEnv } from "../../core/http/platform-env"
import { settingsOf } from "../../env"
export const run = (c: Context<PlatformEnv>) => settingsOf(c.env).APP_NAME`,
        error: "Property 'DB' does not exist",
      },
      {
        file: "src/content/*/service.ts",
        violation: `${CTX}export const run = ({ env }: Ctx) => env.MEDIA.delete("a")`,
        legal: `${CTX}import { siteDatabase } from "../../db/client"
export const run = ({ env }: Ctx, site: string) => siteDatabase(env, "SITES_1", site)`,
        error: "Property 'MEDIA' does not exist",
      },
      {
        file: "src/jobs/*.ts",
        violation: `import type { Ctx } from "../core/context"
export const run = (ctx: Ctx) => ctx.env.JOB_QUEUE.send({ job: "mails" })`,
        legal: `import type { Ctx } from "../core/context"
import { enqueueJob } from "../core/queue/leased-jobs"
export const run = (ctx: Ctx) => enqueueJob(ctx, { job: "mails" })`,
        error: "Property 'JOB_QUEUE' does not exist",
      },
    ],
  },
  {
    rule: "only the owner of a binding imports it",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `${CTX}import { binding } from "../../bindings"
export const run = (ctx: Ctx) => binding(ctx.env, "DB")`,
        legal: LEGAL_READ,
        error: "a binding is read by the module that owns it",
      },
      {
        file: "src/platform/*/service.ts",
        violation: `import { env } from "cloudflare:workers"
export const run = () => env`,
        legal: LEGAL_READ,
        error: "bindings come with the request, not from a global",
      },
      {
        file: "src/license/*/service.ts",
        violation: `${CTX}import { mediaStore } from "../../core/storage/media"
export const run = (ctx: Ctx) => mediaStore(ctx.env).head("a")`,
        legal: `${CTX}import { updateStore } from "../../core/storage/updates"
export const run = (ctx: Ctx) => updateStore(ctx.env).head("a")`,
        error: "media objects belong to the media library",
      },
    ],
  },
  {
    rule: "SQL that runs was built by src/db",
    by: "types",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `${CTX}import { read } from "../../db/client"
export const run = (ctx: Ctx) =>
  read(ctx.db, { sql: "update stores set name = 'a'", params: [], rows: (): string[] => [] })`,
        legal: `${CTX}import { read } from "../../db/client"
import { prepareRead } from "../../db/prepared"
import { stores } from "../../db/schema/central/stores"
const selectStores = prepareRead<{ id: string }, object>((db) => db.select({ id: stores.id }).from(stores).limit(9))
export const run = (ctx: Ctx) => read(ctx.db, selectStores({}))`,
        error: "Property '[PREPARED]' is missing",
      },
      {
        file: "src/content/*/service.ts",
        violation: `${CTX}import { writeUnaudited } from "../../core/write/commit"
export const run = (ctx: Ctx) =>
  writeUnaudited(ctx, "cleanup", [{ sql: "delete from stores", params: [], rows: (): string[] => [] }])`,
        legal: `${CTX}import { writeUnaudited } from "../../core/write/commit"
import { webhookEvents } from "../../db/schema/central/webhooks"
import { eq } from "drizzle-orm"
import { remove } from "../../db/write"
export const run = (ctx: Ctx, id: string) =>
  writeUnaudited(ctx, "cleanup", [remove(webhookEvents).where(eq(webhookEvents.id, id))])`,
        error: "is not assignable to type 'Statement'",
      },
    ],
  },
  {
    rule: "a query is built by a database handle, which limits it to its site",
    by: "biome",
    cases: [
      {
        file: "src/content/*/queries.ts",
        violation: `import { QueryBuilder } from "drizzle-orm/sqlite-core"
import type { SiteDatabase } from "../../db/client"
import { users } from "../../db/schema/sites/users"
const everyone = new QueryBuilder().select({ email: users.email }).from(users).limit(9).as("everyone")
export const list = (db: SiteDatabase) => db.select().from(everyone).limit(9)`,
        legal: `import type { SiteDatabase } from "../../db/client"
import { users } from "../../db/schema/sites/users"
export const list = (db: SiteDatabase) => db.select({ email: users.email }).from(users).limit(9)`,
        error: "noRestrictedImports",
      },
    ],
  },
  {
    rule: "a query has a condition or a limit",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/queries.ts",
        violation: `import type { Ctx } from "../../core/context"
import { stores } from "../../db/schema/central/stores"
export const listAll = async (ctx: Ctx) => await ctx.db.select({ id: stores.id }).from(stores).orderBy(stores.id)`,
        legal: `import type { Ctx } from "../../core/context"
import { stores } from "../../db/schema/central/stores"
export const listSome = async (ctx: Ctx) =>
  await ctx.db.select({ id: stores.id }).from(stores).orderBy(stores.id).limit(10)`,
        error: "a query has a condition or a limit",
      },
      {
        file: "src/platform/*/queries.ts",
        violation: `import type { Ctx } from "../../core/context"
import { batch } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
export const listAll = (ctx: Ctx) => batch(ctx.db, [ctx.db.select({ domain: domains.domain }).from(domains)])`,
        legal: `import type { Ctx } from "../../core/context"
import { batch } from "../../db/client"
import { plans } from "../../db/schema/central/plans"
export const listAll = (ctx: Ctx) => batch(ctx.db, [ctx.db.select({ slug: plans.slug }).from(plans)])`,
        error: "a query has a condition or a limit",
      },
    ],
  },
  {
    rule: "LIKE and GLOB have a constant pattern",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/queries.ts",
        violation: `import { like } from "drizzle-orm"
import { stores } from "../../db/schema/central/stores"
export const matches = (q: string) => like(stores.name, q)`,
        legal: `import { sql } from "drizzle-orm"
import { stores } from "../../db/schema/central/stores"
export const matches = (q: string) => sql\`instr(\${stores.searchText}, \${q}) > 0\``,
        error: "LIKE and GLOB have a constant pattern",
      },
      {
        file: "src/content/*/queries.ts",
        violation: `import { sql } from "drizzle-orm"
export const matches = (q: string) => sql\`name like '%' || \${q} || '%'\``,
        legal: `import { sql } from "drizzle-orm"
export const isGenerated = sql\`name like '%AUTOINCREMENT%'\``,
        error: "LIKE and GLOB have a constant pattern",
      },
      {
        file: "src/license/*/queries.ts",
        violation: `import { sql } from "drizzle-orm"
export const matches = (q: string) => sql\`code not GLOB \${q}\``,
        legal: `import { sql } from "drizzle-orm"
export const matches = (q: string) => sql\`code = \${q}\``,
        error: "LIKE and GLOB have a constant pattern",
      },
    ],
  },
  {
    rule: "SQL runs in src/db only",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `export const run = (database: { prepare(sql: string): unknown }) => database.prepare("select 1")`,
        legal: LEGAL_READ,
        error: "SQL runs in src/db only",
      },
      {
        file: "src/content/*/service.ts",
        violation: `export const run = (database: { batch(all: unknown[]): unknown }) => database["batch"]([])`,
        legal: `export const run = (groups: { batches(all: unknown[]): unknown }) => groups.batches([])`,
        error: "SQL runs in src/db only",
      },
      {
        file: "src/jobs/*.ts",
        violation: `export const run = (db: { exec(sql: string): unknown }) => db.exec("delete from stores")`,
        legal: `export const run = (pattern: RegExp, text: string) => pattern.exec(text)`,
        error: "SQL runs in src/db only",
      },
      {
        file: "src/webhooks/*/queries.ts",
        violation: `import { sql } from "drizzle-orm"
export const order = (column: string) => sql.raw(column)`,
        legal: `import { sql } from "drizzle-orm"
export const order = (column: string) => sql.identifier(column)`,
        error: "SQL runs in src/db only",
      },
      {
        file: "src/console/pages/*.ts",
        violation: `export const run = ({ prepare }: { prepare: () => void }) => prepare()
export const other = (database: { withSession(): unknown }) => database.withSession()`,
        legal: `export const run = ({ list }: { list: () => void }) => list()`,
        error: "SQL runs in src/db only",
      },
      {
        file: "src/content/*/service.ts",
        violation: `import { drizzle } from "drizzle-orm/d1"
export const connect = (client: D1Database) => drizzle(client)`,
        legal: `import { eq } from "drizzle-orm"
import { stores } from "../../db/schema/central/stores"
export const isStore = (id: string) => eq(stores.id, id)`,
        error: "only db connects to databases",
      },
    ],
  },
  {
    rule: "only core/write executes writes",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `import * as writes from "../../db/execute"
export const run = writes.execute`,
        legal: `import { commit } from "../../core/write/commit"
export const run = commit`,
        error: "only core/write executes writes",
      },
      {
        file: "src/content/*/service.ts",
        violation: `export { execute } from "../../db/execute"`,
        legal: `export const name = "execute"`,
        error: "only core/write executes writes",
      },
      {
        file: "src/license/*/service.ts",
        violation: `export const load = () => import("../../db/execute")`,
        legal: `export const load = () => import("../../core/write/commit")`,
        error: "only core/write executes writes",
      },
      {
        file: "src/webhooks/*.ts",
        violation: `import { run } from "../db/connection"
export const all = run`,
        legal: `import { batch } from "../db/client"
export const all = batch`,
        error: "databases are used through db/client",
      },
      {
        file: "src/content/*/service.ts",
        violation: `export { batch } from "../../db/client"`,
        legal: `export type { SiteDatabase } from "../../db/client"`,
        error: "not through a re-export",
      },
    ],
  },
  {
    rule: "a write is passed to a writer",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `import { eq } from "drizzle-orm"
import { stores } from "../../db/schema/central/stores"
import { update } from "../../db/write"
export function rename(id: string) {
  update(stores).set({ name: "x" }).where(eq(stores.id, id))
}`,
        legal: `import { eq } from "drizzle-orm"
import { stores } from "../../db/schema/central/stores"
import { update } from "../../db/write"
export const rename = (id: string) => update(stores).set({ name: "x" }).where(eq(stores.id, id))`,
        error: "a write is a value that only a writer runs",
      },
      {
        file: "src/platform/*/service.ts",
        violation: `import { eq } from "drizzle-orm"
import { stores } from "../../db/schema/central/stores"
import { remove } from "../../db/write"
export async function run(id: string) {
  await remove(stores).where(eq(stores.id, id))
}`,
        legal: LEGAL_READ,
        error: "a write is a value that only a writer runs",
      },
    ],
  },
  {
    rule: "a handle of a database cannot write",
    by: "types",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `${CTX}import { stores } from "../../db/schema/central/stores"
export const run = (ctx: Ctx) => ctx.db.delete(stores)`,
        legal: LEGAL_READ,
        error: "Property 'delete' does not exist",
      },
      {
        file: "src/platform/*/service.ts",
        violation: `import { eq } from "drizzle-orm"
import { batch, type CentralDatabase } from "../../db/client"
import { stores } from "../../db/schema/central/stores"
import { remove } from "../../db/write"
export const run = (db: CentralDatabase) => batch(db, [remove(stores).where(eq(stores.id, "a"))])`,
        legal: `import { batch, type CentralDatabase } from "../../db/client"
import { stores } from "../../db/schema/central/stores"
export const run = (db: CentralDatabase) => batch(db, [db.select().from(stores).limit(1)])`,
        error: "not assignable",
      },
    ],
  },
  {
    rule: "types are not cast away",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `${CTX}export const run = (ctx: Ctx) => (ctx.db as Ctx["db"] & { delete(table: unknown): void }).delete(1)`,
        legal: LEGAL_READ,
        error: "types are not cast away",
      },
      {
        file: "src/content/*/service.ts",
        violation: `export const run = (value: string) => value as unknown as number`,
        legal: `export const run = (value: string) => Number(value)`,
        error: "types are not cast away",
      },
      {
        file: "src/license/*/service.ts",
        violation: `export const run = (take: (value: number) => void) => take("a" as never)`,
        legal: `export const run = (take: (value: number) => void) => take(1)`,
        error: "types are not cast away",
      },
    ],
  },
  {
    rule: "promises are awaited, returned or passed to ctx.inBackground",
    by: "biome",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `${CTX}import { writeUnaudited } from "../../core/write/commit"
export function run(ctx: Ctx) {
  writeUnaudited(ctx, "cleanup", [])
}`,
        legal: `${CTX}import { writeUnaudited } from "../../core/write/commit"
export function run(ctx: Ctx) {
  ctx.inBackground(writeUnaudited(ctx, "cleanup", []))
}`,
        error: "noFloatingPromises",
      },
      {
        file: "src/content/*/service.ts",
        violation: `export function run(save: (item: string) => Promise<void>, items: string[]) {
  items.forEach(async (item) => {
    await save(item)
  })
}`,
        legal: `export const run = (save: (item: string) => Promise<void>, items: string[]) => Promise.all(items.map(save))`,
        error: "noMisusedPromises",
      },
    ],
  },
  {
    rule: "background work goes to ctx.inBackground, not to void",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `${CTX}import { writeUnaudited } from "../../core/write/commit"
export function run(ctx: Ctx) {
  void writeUnaudited(ctx, "cleanup", [])
}`,
        legal: `${CTX}import { writeUnaudited } from "../../core/write/commit"
export const run = (ctx: Ctx) => writeUnaudited(ctx, "cleanup", [])`,
        error: "background work goes to ctx.inBackground",
      },
    ],
  },
  {
    rule: "requests leave through core/outbound",
    by: "biome",
    cases: [
      {
        file: "src/webhooks/*.ts",
        violation: `export const send = (url: string) => fetch(url)`,
        legal: `import { fetchOutbound, type OutboundUrl } from "../core/outbound/fetch"
export const send = (url: OutboundUrl) => fetchOutbound(url, { signal: AbortSignal.timeout(1_000) })`,
        error: "noRestrictedGlobals",
      },
    ],
  },
  {
    rule: "a URL that a user typed is checked before a request",
    by: "types",
    cases: [
      {
        file: "src/webhooks/*.ts",
        violation: `import { fetchOutbound } from "../core/outbound/fetch"
export const send = (url: string) => fetchOutbound(url, { signal: AbortSignal.timeout(1_000) })`,
        legal: `import { fetchOutbound, type OutboundUrl } from "../core/outbound/fetch"
export const send = (url: OutboundUrl) => fetchOutbound(url, { signal: AbortSignal.timeout(1_000) })`,
        error: "is not assignable to parameter of type 'OutboundUrl'",
      },
    ],
  },
  {
    rule: "only checked or configured URLs are marked as outbound",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `import { safeUrl } from "../../core/outbound/fetch"
export const mark = (url: string) => safeUrl(url)`,
        legal: `import type { OutboundUrl } from "../../core/outbound/fetch"
export const mark = (url: OutboundUrl) => url`,
        error: "a URL that a user typed is checked before every request",
      },
      {
        file: "src/content/*/service.ts",
        violation: `export const send = (url: string) => globalThis.fetch(url)`,
        legal: `export const parse = (url: string) => URL.parse(url)`,
        error: "globals are used by name",
      },
    ],
  },
  {
    rule: "the time is ctx.now",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `export const run = () => new Date()`,
        legal: `${CTX}export const run = (ctx: Ctx) => ctx.now`,
        error: "the time is ctx.now",
      },
      {
        file: "src/license/*/service.ts",
        violation: `export const run = () => Date.now()`,
        legal: `export const run = (now: Date) => now.getTime()`,
        error: "the time is ctx.now",
      },
      {
        file: "src/platform/*/service.ts",
        violation: `import { currentMs } from "../../lib/clock"
export const run = () => currentMs()`,
        legal: `${CTX}export const run = (ctx: Ctx) => ctx.now.getTime()`,
        error: "the time is ctx.now",
      },
    ],
  },
  {
    rule: "randomness comes from lib/random",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `export const run = () => Math.random()`,
        legal: `import { ulid } from "../../lib/ulid"
export const run = (now: Date) => ulid(now)`,
        error: "randomness comes from lib/random",
      },
      {
        file: "src/content/*/service.ts",
        violation: `export const run = () => crypto.randomUUID()`,
        legal: `import { randomBase62 } from "../../lib/hash"
export const run = () => randomBase62(40)`,
        error: "randomness comes from lib/random",
      },
    ],
  },
  {
    rule: "rules are pure",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/rules.ts",
        violation: `export const run = async () => {
  await Promise.resolve()
}`,
        legal: `export const isOver = (now: Date, end: Date) => end < now`,
        error: "rules are pure: they do not wait",
      },
      {
        file: "src/license/rules/*.ts",
        violation: `export const isOver = (end: Date) => end.getTime() < Date.now()`,
        legal: `export const isOver = (end: Date, now: Date) => end < now`,
        error: "the time is ctx.now",
      },
      {
        file: "src/platform/*/rules.ts",
        violation: `import { commit } from "../../core/write/commit"
export const run = commit`,
        legal: `import { Refusal } from "../../core/http/refusal"
export const refuse = () => new Refusal("not_found")`,
        error: "rules are pure: they receive the state",
      },
      {
        file: "src/platform/*/rules.ts",
        violation: `import { currentMs } from "../../lib/clock"
export const run = currentMs`,
        legal: `import { addMs } from "../../lib/time"
export const run = (now: Date) => addMs(now, 1)`,
        error: "the time is ctx.now",
      },
    ],
  },
  {
    rule: "state of a module is declared with isolateState",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `let hits = 0
export const count = () => ++hits`,
        legal: `import { isolateState } from "../../lib/isolate-state"
const hits = isolateState(() => ({ count: 0 }))
export const count = () => ++hits.current.count`,
        error: "state of a module is declared with isolateState",
      },
      {
        file: "src/content/*/service.ts",
        violation: `const cache = new Map<string, string>()
export const remember = (key: string) => cache.set(key, key)`,
        legal: `const KINDS = new Map([["a", 1]])
export const kindOf = (key: string) => KINDS.get(key)`,
        error: "state of a module is declared with isolateState",
      },
    ],
  },
  {
    rule: "secrets and personal data are not logged",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `${CTX}export const run = (ctx: Ctx, token: string) => ctx.log.info("signed in", { token })`,
        legal: `${CTX}export const run = (ctx: Ctx, operator: number) => ctx.log.info("signed in", { operator })`,
        error: "secrets and personal data are not logged",
      },
      {
        file: "src/content/*/service.ts",
        violation: `${CTX}export const run = (ctx: Ctx, user: { email: string }) => ctx.log.warn("bounced", { to: user.email })`,
        legal: `${CTX}export const run = (ctx: Ctx, user: { id: number }) => ctx.log.warn("bounced", { id: user.id })`,
        error: "secrets and personal data are not logged",
      },
    ],
  },
  {
    rule: "src writes logs with core/log",
    by: "biome",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `export const run = () => console.log("here")`,
        legal: `${CTX}export const run = (ctx: Ctx) => ctx.log.info("here")`,
        error: "noConsole",
      },
    ],
  },
  {
    rule: "request bodies are read by core/http/body",
    by: "lint",
    cases: [
      {
        file: "src/console/pages/*.ts",
        violation: `import type { Context } from "hono"
export const run = (c: Context) => c.req.parseBody()`,
        legal: `import type { Context } from "hono"
export const run = (c: Context) => c.req.query("q")`,
        error: "request bodies are read by core/http/body",
      },
    ],
  },
  {
    rule: "imports follow the layers, and surfaces, apps, themes and pages are isolated",
    by: "lint",
    cases: [
      {
        file: "src/lib/*.ts",
        violation: `import { commit } from "../core/write/commit"
export const run = commit`,
        legal: `import { SECOND } from "./time"
export const run = SECOND`,
        error: "src/lib does not import this",
      },
      {
        file: "durable/*.ts",
        violation: `import { takeToken } from "../src/core/http/rate-limit"
export const run = takeToken`,
        legal: `import { WINDOW_MS } from "../src/lib/fixed-window"
export const run = WINDOW_MS`,
        error: "durable does not import this",
      },
      {
        file: "src/core/http/*.ts",
        violation: `import { createEndpoint } from "../../webhooks/endpoints/service"
export const run = createEndpoint`,
        legal: `import { Refusal } from "./refusal"
export const run = () => new Refusal("not_found")`,
        error: "src/core does not import this",
      },
      {
        file: "src/content/*/service.ts",
        violation: `import { createStore } from "../../platform/stores/create"
export const run = createStore`,
        legal: `import { Refusal } from "../../core/http/refusal"
export const run = () => new Refusal("not_found")`,
        error: "src/content does not import this",
      },
      {
        file: "src/webhooks/*.ts",
        violation: `import { selectSettings } from "../content/settings/service"
export const run = selectSettings`,
        legal: `import { Refusal } from "../core/http/refusal"
export const run = () => new Refusal("not_found")`,
        error: "src/webhooks does not import this",
      },
      {
        file: "src/apps/galleries/*.ts",
        violation: `import { selectProduct } from "../ecommerce/products/queries"
export const run = selectProduct`,
        legal: `import { assertStaff } from "../authorization"
export const run = assertStaff`,
        error: "src/apps/* does not import this",
      },
      {
        file: "src/apps/contact/*.ts",
        violation: `export const load = () => import("../../platform/stores/create")`,
        legal: `export const load = () => import("../../core/http/refusal")`,
        error: "src/apps/* does not import this",
      },
      {
        file: "src/apps/galleries/*.ts",
        violation: `import { createLicense } from "../../license/licenses/service"
export const run = createLicense`,
        legal: `import { Refusal } from "../../core/http/refusal"
export const run = () => new Refusal("not_found")`,
        error: "src/apps/* does not import this",
      },
      {
        file: "src/themes/*.ts",
        violation: `import { createStore } from "../platform/stores/create"
export const run = createStore`,
        legal: `import { fonts } from "./fonts"
export const run = fonts`,
        error: "does not import this",
      },
      {
        file: "src/pages/platform/*.ts",
        violation: `export * from "../../license/licenses/service"`,
        legal: `export const name = "page"`,
        error: "src/pages/platform does not import this",
      },
      {
        file: "src/pages/billing/*.ts",
        violation: `import { batch } from "../../db/client"
export const run = batch`,
        legal: `import { Refusal } from "../../core/http/refusal"
export const run = () => new Refusal("not_found")`,
        error: "src/pages/billing does not import this",
      },
      {
        file: "src/newcomer/*.ts",
        violation: `import { Refusal } from "../core/http/refusal"
export const run = () => new Refusal("not_found")`,
        legal: `export const run = 1`,
        error: "the folder has no entry",
      },
    ],
  },
  {
    rule: "routes, jobs and console pages call services, never the database",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/routes.ts",
        violation: `import { batch } from "../../db/client"
export const run = batch`,
        legal: `import { savePlan } from "../plans/service"
export const run = savePlan`,
        error: "routes, jobs and the console call services",
      },
      {
        file: "src/console/pages/*.tsx",
        violation: `import * as client from "../../db/client"
export const run = client.batch`,
        legal: `import { savePlan } from "../../platform/plans/service"
export const run = savePlan`,
        error: "routes, jobs and the console call services",
      },
      {
        file: "src/platform/*/queries.ts",
        violation: `import { createStore } from "../stores/create"
export const run = createStore`,
        legal: `import { param } from "../../db/prepared"
export const run = param("a")`,
        error: "queries read",
      },
      {
        file: "src/platform/*/service.ts",
        violation: `import { Hono } from "hono"
export const app = new Hono()`,
        legal: LEGAL_READ,
        error: "only routers, middleware, responses and pages use Hono",
      },
    ],
  },
  {
    rule: "writes to a site database are built with inSite",
    by: "lint",
    cases: [
      {
        file: "src/content/*/service.ts",
        violation: `import { posts } from "../../db/schema/sites/posts"
import { buildRemove } from "../../db/write"
export const run = () => buildRemove(posts)`,
        legal: `import { inSite } from "../../db/site-scope"
export const scope = inSite("a")`,
        error: "writes to a site database are built with inSite",
      },
    ],
  },
  {
    rule: "only tests reset the state of the isolate",
    by: "lint",
    cases: [
      {
        file: "src/core/cache/*.ts",
        violation: `import { resetIsolateState } from "../../lib/isolate-state"
export const run = resetIsolateState`,
        legal: `import { isolateState } from "../../lib/isolate-state"
export const state = isolateState(() => new Map<string, number>())`,
        error: "only tests reset the state of the isolate",
      },
    ],
  },
  {
    rule: "text is escaped",
    by: "lint",
    cases: [
      {
        file: "src/console/pages/*.tsx",
        violation: `import { raw } from "hono/html"
export const Name = ({ name }: { name: string }) => <b>{raw(name)}</b>`,
        legal: `export const Name = ({ name }: { name: string }) => <b>{name}</b>`,
        error: "text is escaped",
      },
    ],
  },
  {
    rule: "pages show moments with components that name the time zone",
    by: "lint",
    cases: [
      {
        file: "src/console/pages/*.tsx",
        violation: `export const At = ({ at }: { at: Date }) => <b>{at.toISOString()}</b>`,
        legal: `import { Time } from "../../page-kit/parts"
export const At = ({ at }: { at: Date }) => (
  <b>
    <Time at={at} />
  </b>
)`,
        error: "pages show moments with components",
      },
      {
        file: "src/pages/billing/*.tsx",
        violation: `export const At = ({ at }: { at: string }) => <time datetime={at}>{at}</time>`,
        legal: `import { UtcDay } from "../../core/html/moment"
export const At = ({ at }: { at: Date }) => <UtcDay at={at} locale="en" />`,
        error: "pages show moments with components",
      },
    ],
  },
  {
    rule: "only core/auth hashes passwords",
    by: "lint",
    cases: [
      {
        file: "src/content/accounts/*.ts",
        violation: `import { hashPassword } from "../../lib/password"
export const run = hashPassword`,
        legal: `import { afterRateLimit } from "../../core/http/rate-limit"
export const run = afterRateLimit`,
        error: "only core/auth/password-hashing hashes passwords",
      },
    ],
  },
  {
    rule: "every change has an audit entry, or one of the declared reasons for none",
    by: "types",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `${CTX}import { commit } from "../../core/write/commit"
export const run = (ctx: Ctx) => commit(ctx, { auditLog: [] })`,
        legal: `${CTX}import { commit } from "../../core/write/commit"
export const run = (ctx: Ctx) => commit(ctx, { auditLog: { auditSkipped: "no_change" } })`,
        error: "not assignable",
      },
      {
        file: "src/platform/*/service.ts",
        violation: `${CTX}import { writeUnaudited } from "../../core/write/commit"
export const run = (ctx: Ctx) => writeUnaudited(ctx, "", [])`,
        legal: `${CTX}import { writeUnaudited } from "../../core/write/commit"
export const run = (ctx: Ctx) => writeUnaudited(ctx, "cleanup", [])`,
        error: "not assignable to parameter of type",
      },
      {
        file: "src/content/*/service.ts",
        violation: `${CTX}import { commitSite, type WrittenSite } from "../../core/write/site-commit"
export const run = (ctx: Ctx, site: WrittenSite) => commitSite(ctx, site, { auditLog: [] })`,
        legal: `${CTX}import { commitSite, type WrittenSite } from "../../core/write/site-commit"
export const run = (ctx: Ctx, site: WrittenSite) => commitSite(ctx, site, { auditLog: { auditSkipped: "no_change" } })`,
        error: "not assignable",
      },
    ],
  },
  {
    rule: "event types and payloads are those of the catalog",
    by: "types",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `import type { EventDraft } from "../../core/write/events"
export const typeOf = (): EventDraft["type"] => "store.creatd"`,
        legal: `import type { EventDraft } from "../../core/write/events"
export const typeOf = (): EventDraft["type"] => "store.created"`,
        error: "store.creatd",
      },
    ],
  },
  {
    rule: "a field is stored in the column of its name",
    by: "types",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `import type { InputColumns } from "../../lib/every-field"
export const COLUMNS = { owner_name: "name" } as const satisfies InputColumns<Record<"owner_name", string>, Record<"name" | "ownerName", string>>`,
        legal: `import type { InputColumns } from "../../lib/every-field"
export const COLUMNS = { owner_name: "ownerName" } as const satisfies InputColumns<Record<"owner_name", string>, Record<"name" | "ownerName", string>>`,
        error: "ownerName",
      },
    ],
  },
  {
    rule: "a field is left out for a reason",
    by: "types",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `import type { EveryField } from "../../lib/every-field"
export const FIELDS: EveryField<Record<"name", string>, number> = { name: { omitted: "" } }`,
        legal: `import type { EveryField } from "../../lib/every-field"
export const FIELDS: EveryField<Record<"name", string>, number> = { name: { omitted: "has its own form" } }`,
        error: "not assignable",
      },
    ],
  },
  {
    rule: "a refusal carries the facts of its code",
    by: "types",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `import { Refusal } from "../../core/http/refusal"
export const run = () => new Refusal("plan_too_small")`,
        legal: `import { Refusal } from "../../core/http/refusal"
export const run = () => new Refusal("plan_too_small", { fields: {} })`,
        error: "Expected 2 arguments",
      },
      {
        file: "src/platform/*/service.ts",
        violation: `import { Refusal } from "../../core/http/refusal"
export const run = (plan: string) => new Refusal("same_plan", { plan })`,
        legal: `import { Refusal } from "../../core/http/refusal"
export const run = () => new Refusal("same_plan")`,
        error: "Expected 1 arguments",
      },
    ],
  },
  {
    rule: "every surface has a status for every code that it can raise",
    by: "types",
    cases: [
      {
        file: "src/platform/*/envelope.ts",
        violation: `import type { PlatformCode } from "../refusal-messages"
export const STATUS: Record<PlatformCode, number> = { http_error: 400 }`,
        legal: `import type { PlatformCode } from "../refusal-messages"
export const STATUS: Partial<Record<PlatformCode, number>> = { http_error: 400 }`,
        error: "is missing the following properties",
      },
    ],
  },
  {
    rule: "every route is described",
    by: "types",
    cases: [
      {
        file: "src/platform/*/routes.ts",
        violation: `import type { PlatformEnv } from "../../core/http/platform-env"
import { createRouter } from "../../core/http/router"
export const routes = createRouter<PlatformEnv>().get("/x", (c) => c.text("x"))`,
        legal: `import type { PlatformEnv } from "../../core/http/platform-env"
import { describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
export const routes = createRouter<PlatformEnv>().get(
  "/x",
  describe({ id: "x.read", summary: "Read x", responses: { status: 200, file: "text/plain" } }),
  (c) => c.text("x"),
)`,
        error: "Expected",
      },
    ],
  },
  {
    rule: "input with lookups yields its values only after each lookup has a result",
    by: "types",
    cases: [
      {
        file: "src/content/*/service.ts",
        violation: `${LOOKUPS}export const run = (input: Input<typeof Create>) => input.slug`,
        legal: `${LOOKUPS}export const run = (input: Input<typeof Create>) => input.complete({ slug: null }).slug`,
        error: "Property 'slug' does not exist on type 'PartialInput",
      },
      {
        file: "src/content/*/service.ts",
        violation: `${LOOKUPS}export const run = (input: Input<typeof Create>) => input.complete({}).slug`,
        legal: `${LOOKUPS}export const run = (input: Input<typeof Create>, isTaken: boolean) =>
  input.complete({ slug: isTaken && "taken" }).slug`,
        error: "Property 'slug' is missing in type '{}'",
      },
      {
        file: "src/content/*/service.ts",
        violation: `${LOOKUPS}export const run = (input: Input<typeof Create>) => input.reject("name", "taken")`,
        legal: `${LOOKUPS}export const run = (input: Input<typeof Create>) => input.reject("slug", "taken")`,
        error: "is not assignable to parameter of type",
      },
      {
        file: "src/content/*/service.ts",
        violation: `${LOOKUPS}export const run = (input: Input<typeof Create>): string => input.valid.slug`,
        legal: `${LOOKUPS}export const run = (input: Input<typeof Create>): string | undefined => input.valid.slug`,
        error: "Type 'undefined' is not assignable to type 'string'",
      },
      {
        file: "src/content/*/schemas.ts",
        violation: `import * as z from "zod"
import { withLookups } from "../../core/http/validation"
export const Create = withLookups(z.object({ name: z.string() }), "slug")`,
        legal: `import * as z from "zod"
import { withLookups } from "../../core/http/validation"
export const Create = withLookups(z.object({ slug: z.string() }), "slug")`,
        error: "is not assignable to parameter of type",
      },
    ],
  },
  {
    rule: "every surface has a gate",
    by: "types",
    cases: [
      {
        file: "src/platform/*/app.ts",
        violation: `import type { PlatformEnv } from "../../core/http/platform-env"
import { createSurface } from "../../core/http/surface"
export const app = createSurface<PlatformEnv, never>({
  name: "x",
  maxBody: null,
  codes: { not_found: 404, method_not_allowed: 405, temporarily_unavailable: 503, server_error: 500 },
  refuse: (c) => c.text("error"),
})`,
        legal: `import type { PlatformEnv } from "../../core/http/platform-env"
import { createSurface } from "../../core/http/surface"
import { gate } from "../gate/gate"
export const app = createSurface<PlatformEnv, never>({
  name: "x",
  gate: [gate],
  maxBody: null,
  codes: { not_found: 404, method_not_allowed: 405, temporarily_unavailable: 503, server_error: 500 },
  refuse: (c) => c.text("error"),
})`,
        error: "Property 'gate' is missing",
      },
      {
        file: "src/platform/*/app.ts",
        violation: `import type { PlatformEnv } from "../../core/http/platform-env"
import { createSurface } from "../../core/http/surface"
export const app = createSurface<PlatformEnv, never>({
  name: "x",
  gate: [],
  maxBody: null,
  codes: { not_found: 404, method_not_allowed: 405, temporarily_unavailable: 503, server_error: 500 },
  refuse: (c) => c.text("error"),
})`,
        legal: `import type { PlatformEnv } from "../../core/http/platform-env"
import { createRouter } from "../../core/http/router"
export const routes = createRouter<PlatformEnv>()`,
        error: "Source has 0 element(s) but target requires 1",
      },
      {
        file: "src/console/pages/*.tsx",
        violation: `import { createPages } from "../router"
export const pages = createPages().post("/x", (c) => c.text("x"))`,
        legal: `import { createPages } from "../router"
export const pages = createPages().get("/x", (c) => c.text("x"))`,
        error: "Expected",
      },
    ],
  },
  {
    rule: "an app's manifest covers every table, with columns that exist",
    by: "types",
    cases: [
      {
        file: "src/apps/reviews/*.ts",
        violation: `import type { AppManifest } from "../definition"
import type * as docs from "./docs"
import type * as tables from "./tables"
export const definitions: AppManifest<typeof tables, typeof docs>["tables"] = {}`,
        legal: `import type { AppManifest } from "../definition"
import type * as docs from "./docs"
import type * as tables from "./tables"
export const definitions: AppManifest<typeof tables, typeof docs>["tables"] = {
  reviews: { visibility: "private", counters: [] },
}`,
        error: "Property 'reviews' is missing in type '{}'",
      },
      {
        file: "src/apps/reviews/*.ts",
        violation: `import type { AppManifest } from "../definition"
import type * as docs from "./docs"
import type * as tables from "./tables"
export const definitions: AppManifest<typeof tables, typeof docs>["tables"] = {
  reviews: { visibility: { publicColumns: ["stars"] }, counters: [] },
}`,
        legal: `import type { AppManifest } from "../definition"
import type * as docs from "./docs"
import type * as tables from "./tables"
export const definitions: AppManifest<typeof tables, typeof docs>["tables"] = {
  reviews: { visibility: { publicColumns: ["rating"] }, counters: [] },
}`,
        error: "stars",
      },
    ],
  },
  {
    rule: "a card provider implements every operation",
    by: "types",
    cases: [
      {
        file: "src/platform/payments/*/provider.ts",
        violation: `import type { CardProvider } from "../provider"
export const without = ({ cancelSubscription: _, ...provider }: CardProvider): CardProvider => provider`,
        legal: `import type { CardProvider } from "../provider"
export const without = ({ hasPlainIds: _, ...provider }: CardProvider): CardProvider => provider`,
        error: "Property 'cancelSubscription' is missing",
      },
    ],
  },
  {
    rule: "every statement on a site database names its site",
    by: "types",
    cases: [
      {
        file: "src/content/*/service.ts",
        violation: `import { eq } from "drizzle-orm"
import { posts } from "../../db/schema/sites/posts"
import { update } from "../../db/write"
export const run = (id: number) => update(posts).set({ name: "x" }).where(eq(posts.id, id))`,
        legal: `import { eq } from "drizzle-orm"
import { posts } from "../../db/schema/sites/posts"
import { inSite } from "../../db/site-scope"
export const run = (site: string, id: number) => inSite(site).update(posts).set({ name: "x" }).where(eq(posts.id, id))`,
        error: "is not assignable",
      },
      {
        file: "src/content/*/service.ts",
        violation: `${CTX}import { posts } from "../../db/schema/sites/posts"
export const run = (ctx: Ctx) => ctx.db.select().from(posts)`,
        legal: `import type { SiteDatabase } from "../../db/client"
import { posts } from "../../db/schema/sites/posts"
export const run = (db: SiteDatabase) => db.select().from(posts).limit(9)`,
        error: "is not assignable",
      },
      {
        file: "src/content/*/service.ts",
        violation: `${CTX}import { siteDatabase } from "../../db/client"
export const run = (ctx: Ctx) => siteDatabase(ctx.env, "SITES_1")`,
        legal: `${CTX}import { siteDatabase } from "../../db/client"
export const run = (ctx: Ctx, site: string) => siteDatabase(ctx.env, "SITES_1", site)`,
        error: "Expected 3 arguments",
      },
      {
        file: "src/content/media/sweep/*.ts",
        violation: `import { acrossSites } from "../../../db/site-scope"
export const scope = acrossSites("whatever")`,
        legal: `import { acrossSites } from "../../../db/site-scope"
export const scope = acrossSites("media_sweep")`,
        error: "not assignable",
      },
    ],
  },
  {
    rule: "a switch over a union handles every member",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `export function run(kind: "a" | "b") {
  switch (kind) {
    case "a":
      return 1
    default:
      return 2
  }
}`,
        legal: `import { assertNever } from "../../lib/assert-never"
export function run(kind: "a" | "b") {
  switch (kind) {
    case "a":
      return 1
    case "b":
      return 2
    default:
      return assertNever(kind)
  }
}`,
        error: "every switch ends in assertNever",
      },
    ],
  },
  {
    rule: "assertNever rejects a member that no case handles",
    by: "types",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `import type { JobMessage } from "../../core/queue/messages"
import { assertNever } from "../../lib/assert-never"
export function run(message: JobMessage) {
  switch (message.job) {
    case "mails":
      return 1
    default:
      return assertNever(message)
  }
}`,
        legal: `import { assertNever } from "../../lib/assert-never"
export function run(kind: "a") {
  switch (kind) {
    case "a":
      return 1
    default:
      return assertNever(kind)
  }
}`,
        error: "is not assignable to parameter of type 'never'",
      },
    ],
  },
  {
    rule: "only the folder of a card provider names it",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/rules.ts",
        violation: `export const isCard = (provider: string) => provider === "stripe"`,
        legal: `export const isCard = (kind: "card" | "local") => kind === "card"`,
        error: "the name of a card provider",
      },
    ],
  },
  {
    rule: "a cipher encrypts and decrypts",
    by: "types",
    cases: [
      {
        file: "src/license/encryption/*.ts",
        violation: `import type { Cipher } from "./cipher"
export const cipher: Cipher = { keyBytes: 32 }`,
        legal: `import { createAesGcm } from "./aes-gcm"
export const cipher = createAesGcm(32)`,
        error: "is missing the following properties",
      },
    ],
  },
  {
    rule: "tests wait for events, not for time",
    by: "lint",
    cases: [
      {
        file: "test/webhooks/*.test.ts",
        violation: `import { expect, test } from "vitest"
test("waits", async () => {
  await scheduler.wait(50)
  expect([1].length).toBe(1)
})`,
        legal: `import { expect, test } from "vitest"
test("does not wait", () => {
  expect([1].length).toBe(1)
})`,
        error: "tests wait for events, not for time",
      },
    ],
  },
  {
    rule: "a test asserts something",
    by: "lint",
    cases: [
      {
        file: "test/platform/*.test.ts",
        violation: `import { test } from "vitest"
test("does nothing", () => {
  String(1)
})`,
        legal: `import { expect, test } from "vitest"
test("compares", () => {
  expect(String(1)).toBe("1")
})`,
        error: "a test asserts something",
      },
    ],
  },
  {
    rule: "French texts have typographic apostrophes",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/strings.ts",
        violation: `export const TITLE = { en: "The shop's address", fr: "L'adresse de la boutique" }`,
        legal: `export const TITLE = { en: "The shop's address", fr: "L’adresse de la boutique" }`,
        error: "French texts have typographic apostrophes",
      },
      {
        file: "src/platform/*/strings.ts",
        violation: `import { localize } from "../../core/i18n/locale"
export const TITLE = localize("The address", "La dirección", "L'adresse", "Địa chỉ")`,
        legal: `import { localize } from "../../core/i18n/locale"
export const TITLE = localize("The address", "La dirección", "L’adresse", "Địa chỉ")`,
        error: "French texts have typographic apostrophes",
      },
      {
        file: "src/platform/*/strings.ts",
        violation: `export const TITLE_FR = { of: (name: string) => \`L'adresse de \${name}\` }`,
        legal: `export const TITLE_FR = { of: (name: string) => \`L’adresse de \${name}\` }`,
        error: "French texts have typographic apostrophes",
      },
    ],
  },
  {
    rule: "retired identifiers do not come back",
    by: "lint",
    cases: [
      {
        file: "src/platform/*/service.ts",
        violation: `export const bookkeep = 1`,
        legal: `export const account = 1`,
        error: "retired identifier",
      },
    ],
  },
]

/** All rules with all their violations. */
export const RULES: Rule[] = [
  ...BASIC_RULES,
  ...EVASIONS,
  ...CALL_EVASIONS,
  ...INPUT_EVASIONS,
  ...INDIRECT_EVASIONS,
  ...PAGE_EVASIONS,
]
