// The health check, and the platform's behavior with invalid settings.
import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, describe, expect, test, vi } from "vitest"
import type { Env } from "../src/bindings"
import { SettingsError, settingsOf } from "../src/env"
import worker from "../src/index"
import { call, cron, withSettings } from "./support/app"
import { costsOf } from "./support/costs"
import { failEveryOther, takeDown } from "./support/faults"
import { skipTimeouts } from "./support/timers"

const HEALTH = "/api/health-check"

const problemsOf = (settings: Record<string, string>) => {
  try {
    settingsOf(withSettings(settings))
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
  }
  return null
}

afterEach(() => vi.useRealTimers())

describe("GET /api/health-check", () => {
  test("returns ok when the settings are valid and the databases are reachable", async () => {
    const { status, body } = await call("GET", HEALTH)
    expect(status).toBe(200)
    expect(body).toEqual({ status: "ok", version: expect.any(String) })
  })

  test("names every invalid setting and no value, on any host", async () => {
    const { status, body, text } = await call("GET", HEALTH, {
      host: "elsewhere.example",
      env: { APP_KEY: "hunter2", OPERATOR_TOKEN: "too-short", TENANCY_WEBHOOK_TIMEOUT: "26" },
    })
    expect(status).toBe(500)
    expect(body).toMatchObject({
      status: "error",
      settings: {
        APP_KEY: "must be `base64:` followed by 32 bytes in base64",
        OPERATOR_TOKEN: "must have at least 32 characters",
        TENANCY_WEBHOOK_TIMEOUT: "must be 1 to 25 seconds",
      },
    })
    expect(body.message).toMatch(/^Bad settings: TENANCY_WEBHOOK_TIMEOUT must be 1 to 25 seconds; APP_KEY /)
    expect(text).not.toMatch(/hunter2|too-short/)
  })

  test("distinguishes a missing setting from a malformed one", async () => {
    const { APP_KEY: _, ...rest } = env as unknown as Record<string, unknown>
    expect(() => settingsOf(rest as never)).toThrow("Bad settings: APP_KEY is not set.")
  })

  test("names an unreachable database, and checks it at most once in five seconds", async () => {
    const prepare = vi.fn(() => ({ run: () => Promise.reject(new Error("D1_ERROR: network connection lost")) }))
    const broken = { ...env, SITES_1: { prepare } } as unknown as Env
    const check = async () => {
      const response = await worker.fetch(new Request(`http://localhost${HEALTH}`), broken, createExecutionContext())
      return { status: response.status, body: await response.json() }
    }
    for (let i = 0; i < 3; i++) {
      expect(await check()).toEqual({
        status: 503,
        body: {
          status: "error",
          version: expect.any(String),
          message: "No answer from SITES_1.",
          databases: { DB: "ok", SITES_1: "unreachable" },
        },
      })
    }
    // An attempt and a retry.
    expect(prepare).toHaveBeenCalledTimes(2)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5000 })
    await check()
    expect(prepare).toHaveBeenCalledTimes(4)
  })

  test("answers while another request's check hangs, and checks four databases at a time", async () => {
    const names = ["A", "B", "C", "D", "E"]
    const release: (() => void)[] = []
    let isHanging = true
    const allBusy = Promise.withResolvers<void>()
    const run = () => {
      if (!isHanging) return Promise.resolve({ meta: {} })
      return new Promise((resolve) => {
        release.push(() => resolve({ meta: {} }))
        if (release.length === 4) allBusy.resolve()
      })
    }
    const databases = Object.fromEntries(["DB", ...names].map((name) => [name, { prepare: () => ({ run }) }]))
    const slow = { ...env, ...databases, SITE_DATABASES: names.join() } as unknown as Env
    const check = () => worker.fetch(new Request(`http://localhost${HEALTH}`), slow, createExecutionContext())
    const hanging = check()
    await allBusy.promise
    expect(release).toHaveLength(4)
    isHanging = false
    expect((await check()).status).toBe(200)
    for (const end of release) end()
    expect((await hanging).status).toBe(200)
  })

  test("serves an expired result while one request replaces it", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const prepare = vi.fn(() => ({ run: () => Promise.resolve({ meta: {} }) }))
    const one = { ...env, SITES_1: { prepare } } as unknown as Env
    const check = () => worker.fetch(new Request(`http://localhost${HEALTH}`), one, createExecutionContext())
    await check()
    vi.setSystemTime(Date.now() + 5_000)
    await Promise.all([check(), check(), check()])
    expect(prepare).toHaveBeenCalledTimes(2)
  })

  test("returns 404 on a store's host", async () => {
    expect((await call("GET", HEALTH, { host: "acme.localhost" })).status).toBe(404)
  })
})

