// Serves GET /api/health-check, unauthenticated: whether the platform works and, if not, why. It names settings and
// databases, never values. With `?deep=1` it also checks what users would notice later, for monitors.

import { Hono } from "hono"
import { hostOf } from "./core/http/host"
import { createLog } from "./core/log"
import { createResultCache } from "./core/result-cache"
import { listDatabases, probeDatabase } from "./db/probe"
import type { DeepChecks } from "./deep-health"
import { type Bindings, deployedVersion, SettingsError, settingsOf } from "./env"
import { withDeadline } from "./lib/deadline"
import { Semaphore } from "./lib/semaphore"
import { SECOND } from "./lib/time"

/**
 * Timeout of a database check, and lifetime of its cached result: the endpoint is public, and every check costs a
 * query.
 */
const CHECK_TIMEOUT_MS = 5 * SECOND
const CACHE_TTL_MS = 5 * SECOND

/** Lifetime of the result of the deep check, which costs more. */
const DEEP_CACHE_TTL_MS = 10 * SECOND

/** Databases checked in parallel; an invocation has six connections. */
const MAX_CONNECTIONS = 4

/** The body of a 200. `version` is the id of the deployed Worker version. */
interface Healthy {
  status: "ok"
  version: string
}

/** The body of a 500 (invalid settings) or 503 (unreachable database). */
interface Unhealthy {
  status: "error"
  version: string
  message: string
  settings?: Record<string, string>
  databases?: Record<string, "ok" | "unreachable">
}

/** The body of `?deep=1`, of a 200 or a 503. */
interface DeeplyChecked {
  status: "ok" | "error"
  version: string
  checks: DeepChecks
}

export const health = new Hono<{ Bindings: Bindings }>().get("/api/health-check", async (c) => {
  c.header("Cache-Control", "no-store")
  c.header("X-Content-Type-Options", "nosniff")
  const version = deployedVersion(c.env)
  try {
    if (hostOf(c.env, c.req.url).kind !== "central") return c.notFound()
  } catch (error) {
    // The central host is a setting; without valid settings, every host gets the report.
    if (!(error instanceof SettingsError)) throw error
    createLog({}).error("invalid settings", error)
    const { message, problems } = error
    return c.json<Unhealthy>({ status: "error", version, message, settings: problems }, 500)
  }
  const databases = await cachedDatabases(c.env, () => checkDatabases(c.env))
  const unreachable = Object.keys(databases).filter((name) => databases[name] !== "ok")
  if (c.req.query("deep") === "1") {
    const { checkDeeply } = await import("./deep-health")
    const checks = await cachedDeepChecks(c.env, () => checkDeeply(c.env, unreachable.length === 0))
    const isOk = Object.values(checks).every((status) => status === "ok")
    return c.json<DeeplyChecked>({ status: isOk ? "ok" : "error", version, checks }, isOk ? 200 : 503)
  }
  if (unreachable.length === 0) return c.json<Healthy>({ status: "ok", version })
  const message = `No answer from ${unreachable.join(", ")}.`
  return c.json<Unhealthy>({ status: "error", version, message, databases }, 503)
})

type Databases = NonNullable<Unhealthy["databases"]>

const cachedDatabases = createResultCache<Databases>(CACHE_TTL_MS)
const cachedDeepChecks = createResultCache<DeepChecks>(DEEP_CACHE_TTL_MS)

async function checkDatabases(env: Bindings): Promise<Databases> {
  const names = listDatabases(settingsOf(env))
  const connections = new Semaphore(MAX_CONNECTIONS)
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await connections.with(() => checkDatabase(env, name))])),
  )
}

async function checkDatabase(env: Bindings, name: string): Promise<"ok" | "unreachable"> {
  try {
    await withDeadline(CHECK_TIMEOUT_MS, probeDatabase(env, name))
    return "ok"
  } catch (cause) {
    createLog({}).error("a database check failed", cause)
    return "unreachable"
  }
}
