// The writes of an isolate, by site.
import { expect, test } from "vitest"
import { countWrites, isUnchangedSince, recordSiteWrite, recordWriteToAnySite } from "../../src/core/cache/site-writes"

test("a write to a site changes that site and any unknown one", () => {
  const before = countWrites()
  expect(isUnchangedSince(before, null)).toBe(true)
  recordSiteWrite("a")
  expect([isUnchangedSince(before, "a"), isUnchangedSince(before, "b"), isUnchangedSince(before, null)]).toEqual([
    false,
    true,
    false,
  ])
  expect(isUnchangedSince(countWrites(), "a")).toBe(true)
})

test("a job's write changes every site", () => {
  const before = countWrites()
  recordWriteToAnySite()
  expect(isUnchangedSince(before, "a")).toBe(false)
  expect(isUnchangedSince(countWrites(), "a")).toBe(true)
})

test("more sites than fit into memory change every site", () => {
  const before = countWrites()
  for (let n = 0; n < 5_000; n++) recordSiteWrite(`site ${n}`)
  expect(isUnchangedSince(before, "site 1")).toBe(false)
  expect(isUnchangedSince(before, "site 4999")).toBe(false)
  expect(isUnchangedSince(countWrites(), "site 4999")).toBe(true)
})
