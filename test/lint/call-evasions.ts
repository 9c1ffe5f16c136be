// Violations that only show when calls are followed through functions and modules.
import type { Rule } from "./cases.ts"
import { vary } from "./vary.ts"

const PAGE = "src/console/pages/*.tsx"
const API = `import * as z from "zod"
import type { PlatformEnv } from "../../core/http/platform-env"
import { describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
const doc = describe({ id: "x.get", summary: "X", responses: { status: 200, body: z.object({}) } })
`
const PAGES = `import type { Context } from "hono"
import { suspendStore } from "../../platform/stores/service"
import { createPages } from "../router"
import type { ConsoleEnv } from "../types"
`
const READS = `import { eq } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { batch } from "../../db/client"
import { stores } from "../../db/schema/central/stores"
import { sha256 } from "../../lib/hash"
`

export const CALL_EVASIONS: Rule[] = [
  vary(
    {
      rule: "a GET changes nothing",
      by: "lint",
      file: "src/platform/*/routes.ts",
      legal: `${API}import { readStore } from "../stores/service"
export const router = createRouter<PlatformEnv>().get("/x", doc, async (c) =>
  c.json({ id: (await readStore(c.var.ctx, "a")).store.id }),
)`,
      error: "a GET changes nothing",
    },
    `${API}import { suspendStore } from "../stores/service"
export const router = createRouter<PlatformEnv>().get("/x", doc, async (c) => {
  await suspendStore(c.var.ctx, "a", { notify: false })
  return c.json({})
})`,
    `${API}import * as service from "../stores/service"
export const router = createRouter<PlatformEnv>().get("/x", doc, async (c) => {
  await service.suspendStore(c.var.ctx, "a", { notify: false })
  return c.json({})
})`,
    `${API}import { enqueueJob } from "../../core/queue/leased-jobs"
export const router = createRouter<PlatformEnv>().get("/x", doc, async (c) => {
  c.var.ctx.inBackground(enqueueJob(c.var.ctx, { job: "mails" }))
  return c.json({})
})`,
  ),
  vary(
    {
      rule: "a GET changes nothing",
      by: "lint",
      file: PAGE,
      legal: `${PAGES}import { dryRun } from "../../core/write/commit"
const render = async (c: Context<ConsoleEnv>) => {
  await dryRun(c.var.ctx, (ctx) => suspendStore(ctx, "a", { notify: false }))
  return c.text("x")
}
export const router = createPages().get("/console/x", (c) => render(c))
export const other = (c: Context<ConsoleEnv>) => suspendStore(c.var.ctx, "a", { notify: false })`,
      error: "a GET changes nothing",
    },
    `${PAGES}const render = async (c: Context<ConsoleEnv>) => {
  await suspendStore(c.var.ctx, "a", { notify: false })
  return c.text("x")
}
export const router = createPages().get("/console/x", render)`,
    `${PAGES}const suspend = (c: Context<ConsoleEnv>) => suspendStore(c.var.ctx, "a", { notify: false })
const renderAll = (c: Context<ConsoleEnv>) => Promise.all([1].map(() => suspend(c)))
export const router = createPages().get("/console/x", async (c) => c.json(await renderAll(c)))`,
    `${PAGES}export const confirmation = {
  async preview(c: Context<ConsoleEnv>) {
    await suspendStore(c.var.ctx, "a", { notify: false })
    return {}
  },
}
export const pages = createPages()`,
  ),
  vary(
    {
      rule: "no query per item",
      by: "lint",
      file: "src/content/*/service.ts",
      legal: `${READS}export async function run(ctx: Ctx, ids: string[]) {
  const reads = []
  for (const id of ids) reads.push(ctx.db.select().from(stores).where(eq(stores.id, id)).limit(1))
  const rows = await batch(ctx.db, reads)
  return Promise.all(rows.map(async (row) => sha256(String(row.length))))
}`,
      error: "no query per item",
    },
    `${READS}export async function run(ctx: Ctx, ids: string[]) {
  for (const id of ids) await ctx.db.select().from(stores).where(eq(stores.id, id)).limit(1)
  return [batch, sha256]
}`,
    `${READS}const load = (ctx: Ctx, id: string) => batch(ctx.db, [ctx.db.select().from(stores).where(eq(stores.id, id)).limit(1)])
export const run = (ctx: Ctx, ids: string[]) => Promise.all(ids.map((id) => load(ctx, id)))
export const hash = sha256`,
    `${READS}const find = async (ctx: Ctx, id: string) => ctx.db.select().from(stores).where(eq(stores.id, id)).limit(1)
export async function run(ctx: Ctx, ids: string[]) {
  const found = []
  for (let index = 0; index < ids.length; index++) found.push(...(await find(ctx, ids[index] ?? "")))
  return [found, batch, sha256]
}`,
    `${READS}export async function run(ctx: Ctx, ids: string[]) {
  const left = [...ids]
  while (left.length) await ctx.db.select().from(stores).where(eq(stores.id, left.pop() ?? "")).limit(1)
  return [batch, sha256]
}`,
    `${READS}export async function run(ctx: Ctx, ids: string[]) {
  const results = ids.map((id) => batch(ctx.db, [ctx.db.select().from(stores).where(eq(stores.id, id)).limit(1)]))
  return [await Promise.all(results), sha256]
}`,
    `${READS}const load = (ctx: Ctx, id: string) => batch(ctx.db, [ctx.db.select().from(stores).where(eq(stores.id, id)).limit(1)])
export const run = (ctx: Ctx, ids: string[]) =>
  ids.reduce(async (loaded, id) => [...(await loaded), await load(ctx, id)], Promise.resolve<unknown[]>([]))
export const hash = sha256`,
    `${READS}const load = (ctx: Ctx, id: string) => batch(ctx.db, [ctx.db.select().from(stores).where(eq(stores.id, id)).limit(1)])
export async function run(ctx: Ctx, ids: string[]) {
  const loading: Promise<unknown>[] = []
  for (const id of ids) loading.push(load(ctx, id))
  return [await Promise.all(loading), sha256]
}`,
    `${READS}const load = (ctx: Ctx, id: string) => batch(ctx.db, [ctx.db.select().from(stores).where(eq(stores.id, id)).limit(1)])
export const run = (ctx: Ctx, ids: Set<string>) => Promise.all(Array.from(ids, (id) => load(ctx, id)))
export const hash = sha256`,
    `${READS}import { writeUnaudited } from "../../core/write/commit"
export const run = (ctx: Ctx, ids: string[]) =>
  Promise.allSettled(
    ids.map(async (id) => {
      if (id) await writeUnaudited(ctx, "cleanup", [])
    }),
  )
export const others = [batch, sha256, stores, eq]`,
  ),
]