describe("GET /api/health-check?deep=1", () => {
  const DEEP = `${HEALTH}?deep=1`
  const ALL_OK = {
    databases: "ok",
    session_reads: "ok",
    writes: "ok",
    scheduled_jobs: "ok",
    deliveries: "ok",
    queues: "ok",
    dead_letters: "ok",
  }

  /** Stores metrics of the latest minute, with some values replaced. */
  async function setMetrics(metrics: object, at = Date.now()): Promise<void> {
    await cron("* * * * *")
    await env.DB.prepare("update system_metrics set at = ?, data = json_patch(data, ?) where id = 0")
      .bind(at, JSON.stringify(metrics))
      .run()
  }

  test("returns ok for every part when the cron ran and nothing is late", async () => {
    await cron("* * * * *")
    const { status, body } = await call("GET", DEEP)
    expect(status).toBe(200)
    expect(body).toEqual({ status: "ok", version: expect.any(String), checks: ALL_OK })
  })

  test.each([
    [{ databasesDown: 1 }, { writes: "late" }],
    [{ cronLateSeconds: 301 }, { scheduled_jobs: "late" }],
    [{ oldestDueSeconds: 301 }, { deliveries: "late" }],
    [{ queueOldestSeconds: 901 }, { queues: "late" }],
    [{ deadLetters: 1 }, { dead_letters: "late" }],
  ])("returns 503 for metrics of %j, and ok one below", async (metrics, late) => {
    await setMetrics(metrics)
    const { status, body } = await call("GET", DEEP)
    expect(status).toBe(503)
    expect(body).toEqual({ status: "error", version: expect.any(String), checks: { ...ALL_OK, ...late } })
    const below = Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, value - 1]))
    await setMetrics(below)
    expect((await call("GET", DEEP, { env: { APP_NAME: "Uncached" } })).status).toBe(200)
  })

  test("returns late for everything that the cron measures when it has not run for three minutes, or never", async () => {
    const late = { writes: "late", scheduled_jobs: "late", deliveries: "late", queues: "late", dead_letters: "late" }
    expect((await call("GET", DEEP)).body.checks).toEqual({ ...ALL_OK, ...late })
    vi.useFakeTimers({ toFake: ["Date"] })
    await setMetrics({}, Date.now() - 180_000)
    expect((await call("GET", DEEP, { env: { APP_NAME: "Uncached" } })).status).toBe(200)
    vi.setSystemTime(Date.now() + 10_000)
    expect((await call("GET", DEEP)).body.checks).toEqual({ ...ALL_OK, ...late })
  })

  test("returns ok for session reads when one fails once", async () => {
    await cron("* * * * *")
    const run = vi.fn().mockRejectedValueOnce(new Error("D1_ERROR: Network connection lost.")).mockResolvedValue({})
    vi.spyOn(env.SITES_1, "withSession").mockImplementation((() => ({
      prepare: () => ({ run, bind: vi.fn() }),
    })) as never)
    expect((await call("GET", DEEP)).body.checks).toEqual(ALL_OK)
    expect(run).toHaveBeenCalledTimes(2)
  })

  test("returns ok for writes when the check of a database's writes fails once", async () => {
    const faults = failEveryOther('insert into "counters"', "before")
    await cron("* * * * *")
    faults.mockRestore()
    expect((await call("GET", DEEP)).body.checks).toEqual(ALL_OK)
  })

  test("returns late session reads for a database whose replica does not respond in time", async () => {
    await cron("* * * * *")
    skipTimeouts((ms) => ms === 2_000)
    const hang = () => ({ prepare: () => ({ run: () => new Promise(() => undefined) }) })
    vi.spyOn(env.SITES_1, "withSession").mockImplementation(hang as never)
    const { status, body, text } = await call("GET", DEEP)
    expect([status, body.checks]).toEqual([503, { ...ALL_OK, session_reads: "late" }])
    expect(text).not.toContain("SITES_1")
  })

  test("returns late databases when one is down", async () => {
    await cron("* * * * *")
    const down = takeDown(env.SITES_1)
    expect((await call("GET", DEEP)).body.checks).toEqual({ ...ALL_OK, databases: "late", session_reads: "late" })
    down.restore()
  })

  test("reads at most one row, writes none, and checks at most once in ten seconds", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    await cron("* * * * *")
    const costs = await costsOf(() => call("GET", DEEP))
    expect([costs.rowsRead, costs.rowsWritten]).toEqual([1, 0])
    vi.setSystemTime(Date.now() + 9_999)
    const sessions = vi.spyOn(env.SITES_1, "withSession")
    await call("GET", DEEP)
    expect(sessions).not.toHaveBeenCalled()
    vi.setSystemTime(Date.now() + 1)
    await call("GET", DEEP)
    expect(sessions).toHaveBeenCalledOnce()
  })

  test("returns 404 on a store's host", async () => {
    expect((await call("GET", DEEP, { host: "acme.localhost" })).status).toBe(404)
  })
})

