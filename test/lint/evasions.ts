// The violations of cases.ts in other words: renamed, destructured, computed, passed on as a value, or in a file of
// another name. Each rule's variants share the legal counterpart.
import type { Rule } from "./cases.ts"
import { vary } from "./vary.ts"

const SERVICE = "src/platform/*/service.ts"
const PAGE = "src/console/pages/*.tsx"
const TEST = "test/platform/*.test.ts"
const CTX = 'import type { Ctx } from "../../core/context"\n'
const WRITES = `import { eq } from "drizzle-orm"
import { stores } from "../../db/schema/central/stores"
import { remove } from "../../db/write"
`
const UNAUDITED = `${CTX}import { writeUnaudited } from "../../core/write/commit"\n`
const REQUEST = 'import type { Context } from "hono"\n'
const VITEST = 'import { expect, test } from "vitest"\n'

export const EVASIONS: Rule[] = [
  vary(
    {
      rule: "globals are used by name",
      by: "lint",
      file: SERVICE,
      legal: `export const parse = (text: string, now: unknown) =>
  now instanceof Date ? now : new Date(Math.floor(Date.parse(text)))`,
      error: "globals are used by name",
    },
    `const { now } = Date
export const run = () => now()`,
    `const Clock = Date
export const run = () => new Clock()`,
    `const key = "now"
export const run = () => Date[key]()`,
    `export const run = () => Date()`,
    `export const run = () => Reflect.construct(Date, [])`,
    `const { now } = performance
export const run = () => now()`,
    `const { random } = Math
export const run = () => random()`,
    `const source = crypto
export const run = () => source.randomUUID()`,
    `const { fetch: send } = globalThis
export const run = (url: string) => send(url)`,
    `const out = console
export const run = () => out.log("x")`,
    `export const run = (url: string) => new WebSocket(url)`,
    `export const run = (url: string) => new Function("url", "return fetch(url)")(url)`,
    `export const run = () => require("../../db/execute")`,
    `export const run = () => caches.default.match("https://example.com")`,
    `export const run = (url: string) => navigator.sendBeacon(url)`,
    `export const run = () => Temporal.Now.instant()`,
    `export const run = () => process.stdout.write("x")`,
    `export const run = () => new WebSocketPair()`,
    `${CTX}export const run = (ctx: Ctx, key: string) => Reflect.get(ctx.env, "MEDIA").delete(key)`,
  ),
  vary(
    {
      rule: "the time is ctx.now",
      by: "lint",
      file: SERVICE,
      legal: `export const run = (parts: [number, number]) => new Date(0, ...parts)`,
      error: "the time is ctx.now",
    },
    `const NONE = [] as const
export const run = () => new Date(...NONE)`,
  ),
  vary(
    {
      rule: "only checked or configured URLs are marked as outbound",
      by: "lint",
      file: SERVICE,
      legal: `import type { OutboundUrl } from "../../core/outbound/fetch"
export const mark = (url: OutboundUrl) => url`,
      error: "a URL that a user typed is checked before every request",
    },
    `import * as outbound from "../../core/outbound/fetch"
export const mark = (url: string) => outbound.safeUrl(url)`,
    `export async function mark(url: string) {
  const { safeUrl } = await import("../../core/outbound/fetch")
  return safeUrl(url)
}`,
  ),
  vary(
    {
      rule: "only checked or configured URLs are marked as outbound",
      by: "lint",
      file: SERVICE,
      legal: `import type { OutboundUrl } from "../../core/outbound/fetch"
export const mark = (url: OutboundUrl) => url as string`,
      error: "types are not cast away",
    },
    `import type { OutboundUrl } from "../../core/outbound/fetch"
export const mark = (url: string) => url as OutboundUrl`,
    `import type { OutboundUrl } from "../../core/outbound/fetch"
export const isSafe = (url: string): url is OutboundUrl => url.startsWith("https:")`,
  ),
  vary(
    {
      rule: "SQL runs in src/db only",
      by: "lint",
      file: "src/platform/*/queries.ts",
      legal: `import { sql } from "drizzle-orm"
export const order = (columns: string[]) => sql.join(columns.map((column) => sql.identifier(column)), sql\`, \`)`,
      error: "SQL runs in src/db only",
    },
    `import { sql } from "drizzle-orm"
export const order = (columns: string[]) => sql.join(columns.map(sql.raw), sql\`, \`)`,
    `import { sql } from "drizzle-orm"
export const order = (column: string) => sql.raw.call(sql, column)`,
  ),
  vary(
    {
      rule: "a chain of comparisons with a union handles every member",
      by: "lint",
      file: SERVICE,
      legal: `import { assertNever } from "../../lib/assert-never"
export function run(kind: "a" | "b" | "c") {
  if (kind === "a") return 1
  if (kind === "b") return 2
  if (kind === "c") return 3
  return assertNever(kind)
}
export const other = (kind: "a" | "b" | "c") =>
  kind === "a" ? 1 : kind === "b" ? 2 : kind === "c" ? 3 : assertNever(kind)
export const isOpen = (kind: "a" | "b" | "c") => kind === "a" || kind === "b"
export function format(value: unknown, kind: string) {
  if (typeof value === "string") return 1
  if (typeof value === "number") return 2
  if (typeof value === "boolean") return 3
  if (kind === "a") return 4
  return 5
}`,
      error: "a chain of comparisons with three names ends in assertNever",
    },
    `export function run(kind: "a" | "b" | "c" | "d") {
  if (kind === "a") return 1
  if (kind === "b") return 2
  if (kind === "c") {
    return 3
  }
  return 4
}`,
    `export function run(message: { kind: "a" | "b" | "c" | "d" }) {
  let result = 0
  if (message.kind === "a") result = 1
  else if (message.kind === "b") result = 2
  else if (message.kind === "c") result = 3
  else result = 4
  return result
}`,
    `export const run = (kind: "a" | "b" | "c" | "d") => (kind === "a" ? 1 : kind === "b" ? 2 : kind === "c" ? 3 : 4)`,
    `export function run(kinds: ("a" | "b" | "c" | "d")[]) {
  for (const kind of kinds) {
    if (kind === "a" || kind === "b") continue
    if (kind === "c") break
    if (kind === "d") return 1
  }
  return 2
}`,
  ),
  vary(
    {
      rule: "a switch over a union handles every member",
      by: "lint",
      file: SERVICE,
      legal: `import { assertNever } from "../../lib/assert-never"
export function run(kind: "a" | "b") {
  switch (kind) {
    case "a":
      return 1
    case "b":
      return 2
    default: {
      assertNever(kind)
    }
  }
}`,
      error: "every switch ends in assertNever",
    },
    `export function run(kind: "a" | "b") {
  switch (kind) {
    case "a":
      return 1
    default: {
      // not assertNever(kind)
      return 2
    }
  }
}`,
  ),
  vary(
    {
      rule: "the time is ctx.now",
      by: "lint",
      file: SERVICE,
      legal: `${CTX}export const run = (ctx: Ctx, list: Date[]) => list.map((date) => ctx.now.getTime() - date.getTime())`,
      error: "the time is ctx.now",
    },
    `const now = Date.now
export const run = () => now()`,
    `export const run = (list: number[]) => list.map(Date.now)`,
    `export const run = () => performance.now()`,
    `export const run = () => new Intl.DateTimeFormat("en").format()`,
  ),
  vary(
    {
      rule: "randomness comes from lib/random",
      by: "lint",
      file: SERVICE,
      legal: `export const run = (list: number[]) => list.map(Math.abs)`,
      error: "randomness comes from lib/random",
    },
    `export const run = (list: number[]) => list.map(Math.random)`,
  ),
  vary(
    {
      rule: "randomness comes from lib/random",
      by: "lint",
      file: "src/core/http/*.ts",
      legal: `import { sha256 } from "../../lib/hash"
export const run = sha256`,
      error: "wrap node:crypto",
    },
    `import { randomBytes } from "node:crypto"
export const run = () => randomBytes(4)`,
    `import { scryptSync } from "node:crypto"
export const run = (text: string) => scryptSync(text, text, 4)`,
  ),
  vary(
    {
      rule: "types are not cast away",
      by: "lint",
      file: SERVICE,
      legal: `${CTX}import { settingsOf } from "../../env"
export const run = (ctx: Ctx) => settingsOf(ctx.env).APP_NAME`,
      error: "types are not cast away",
    },
    `${CTX}export const run = (ctx: Ctx) => (ctx.env as Ctx["env"] & { MEDIA: { delete(key: string): void } }).MEDIA`,
    `${CTX}export function run(ctx: Ctx) {
  const handle: unknown = ctx.db
  return (handle as { run(sql: string): Promise<void> }).run("delete from stores")
}`,
  ),
  vary(
    {
      rule: "types are not turned off",
      by: "lint",
      file: SERVICE,
      legal: `// What follows is checked.
export const run = (id: string) => id.length`,
      error: "types are not turned off",
    },
    `${CTX}// @ts-expect-error: it exists
export const run = (ctx: Ctx) => ctx.db.delete(1)`,
    `// @ts-nocheck
export const run = (ctx) => ctx.db.delete(1)`,
    `${CTX}/// @ts-expect-error it exists
export const run = (ctx: Ctx) => ctx.db.delete(1)`,
    `${CTX}/** @ts-expect-error it exists */
export const run = (ctx: Ctx) => ctx.db.delete(1)`,
    `${CTX}export const one = 1 // @ts-expect-error it exists
export const run = (ctx: Ctx) => ctx.db.delete(1)`,
    `// biome-ignore lint/suspicious/noExplicitAny: it is simpler
export const run = (value: any) => value.name`,
    `// biome-ignore-all lint/suspicious/noConsole: it is simpler
export const run = () => console.log("x")`,
    `// biome-ignore lint: it is simpler
export const run = (value: string | null) => value!.length`,
    `// eslint-disable-next-line no-console
export const run = () => 1`,
    `export function run() {
  let value!: string
  return () => value.length
}`,
  ),
  vary(
    {
      rule: "only the owner of a binding imports it",
      by: "lint",
      file: SERVICE,
      legal: `${CTX}import { settingsOf } from "../../env"
export const run = (ctx: Ctx) => settingsOf(ctx.env)`,
      error: "a binding is read by the module that owns it",
    },
    `export const run = (bucket: R2Bucket) => bucket.delete("a")`,
  ),
  vary(
    {
      rule: "a write is passed to a writer",
      by: "lint",
      file: SERVICE,
      legal: `${WRITES}export const run = (ids: string[], hash: { update(text: string): void }) => {
  hash.update("x")
  return ids.map((id) => remove(stores).where(eq(stores.id, id)))
}`,
      error: "a write is a value that only a writer runs",
    },
    `${WRITES}export function run(id: string) {
  id && remove(stores).where(eq(stores.id, id))
}`,
    `${WRITES}export async function run(id: string) {
  await Promise.all([remove(stores).where(eq(stores.id, id))])
}`,
    `${WRITES}export function run(ids: string[]) {
  ids.map((id) => remove(stores).where(eq(stores.id, id)))
}`,
    `import { eq } from "drizzle-orm"
import { posts } from "../../db/schema/sites/posts"
import { inSite } from "../../db/site-scope"
export function run(site: string) {
  inSite(site).remove(posts).where(eq(posts.id, 1))
}`,
  ),
  vary(
    {
      rule: "a write is passed to a writer",
      by: "lint",
      file: SERVICE,
      legal: `${WRITES}export const run = (id: string) => remove(stores).where(eq(stores.id, id))`,
      error: "lint rules know the exports of this module by their names",
    },
    `${WRITES.replace("{ remove }", "{ remove as erase }")}export function run(id: string) {
  erase(stores).where(eq(stores.id, id))
}`,
  ),
  vary(
    {
      rule: "background work goes to ctx.inBackground, not to void",
      by: "lint",
      file: SERVICE,
      legal: `${UNAUDITED}export const run = (ctx: Ctx) => ctx.inBackground(writeUnaudited(ctx, "cleanup", []).then(() => 1))`,
      error: "background work goes to ctx.inBackground",
    },
    `${UNAUDITED}export function run(ctx: Ctx, isOn: boolean) {
  void (isOn ? writeUnaudited(ctx, "cleanup", []) : 0)
}`,
    `${UNAUDITED}export function run(ctx: Ctx) {
  const work = writeUnaudited(ctx, "cleanup", [])
  void work
}`,
    `${UNAUDITED}export function run(ctx: Ctx) {
  writeUnaudited(ctx, "cleanup", []).catch(() => undefined)
}`,
    `${UNAUDITED}export function run(ctx: Ctx) {
  setTimeout(async () => {
    await writeUnaudited(ctx, "cleanup", [])
  }, 10)
}`,
    `${UNAUDITED}export function run(ctx: Ctx) {
  const work = writeUnaudited(ctx, "cleanup", [])
  work.catch(() => undefined)
}`,
    `export const run = (execution: ExecutionContext, work: Promise<void>) => execution.waitUntil(work)`,
    `export const run = ({ waitUntil }: ExecutionContext, work: Promise<void>) => waitUntil(work)`,
  ),
  vary(
    {
      rule: "background work goes to ctx.inBackground, not to void",
      by: "lint",
      file: "durable/*.ts",
      legal: `export const run = (state: DurableObjectState) => state.storage.put("hits", 1)`,
      error: "background work goes to ctx.inBackground",
    },
    `export function run(state: DurableObjectState) {
  void state.storage.put("hits", 1)
}`,
  ),
  vary(
    {
      rule: "only a deadline sets a timer",
      by: "lint",
      file: SERVICE,
      legal: `import { withDeadline } from "../../lib/deadline"
export const run = (work: Promise<void>) => withDeadline(1_000, work)`,
      error: "globals are used by name",
    },
    `export const run = (work: () => void) => setTimeout(work, 1_000)`,
    `export const run = () => new Promise((resolve) => setTimeout(resolve, 1_000))`,
    `export const run = (work: () => void) => setInterval(work, 1_000)`,
    `export const run = (work: () => void) => queueMicrotask(work)`,
  ),
  vary(
    {
      rule: "rules are pure",
      by: "lint",
      file: "src/platform/*/rules.ts",
      legal: `export const rules = { isOver: (now: Date, end: Date) => end < now }`,
      error: "rules are pure: they do not wait",
    },
    `export const run = (work: PromiseLike<number>) => work.then((value) => value + 1)`,
    `export const run = async function () {
  return 1
}`,
    `export const rules = {
  async run() {
    return 1
  },
}`,
    `export const run = (data: Uint8Array<ArrayBuffer>) => crypto.subtle.digest("SHA-256", data)`,
    `export const run = (rows: AsyncIterable<number>) => Array.fromAsync(rows)`,
    `export const run = (notify: () => void) => queueMicrotask(notify)`,
  ),
  vary(
    {
      rule: "rules are pure",
      by: "lint",
      file: "src/platform/*/rules.tsx",
      legal: `export const rules = { isOver: (now: Date, end: Date) => end < now }`,
      error: "rules are pure: they do not wait",
    },
    `export const run = async (load: () => Promise<number>) => (await load()) + 1`,
  ),
  vary(
    {
      rule: "state of a module is declared with isolateState",
      by: "lint",
      file: SERVICE,
      legal: `const LIMITS = { a: 1 }
export function run(id: "a") {
  const found: Record<string, number> = {}
  found[id] = LIMITS[id]
  return found
}`,
      error: "state of a module is declared with isolateState",
    },
    `const cache: Record<string, string> = {}
export const run = (id: string) => {
  cache[id] = id
}`,
    `const counts = { hits: 0 }
export const run = () => {
  counts.hits++
}`,
    `const list = new Array<string>()
export const run = (id: string) => list.push(id)`,
    `const cache = new Map<string, string>([])
export const run = (id: string) => cache.set(id, id)`,
    `const cache: Record<string, string> = Object.create(null)
export const run = (id: string) => {
  delete cache[id]
}`,
    `export class Counter {
  static hits = 0
}`,
    `const ORDER = ["b", "a"]
export const run = () => ORDER.reverse()`,
    `const counter = (() => {
  let hits = 0
  return () => ++hits
})()
export const run = counter`,
    `class Cache {
  readonly #items = new Map<string, string>()
  put(key: string) {
    this.#items.set(key, key)
  }
}
const cache = new Cache()
export const run = (key: string) => cache.put(key)`,
    `import { Semaphore } from "../../lib/semaphore"
const slots = new Semaphore(3)
export const run = () => slots`,
    `function createCounter() {
  let count = 0
  return () => ++count
}
export const run = createCounter()`,
    `const createCache = () => {
  const items = new Map<string, string>()
  return (key: string) => items.set(key, key)
}
export const run = createCache()`,
    `const counts = { hits: 0 }
export const run = () => {
  const state = counts
  state.hits++
}`,
    `const state = { cache: new Map<string, string>() }
export const run = (key: string) => {
  const { cache } = state
  cache.set(key, key)
}`,
    `const limits = { perMinute: 1 }
export const run = (perMinute: number) => Object.assign(limits, { perMinute })`,
    `export function run(): number {
  run.hits++
  return run.hits
}
run.hits = 0`,
    `export class Cache {
  static readonly items = new Map<string, string>()
  put(key: string) {
    Cache.items.set(key, key)
  }
}`,
    `const counter = {
  hits: 0,
  increment() {
    this.hits++
  },
}
export const run = () => counter.increment()`,
    `import { memoize } from "../../lib/memo"
const load = memoize((key: string) => ({ key, hits: 0 }))
export const run = (key: string) => load(key).hits++`,
    `const cached: { value?: Promise<string> } = {}
export const run = (load: () => Promise<string>) => (cached.value ??= load())`,
  ),
  vary(
    {
      rule: "state of a module is declared with isolateState",
      by: "lint",
      file: SERVICE,
      legal: `const double = (value: number) => value * 2
function createTable(size: number) {
  const table = new Map<number, number>()
  for (let index = 0; index < size; index++) table.set(index, double(index))
  return table
}
const TABLE = createTable(8)
export function run(keys: number[]) {
  const list: number[] = []
  const { length } = keys
  for (const key of keys) list.push(TABLE.get(key) ?? length)
  return list
}`,
      error: "state of a module is declared with isolateState",
    },
    `const TABLE = new Map([[1, 1]])
export const run = (key: number) => {
  TABLE.set(key, key)
}`,
    `const COUNTERS = [{ hits: 0 }]
export function run() {
  for (const counter of COUNTERS) counter.hits++
}`,
    `const COUNTERS = [{ hits: 0 }]
export function run() {
  const [first] = COUNTERS
  if (first) first.hits++
}`,
  ),
  vary(
    {
      rule: "state of a module is declared with isolateState",
      by: "lint",
      file: "durable/*.ts",
      legal: `import { durableObject } from "../src/lib/durable"
export class Counter extends durableObject() {
  hits = 0
  #seen = new Set<string>()
  count(key: string): number {
    this.#seen.add(key)
    return ++this.hits
  }
}`,
      error: "state of a module is declared with isolateState",
    },
    `let hits = 0
export const run = () => ++hits`,
    `const seen = new Map<string, number>()
export const run = (key: string) => seen.set(key, 1)`,
  ),
  vary(
    {
      rule: "the time is ctx.now",
      by: "lint",
      file: "durable/*.ts",
      legal: `export const isOver = (now: number, end: number) => end < now`,
      error: "the time is ctx.now",
    },
    `export const run = () => Date.now()`,
    `import { currentMs } from "../src/lib/clock"
export const run = () => currentMs()`,
  ),
  vary(
    {
      rule: "randomness comes from lib/random",
      by: "lint",
      file: "durable/*.ts",
      legal: `export const run = (value: number) => Math.floor(value)`,
      error: "randomness",
    },
    `export const run = () => Math.random()`,
    `export const run = () => crypto.randomUUID()`,
  ),
  vary(
    {
      rule: "types are not cast away",
      by: "lint",
      file: "durable/*.ts",
      legal: `export const run = (state: DurableObjectState) => state.storage.deleteAll()`,
      error: "types are not cast away",
    },
    `export const run = (state: DurableObjectState) => (state as unknown as { hits: number }).hits`,
  ),
  vary(
    {
      rule: "secrets and personal data are not logged",
      by: "lint",
      file: SERVICE,
      legal: `${CTX}export const run = ({ log }: Ctx, user: { id: number }, table: { name: string }, tokenCount: number) => {
  const subject = table.name
  log.info("signed in", { reason: \`user \${user.id}\`, subject, left: tokenCount })
  return new Error(\`user \${user.id} is missing in \${table.name}\`)
}`,
      error: "secrets and personal data are not logged",
    },
    `${CTX}export function run(ctx: Ctx, token: string) {
  const logger = ctx.log
  logger.info("signed in", { token })
}`,
    `${CTX}export const run = (ctx: Ctx, token: string) => ctx.log.info("signed in " + token)`,
    `${CTX}export const run = (ctx: Ctx, token: string) => ctx.log.info("signed in", { note: \`with \${token}\` })`,
    `${CTX}export const run = (ctx: Ctx, user: { email: string }) => ctx.log.info("in", { user: user.email.trim() })`,
    `${CTX}export const run = (ctx: Ctx, phone: string) => ctx.log.info("in", { reason: phone })`,
    `${CTX}export const run = (ctx: Ctx) => ctx.log.info("in", { reason: String(ctx.address) })`,
    `${CTX}export const run = (ctx: Ctx, user: { firstName: string }) => ctx.log.info("in", { item: user.firstName })`,
    `${CTX}export const run = ({ log: { info } }: Ctx, token: string) => info("in", { reason: token })`,
    `import type { Log } from "../../core/log"
export const run = (logger: Log, email: string) => logger.info("in", { reason: email })`,
    `import type { Context } from "hono"
import type { PlatformEnv } from "../../core/http/platform-env"
export const run = (c: Context<PlatformEnv>) => c.var.log.info("in", { reason: c.req.header("Authorization") ?? "" })`,
    `${CTX}export function run(ctx: Ctx, user: { email: string | null }) {
  const item = user.email?.trim() ?? "none"
  ctx.log.info("in", { item })
}`,
    `${CTX}export const run = (ctx: Ctx, customer: { name: string }) => ctx.log.info("in", { item: customer.name })`,
    `${CTX}export const run = (ctx: Ctx, clientIp: string) => ctx.log.info("in", { item: \`from \${clientIp}\` })`,
    `${CTX}export const run = (ctx: Ctx, row: object) => ctx.log.info("in", { item: JSON.stringify(row) })`,
    `export function run(email: string): never {
  throw new Error(\`no user has the address \${email}\`)
}`,
    `${CTX}export function run(ctx: Ctx, user: { email: string }) {
  let item = "none"
  item = user.email
  ctx.log.info("in", { item })
}`,
    `${CTX}export const run = (ctx: Ctx, { email: item }: { email: string }) => ctx.log.info("in", { item })`,
    `export const run = (customer: { name: string }) => new Error(\`no \${customer.name}\`)`,
    `export const run = (user: { phone: string }) => new TypeError("invalid: " + user.phone)`,
  ),
  vary(
    {
      rule: "a log line has the listed fields only",
      by: "types",
      file: SERVICE,
      legal: `${CTX}export function run(ctx: Ctx, facts: { store: string; attempt: number }) {
  ctx.log.warn("bounced", { ...facts, status: 550 })
}`,
      error: "TS2",
    },
    `${CTX}export const run = (ctx: Ctx, to: string) => ctx.log.info("sent", { to })`,
    `${CTX}export const run = (ctx: Ctx, user: { id: number; name: string }) => ctx.log.info("in", { ...user })`,
    `${CTX}export function run(ctx: Ctx, customer: string) {
  const facts = { store: "a", customer }
  ctx.log.info("ordered", facts)
}`,
    `${CTX}export const run = (ctx: Ctx, ip: string) => ctx.log.error("failed", new Error("timeout"), { ip })`,
    `${CTX}export const run = (ctx: Ctx, user: object) => ctx.log.info("in", { user: JSON.stringify(user) })`,
    `import { createLog } from "../../core/log"
export const run = (recipient: string) => createLog({ recipient })`,
    `${CTX}export const run = (ctx: Ctx, customer: object) => ctx.log.info("in", customer)`,
  ),
  vary(
    {
      rule: "request bodies are read by core/http/body",
      by: "lint",
      file: PAGE,
      legal: `${REQUEST}export const run = (c: Context, response: Response) => [c.req.raw.method, response.text()]`,
      error: "request bodies are",
    },
    `${REQUEST}export const run = (c: Context) => c.req.raw.clone().json()`,
    `${REQUEST}export const run = (c: Context) => new Response(c.req.raw.body).text()`,
  ),
  vary(
    {
      rule: "text is escaped",
      by: "lint",
      file: PAGE,
      legal: `export const Name = ({ name }: { name: string }) => <b title={name}>{name}</b>`,
      error: "text is escaped",
    },
    `${REQUEST}export const run = (c: Context) => c.html(\`<b>\${c.req.query("q")}</b>\`)`,
    `export const run = (name: string) => new Response(\`<b>\${name}</b>\`, { headers: { "Content-Type": "text/html" } })`,
    `export const Name = ({ name }: { name: string }) => <b dangerouslySetInnerHTML={{ __html: name }} />`,
    `${REQUEST}export const run = (context: Context) => context.html(\`<b>\${context.req.query("q")}</b>\`)`,
    `export const run = (name: string) =>
  new Response(\`<b>\${name}</b>\`, { headers: { "Content-Type": \`text/html; charset=\${"utf-8"}\` } })`,
    `export const Name = ({ name }: { name: string }) => <b {...{ dangerouslySetInnerHTML: { __html: name } }} />`,
    `export const escape = (name: string) => Object.assign(new String(name), { isEscaped: true as const })`,
  ),
  vary(
    {
      rule: "LIKE and GLOB have a constant pattern",
      by: "lint",
      file: "src/platform/*/queries.ts",
      legal: `import { eq } from "drizzle-orm"
import { stores } from "../../db/schema/central/stores"
export const matches = (name: string) => eq(stores.name, name)`,
      error: "LIKE and GLOB have a constant pattern",
    },
    `import * as orm from "drizzle-orm"
import { stores } from "../../db/schema/central/stores"
export const matches = (text: string) => orm.like(stores.name, text)`,
    `import { ilike as matches } from "drizzle-orm"
export const run = matches`,
    `import { getOperators } from "drizzle-orm"
import { stores } from "../../db/schema/central/stores"
export const run = (text: string) => getOperators().like(stores.name, text)`,
    `import { sql } from "drizzle-orm"
const query = sql
export const run = (text: string) => query\`name like \${text}\``,
  ),
  vary(
    {
      rule: "LIKE and GLOB have a constant pattern",
      by: "lint",
      file: "src/platform/*/queries.ts",
      legal: `import { sql } from "drizzle-orm"
export const run = (text: string) => sql\`name = \${text}\``,
      error: "lint rules know the exports of this module by their names",
    },
    `import { sql as query } from "drizzle-orm"
export const run = (text: string) => query\`name like \${text}\``,
  ),
  vary(
    {
      rule: "routes, jobs and console pages call services, never the database",
      by: "lint",
      file: "src/platform/*/http.ts",
      legal: `import type { PlatformEnv } from "../../core/http/platform-env"
import { createRouter } from "../../core/http/router"
import { savePlan } from "../plans/service"
export const routes = [createRouter<PlatformEnv>(), savePlan]`,
      error: "routes, jobs and the console call services",
    },
    `import type { PlatformEnv } from "../../core/http/platform-env"
import { createRouter } from "../../core/http/router"
import { stores } from "../../db/schema/central/stores"
export const routes = [createRouter<PlatformEnv>(), stores]`,
  ),
  vary(
    {
      rule: "every route is described",
      by: "lint",
      file: "src/platform/*/routes.ts",
      legal: `import type { PlatformEnv } from "../../core/http/platform-env"
import { createRouter } from "../../core/http/router"
export const routes = createRouter<PlatformEnv>()`,
      error: "routers are created with createRouter",
    },
    `import { Hono } from "hono"
export const routes = new Hono().get("/x", (c) => c.text("x"))`,
  ),
  vary(
    {
      rule: "errors are Refusals with a code",
      by: "lint",
      file: "src/platform/*/routes.ts",
      legal: `import { Refusal } from "../../core/http/refusal"
export const run = () => {
  throw new Refusal("not_found")
}`,
      error: "errors are Refusals",
    },
    `import { HTTPException } from "hono/http-exception"
export const run = () => {
  throw new HTTPException(400)
}`,
  ),
  vary(
    {
      rule: "only the folder of a card provider names it",
      by: "lint",
      file: SERVICE,
      legal: `export const isCard = (kinds: { card: number }) => kinds.card`,
      error: "the name of a card provider",
    },
    `export const isCard = (kinds: { stripe: number }) => kinds.stripe`,
    "export const isCard = (provider: string) => provider === `stripe`",
    `export const isCard = (reference: string) => reference.startsWith("stripe:")`,
    `export const getReference = (id: string) => \`stripe:\${id}\``,
    `export const isCard = (provider: string) => /^stripe$/.test(provider)`,
  ),
  vary(
    {
      rule: "tests wait for events, not for time",
      by: "lint",
      file: TEST,
      legal: `import { vi } from "vitest"
${VITEST}test("spies", () => {
  vi.spyOn(globalThis, "setTimeout")
  expect([1].length).toBe(1)
})`,
      error: "tests wait for events, not for time",
    },
    `import { setTimeout as pause } from "node:timers/promises"
${VITEST}test("waits", async () => {
  await pause(50)
  expect([1].length).toBe(1)
})`,
    `${VITEST}test("waits", async () => {
  await new Promise((resolve) => globalThis.setTimeout(resolve, 50))
  expect([1].length).toBe(1)
})`,
    `${VITEST}const later = setTimeout
test("waits", async () => {
  await new Promise((resolve) => later(resolve, 50))
  expect([1].length).toBe(1)
})`,
    `${VITEST}test("waits", async () => {
  await expect.poll(() => 1).toBe(1)
})`,
  ),
  vary(
    {
      rule: "a test asserts something",
      by: "lint",
      file: TEST,
      legal: `${VITEST}test.each([1, 2])("compares %i", async (number) => {
  await expect(Promise.resolve(number)).resolves.toBe(number)
})`,
      error: "a test asserts something",
    },
    `${VITEST}test("compares", () => {
  expect(String(1))
})`,
    `${VITEST}test("compares", () => {
  expect(Promise.resolve(1)).resolves.toBe(2)
})`,
    `import { test } from "vitest"
test.each([1, 2])("calls %i", (number) => {
  String(number)
})`,
  ),
  vary(
    {
      rule: "every test runs, exactly once",
      by: "lint",
      file: TEST,
      legal: `${VITEST}test("compares", { timeout: 1_000 }, () => {
  expect([1].length).toBe(1)
})`,
      error: "every test runs, exactly once",
    },
    `${VITEST}test("compares", { retry: 2 }, () => {
  expect([1].length).toBe(1)
})`,
    `${VITEST}test.skipIf(true)("compares", () => {
  expect([1].length).toBe(1)
})`,
    `import { test } from "vitest"
test.todo("compares")`,
  ),
]
