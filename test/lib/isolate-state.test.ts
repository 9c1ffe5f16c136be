// State of the isolate is created once and reset before every test.
import { expect, test } from "vitest"
import { isolateState, resetIsolateState } from "../../src/lib/isolate-state"

const visits = isolateState(() => ({ count: 0, pages: new Set<string>() }))

test.each(["/a", "/b"])("starts every test with the initial state, whatever an earlier test stored (%s)", (page) => {
  expect(visits.current).toEqual({ count: 0, pages: new Set() })
  visits.current.count += 1
  visits.current.pages.add(page)
  expect(visits.current).toEqual({ count: 1, pages: new Set([page]) })
})

test("creates the state again on a reset", () => {
  const before = visits.current
  resetIsolateState()
  expect(visits.current).not.toBe(before)
})
