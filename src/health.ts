// Serves GET /api/health-check, unauthenticated: whether the platform works and, if not, why. It names settings and
// databases, never values.

import { Hono } from "hono"
import { hostOf } from "./core/http/host"
import { createLog } from "./core/log"
import { listDatabases, probeDatabase } from "./db/probe"
import { type Bindings, deployedVersion, SettingsError, settingsOf } from "./env"
import { currentMs } from "./lib/clock"
import { isolateState } from "./lib/isolate-state"
import { Semaphore } from "./lib/semaphore"
import { SECOND } from "./lib/time"

/**
 * Timeout of a database check, and lifetime of its cached result: the endpoint is public, and every check costs a
 * query.
 */
const CHECK_TIMEOUT_MS = 5 * SECOND
const CACHE_TTL_MS = 5 * SECOND

/** Databases checked at once; an invocation has six connections. */
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
  const databases = await getCachedStatuses(c.env)
  const unreachable = Object.keys(databases).filter((name) => databases[name] !== "ok")
  if (unreachable.length === 0) return c.json<Healthy>({ status: "ok", version })
  const message = `No answer from ${unreachable.join(", ")}.`
  return c.json<Unhealthy>({ status: "error", version, message, databases }, 503)
})

type Databases = NonNullable<Unhealthy["databases"]>

const cache = isolateState(() => new WeakMap<Bindings, { until: number; databases: Databases }>())

/**
 * Checks each database, about once per cache lifetime and isolate. Only results are cached, because a promise belongs to
 * the request that created it: if that request ends, others would wait for the promise forever. An expired result is
 * used for one more lifetime while a request replaces it.
 */
async function getCachedStatuses(env: Bindings): Promise<Databases> {
  const now = currentMs()
  const cached = cache.current.get(env)
  if (cached && cached.until > now) return cached.databases
  if (cached) cached.until = now + CACHE_TTL_MS
  const databases = await checkDatabases(env)
  cache.current.set(env, { until: currentMs() + CACHE_TTL_MS, databases })
  return databases
}

async function checkDatabases(env: Bindings): Promise<Databases> {
  const names = listDatabases(settingsOf(env))
  const connections = new Semaphore(MAX_CONNECTIONS)
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await connections.with(() => checkDatabase(env, name))])),
  )
}

async function checkDatabase(env: Bindings, name: string): Promise<"ok" | "unreachable"> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<"unreachable">((resolve) => {
    timer = setTimeout(() => resolve("unreachable"), CHECK_TIMEOUT_MS)
  })
  const result = probeDatabase(env, name)
    .then(() => "ok" as const)
    .catch((cause) => {
      createLog({}).error("a database check failed", cause)
      return "unreachable" as const
    })
  return Promise.race([result, timeout]).finally(() => clearTimeout(timer))
}
