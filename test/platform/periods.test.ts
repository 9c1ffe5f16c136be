// The calendar arithmetic of billing periods.
import { expect, test } from "vitest"
import { getPeriodEnd, postponeEnd } from "../../src/platform/subscriptions/periods"

test("ends a period on the same day of the month, or on its last day if it is shorter, at the same time of day", () => {
  const ends: [interval: "month" | "year", from: string, end: string][] = [
    ["month", "2026-01-15T10:20:30Z", "2026-02-15T10:20:30Z"],
    ["month", "2026-01-31T23:59:59Z", "2026-02-28T23:59:59Z"],
    ["month", "2028-01-30T00:00:00Z", "2028-02-29T00:00:00Z"],
    ["month", "2026-03-31T00:00:00Z", "2026-04-30T00:00:00Z"],
    ["month", "2026-12-31T12:00:00Z", "2027-01-31T12:00:00Z"],
    ["year", "2026-06-30T12:00:00Z", "2027-06-30T12:00:00Z"],
    ["year", "2028-02-29T12:00:00Z", "2029-02-28T12:00:00Z"],
  ]
  for (const [interval, from, end] of ends) {
    expect(getPeriodEnd(interval, new Date(from)).toISOString()).toBe(new Date(end).toISOString())
  }
})

test("postpones an end from itself if it is in the future, else from now", () => {
  const now = new Date("2026-05-01T00:00:00Z")
  const ends: [end: string | null, expected: string][] = [
    ["2026-05-02T00:00:00Z", "2026-05-05T00:00:00.000Z"],
    ["2026-05-01T00:00:00Z", "2026-05-04T00:00:00.000Z"],
    ["2026-04-01T00:00:00Z", "2026-05-04T00:00:00.000Z"],
    [null, "2026-05-04T00:00:00.000Z"],
  ]
  for (const [end, expected] of ends)
    expect(postponeEnd(end ? new Date(end) : null, 3, now).toISOString()).toBe(expected)
})
