// GET /api/health-check, without a key: whether the platform can do its work and, if not, what keeps it from it. It names
// settings and databases, never a value.
import { Hono } from "hono"
import { hostOf } from "./core/http/host"
import { createLog } from "./core/log"
import { bindingOf, type Env, SettingsError, settingsOf } from "./env"
import { SECOND } from "./lib/time"

/** How long a database may take, and how long its answer is good for: anybody may ask, and asking costs a query. */
const PATIENCE_MS = 5 * SECOND
const REMEMBERED_MS = 5 * SECOND

/** What a health check says when all is well: 200. `version` is the upload that answers. */
interface Healthy {
  status: "ok"
  version: string
}

/** What keeps the platform from its work: bad settings are 500, a database that does not answer is 503. */
interface Unhealthy {
  status: "error"
  version: string
  message: string
  settings?: Record<string, string>
  databases?: Record<string, "ok" | "unreachable">
}

export const health = new Hono<{ Bindings: Env }>().get("/api/health-check", async (c) => {
  c.header("Cache-Control", "no-store")
  c.header("X-Content-Type-Options", "nosniff")
  const version = c.env.VERSION.id
  try {
    if (hostOf(c.env, c.req.url).kind !== "central") return c.notFound()
  } catch (thrown) {
    // Whose host this is stands in the settings; without them every host is told.
    if (!(thrown instanceof SettingsError)) throw thrown
    createLog({}).error("bad settings", thrown)
    const { message, faults } = thrown
    return c.json<Unhealthy>({ status: "error", version, message, settings: faults }, 500)
  }
  const databases = await remembered(c.env)
  const silent = Object.keys(databases).filter((name) => databases[name] !== "ok")
  if (silent.length === 0) return c.json<Healthy>({ status: "ok", version })
  const message = `No answer from ${silent.join(", ")}.`
  return c.json<Unhealthy>({ status: "error", version, message, databases }, 503)
})

type Databases = NonNullable<Unhealthy["databases"]>

const memory = new WeakMap<Env, { until: number; databases: Promise<Databases> }>()

/** Whether each database answers, asked at most once in a while by each isolate. */
function remembered(env: Env): Promise<Databases> {
  const now = Date.now()
  const known = memory.get(env)
  if (known && known.until > now) return known.databases
  const databases = askAll(env)
  memory.set(env, { until: now + REMEMBERED_MS, databases })
  return databases
}

async function askAll(env: Env): Promise<Databases> {
  const names = ["DB", ...settingsOf(env).SITE_DATABASES]
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await ask(bindingOf(env, name) as D1Database)])),
  )
}

async function ask(database: D1Database): Promise<"ok" | "unreachable"> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tired = new Promise<"unreachable">((resolve) => {
    timer = setTimeout(() => resolve("unreachable"), PATIENCE_MS)
  })
  const answer = database
    .prepare("select 1")
    .run()
    .then(() => "ok" as const)
    .catch((cause) => {
      createLog({}).error("a database does not answer", cause)
      return "unreachable" as const
    })
  return Promise.race([answer, tired]).finally(() => clearTimeout(timer))
}
