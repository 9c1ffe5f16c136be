// Measures the filters of endpoints: the time to match one event with 1,000 endpoints that have 10 conditions each.
import { type EventMatcher, MatchedPayload, prepareFilter } from "../src/core/write/event-filter.ts"
import { getMedian } from "./lib/load.ts"
import type { Topic } from "./lib/topic.ts"

const ENDPOINTS = 1_000
const CONDITIONS = 10
const EVENTS = 200

const BUDGET_MS = 5

export const filters: Topic = async () => {
  const matchers = Array.from({ length: ENDPOINTS }, (_, index) => prepareFilter(buildFilter(index)))
  const durations = Array.from({ length: EVENTS }, (_, index) => measureEvent(matchers, index)).map(({ ms }) => ms)
  return [
    ["filters", "measured", "budget"],
    ["one event, 1,000 endpoints with 10 conditions", `${getMedian(durations).toFixed(2)} ms`, `${BUDGET_MS} ms`],
  ]
}

/** Builds a filter whose conditions all hold, so that none ends the comparison early. */
const buildFilter = (index: number): Parameters<typeof prepareFilter>[0] =>
  Array.from({ length: CONDITIONS }, (_, condition) =>
    condition === 0
      ? { path: "data.store.name", op: "ne", value: `Shop ${index}` }
      : { path: `data.order.lines.${condition}.total_cents`, op: "gte", value: condition },
  )

function measureEvent(matchers: readonly EventMatcher[], index: number): { ms: number; matches: number } {
  const lines = Array.from({ length: CONDITIONS }, (_, line) => ({ total_cents: 100 * line + index + 10 }))
  const text = JSON.stringify({ type: "order.paid", data: { store: { id: "acme", name: "Acme" }, order: { lines } } })
  const start = performance.now()
  const payload = new MatchedPayload(JSON.parse(text))
  const matches = matchers.filter((matcher) => matcher(payload)).length
  const ms = performance.now() - start
  if (matches !== matchers.length) throw new Error(`${matches} of ${matchers.length} filters match`)
  return { ms, matches }
}