describe("settings", () => {
  test.each([
    [{ SITE_DATABASES: "SITES_1,SITES_9" }, { SITES_9: "is not a binding" }],
    [{ TENANCY_WEBHOOK_QUEUE: "NO_QUEUE" }, { NO_QUEUE: "is not a binding" }],
    [{ TENANCY_WEBHOOK_TIMEOUT: "0" }, { TENANCY_WEBHOOK_TIMEOUT: "must be 1 to 25 seconds" }],
    [{ TENANCY_WEBHOOK_TIMEOUT: "25" }, null],
    [{ OPERATOR_TOKEN: "x".repeat(31) }, { OPERATOR_TOKEN: "must have at least 32 characters" }],
    [{ OPERATOR_TOKEN: "x".repeat(32) }, null],
    [{ STRIPE_WEBHOOK_SECRET: "", MARKETPLACE_TOKEN: "" }, null],
    [{ APP_NAME: " " }, { APP_NAME: "must not be empty" }],
    [{ CENTRAL_DOMAIN: "platform.example:8787" }, { CENTRAL_DOMAIN: "must be a host name without a port" }],
    [{ PUBLIC_URL: "https://platform.example" }, { PUBLIC_URL: "must look like https://{host} or http://{host}:8787" }],
    [{ TENANCY_API_ENABLED: "yes" }, { TENANCY_API_ENABLED: "must be true or false" }],
    [{ TENANCY_RETENTION_DAYS: "-1" }, { TENANCY_RETENTION_DAYS: "must be a whole number" }],
    [{ TENANCY_WEBHOOK_DISABLE_AFTER: "0" }, { TENANCY_WEBHOOK_DISABLE_AFTER: "must be at least 1" }],
    [{ TENANCY_DUNNING_DAYS: "1, x" }, { TENANCY_DUNNING_DAYS: "must be a whole number" }],
    [{ TENANCY_DUNNING_DAYS: "" }, null],
    [{ SITE_DATABASES: " , " }, { SITE_DATABASES: "must name at least one binding" }],
    [{ STRIPE_API_URL: "ftp://stripe.example" }, { STRIPE_API_URL: "must be an http or https URL" }],
    [{ MAIL_FROM: "nobody" }, { MAIL_FROM: "must be an e-mail address" }],
    [{ CLOUDFLARE_ZONE_ID: "abc" }, { CLOUDFLARE_ZONE_ID: "must be empty or the 32 hex digits of a zone's id" }],
    [{ APP_KEY_PREVIOUS: "x" }, { APP_KEY_PREVIOUS: "must be `base64:` followed by 32 bytes in base64" }],
    [{ TENANCY_CNAME_HOST: "" }, null],
    [{ TENANCY_ALERT_WEBHOOK_URL: "" }, null],
    [{ TENANCY_ALERT_WEBHOOK_URL: "hooks.example" }, { TENANCY_ALERT_WEBHOOK_URL: "must be an http or https URL" }],
    [{ TENANCY_LOG_SAMPLE_RATE: "0" }, null],
    [{ TENANCY_LOG_SAMPLE_RATE: "0.05" }, null],
    [{ TENANCY_LOG_SAMPLE_RATE: "1.5" }, { TENANCY_LOG_SAMPLE_RATE: "must be a number from 0 to 1" }],
  ])("validates %j: %j", (settings, problems) => {
    expect(problemsOf(settings)).toEqual(problems)
  })

  test.each([
    ["/api/platform/v1/stores", { error: { code: "server_error" } }],
    ["/api/operator/v1/keys:list", { error: { code: "server_error" } }],
    ["/api/v1/settings", { error: true, data: null }],
    ["/api/external/connection-check", { status: false }],
  ])("returns 500 in the envelope of %s for invalid settings, without naming them", async (path, envelope) => {
    const { status, body, text } = await call("GET", path, { env: { OPERATOR_TOKEN: "short" } })
    expect(status).toBe(500)
    expect(body).toMatchObject(envelope)
    expect(text).not.toContain("OPERATOR_TOKEN")
  })

  test("returns 500 on a store's host and for its files with invalid settings", async () => {
    for (const path of ["/", "/media/1/a.png", "/account/verify"]) {
      const { status, text } = await call("GET", path, { host: "acme.localhost", env: { OPERATOR_TOKEN: "short" } })
      expect.soft(status, path).toBe(500)
      expect.soft(text, path).not.toContain("OPERATOR_TOKEN")
    }
  })
})
