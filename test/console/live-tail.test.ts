import { createExecutionContext, env } from "cloudflare:test"
import { expect, test, vi } from "vitest"
import worker from "../../src/index"
import { type Browser, makeOperator, signIn } from "./support"

/** Opens a live tail with a mocked wait: counts its seconds, and runs `during` before each. */
async function measureTailSeconds(admin: Browser, during: (second: number) => Promise<unknown>): Promise<number> {
  let seconds = 0
  vi.spyOn(scheduler, "wait").mockImplementation(async () => {
    await during(seconds)
    seconds += 1
  })
  const request = new Request("http://localhost/console/events/live/stream", { headers: { Cookie: admin.cookie } })
  const response = await worker.fetch(request as never, env as never, createExecutionContext())
  expect(response.status).toBe(200)
  await response.text()
  return seconds
}

test("keeps a live tail open for a minute while its session lasts", async () => {
  expect(await measureTailSeconds(await signIn(), async () => undefined)).toBe(60)
})

test.each([
  ["the operator is disabled", "update operators set disabled_at = 1 where email = 'ada@example.com'"],
  ["the session is revoked", "delete from operator_sessions"],
  ["the session has been open for 12 hours", "update operator_sessions set created_at = created_at - 43200000"],
])("ends a live tail within four seconds after %s", async (_, statement) => {
  await makeOperator()
  const admin = await signIn({ email: "ada@example.com" })
  const seconds = await measureTailSeconds(admin, async (second) => {
    if (second === 10) await env.DB.exec(statement)
  })
  expect(seconds).toBeGreaterThan(10)
  expect(seconds).toBeLessThanOrEqual(14)
})
