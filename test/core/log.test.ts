// Log sampling: which requests are logged, and that each is logged with all its lines or not at all.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { createRequestLog, isSampled } from "../../src/core/log"
import { ulid } from "../../src/lib/ulid"
import { call, platform, withSettings } from "../support/app"
import { takeDown } from "../support/faults"

/** Collects the lines that the Worker logs. */
function collectLines(): { level: string; message: string; request_id?: string }[] {
  const lines: { level: string; message: string }[] = []
  for (const method of ["log", "warn", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((line: string) => void lines.push(JSON.parse(line)))
  }
  return lines
}

const UNSAMPLED = { TENANCY_LOG_SAMPLE_RATE: "0" }
const half = () => withSettings({ TENANCY_LOG_SAMPLE_RATE: "0.5" })
const SAMPLED_ID = "01KBT5QN8000000000000000F0"
const UNSAMPLED_ID = "01KBT5QN80000000000000G000"

describe("createRequestLog", () => {
  test("writes all lines of a sampled request and none of another", () => {
    const lines = collectLines()
    for (const id of [SAMPLED_ID, UNSAMPLED_ID]) {
      const log = createRequestLog(half(), id)
      log.info("license refused")
      log.info("request")
    }
    expect(lines.map(({ message, request_id }) => [message, request_id])).toEqual([
      ["license refused", SAMPLED_ID],
      ["request", SAMPLED_ID],
    ])
  })

  test.each(["warn", "error", "keep"] as const)("writes all lines of an unsampled request after %s", (method) => {
    const lines = collectLines()
    const log = createRequestLog(half(), UNSAMPLED_ID)
    log.info("before")
    log[method]("occasion", new Error("fault") as never)
    log.info("after")
    const written = lines.map(({ message }) => message)
    expect(written).toEqual(method === "keep" ? ["before", "after"] : ["before", "occasion", "after"])
  })

  test("buffers at most 50 lines of an unsampled request", () => {
    const lines = collectLines()
    const log = createRequestLog(half(), UNSAMPLED_ID)
    for (let n = 0; n < 60; n++) log.info(`line ${n}`)
    log.keep()
    expect(lines.at(-1)?.message).toBe("line 49")
  })

  test("samples about the given share of requests, and none or all at 0 and 1", () => {
    const ids = Array.from({ length: 5_000 }, (_, n) => ulid(new Date(n)))
    const share = (rate: number) => ids.filter((id) => isSampled(id, rate)).length / ids.length
    expect(share(0.1)).toBeGreaterThan(0.07)
    expect(share(0.1)).toBeLessThan(0.13)
    expect([share(0), share(1)]).toEqual([0, 1])
  })
})

describe("requestLifecycle", () => {
  test("does not log a successful request unless it is sampled", async () => {
    const lines = collectLines()
    expect((await call("GET", "/docs", { env: UNSAMPLED })).status).toBe(200)
    expect(lines).toEqual([])
    await call("GET", "/docs")
    expect(lines.map(({ message }) => message)).toEqual(["request"])
  })

  test("logs an unsampled request that fails with 503, with its error", async () => {
    const down = takeDown(env.DB)
    const lines = collectLines()
    const { status } = await platform("GET", "/stores", { token: `tnk_aaaaaaaa_${"x".repeat(40)}`, env: UNSAMPLED })
    down.restore()
    expect(status).toBe(503)
    expect(lines.map(({ level }) => level)).toEqual(["error", "info"])
    expect(new Set(lines.map(({ request_id }) => request_id)).size).toBe(1)
  })

  test("logs an unsampled request that an overloaded rate-limit bucket refuses", async () => {
    vi.spyOn(env.RATE_LIMIT, "get").mockImplementation(() => {
      throw Object.assign(new Error("Durable Object is overloaded."), { overloaded: true })
    })
    const lines = collectLines()
    const { status } = await platform("GET", "/stores", { token: `tnk_aaaaaaaa_${"x".repeat(40)}`, env: UNSAMPLED })
    expect(status).toBe(429)
    expect(lines.map(({ level }) => level)).toContain("error")
    expect(lines.at(-1)).toMatchObject({ message: "request", status: 429 })
  })

  test.each([
    [999, []],
    [1_000, ["request"]],
  ])("logs of an unsampled request that takes %i ms: %j", async (ms, messages) => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const lines = collectLines()
    const prepare = env.DB.prepare.bind(env.DB)
    vi.spyOn(env.DB, "prepare").mockImplementationOnce((sql) => {
      vi.setSystemTime(Date.now() + ms)
      return prepare(sql)
    })
    await platform("GET", "/stores", { token: `tnk_aaaaaaaa_${"x".repeat(40)}`, env: UNSAMPLED })
    expect(lines.map(({ message }) => message)).toEqual(messages)
  })
})

test("logs every request while the settings are invalid", () => {
  const lines = collectLines()
  createRequestLog(withSettings({ APP_NAME: "" }), UNSAMPLED_ID).info("request")
  expect(lines).toHaveLength(1)
})
