// The baseline Worker of the benchmarks: Hono, two parallel Durable Object calls, and one hand-written D1 statement
// each for the key and the store, without any checks.
import { DurableObject } from "cloudflare:workers"
import { Hono } from "hono"
import { handleRaw, RAW_PATH } from "./raw"

interface Env {
  DB: D1Database
  SITES_1: D1Database
  BUCKET: DurableObjectNamespace<Bucket>
}

/** Counts requests, and persists the count without waiting for the write. */
export class Bucket extends DurableObject<Env> {
  hits = 0

  take(): { hits: number } {
    this.hits += 1
    void this.ctx.storage.put("hits", this.hits, { allowUnconfirmed: true })
    return { hits: this.hits }
  }
}

const takeBudget = (env: Env, name: string) => env.BUCKET.get(env.BUCKET.idFromName(name)).take()

async function sha256(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex()
}

const app = new Hono<{ Bindings: Env; Variables: { key: Record<string, unknown> } }>()
  .basePath("/api/platform/v1")
  .use(async (c, next) => {
    const hash = await sha256(c.req.header("Authorization")?.slice("Bearer ".length) ?? "")
    await Promise.all([takeBudget(c.env, hash), takeBudget(c.env, c.req.header("CF-Connecting-IP") ?? "")])
    const key = await c.env.DB.prepare("select * from api_keys where hash = ?").bind(hash).first()
    if (!key) return c.json({ error: "unauthenticated" }, 401)
    c.set("key", key)
    await next()
  })
  .get("/platform", (c) => c.json({ data: c.var.key.name }))
  .get("/stores/:id", async (c) => {
    const store = await c.env.DB.prepare(
      `select * from stores
       left join subscriptions on subscriptions.store_id = stores.id
       left join usage_snapshots on usage_snapshots.store_id = stores.id
       left join domains on domains.store_id = stores.id and domains.is_primary = 1
       where stores.id = ?`,
    )
      .bind(c.req.param("id"))
      .first()
    return store ? c.json({ data: store }) : c.notFound()
  })

export default {
  fetch: (request: Request, env: Env, execution: ExecutionContext) =>
    new URL(request.url).pathname.startsWith(RAW_PATH) ? handleRaw(request, env) : app.fetch(request, env, execution),
}
