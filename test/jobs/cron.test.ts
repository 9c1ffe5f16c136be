// Scheduled jobs: what a run of a cron trigger records and logs.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { cron } from "../support/app"

test("gives each scheduled job its own request id", async () => {
  const error = vi.spyOn(console, "error").mockReturnValue()
  vi.spyOn(env.DB, "prepare").mockImplementation(() => {
    throw new Error("D1 is away")
  })
  await expect(cron("30 2 * * *")).rejects.toThrow("D1 is away")
  const failed = error.mock.calls.map(([line]) => JSON.parse(line)).filter(({ job }) => job)
  expect(failed.length).toBeGreaterThan(3)
  expect(new Set(failed.map((line) => line.request_id)).size).toBe(failed.length)
})
