// Comments on benchmark results that the page shows below their tables.

/** Returns the sentences about a topic's table; those about a missed goal only while it is missed. */
export function listNotes(topic: string, table: readonly (readonly string[])[]): string[] {
  return NOTES[topic]?.(table) ?? []
}

const NOTES: Partial<Record<string, (table: readonly (readonly string[])[]) => string[]>> = {
  bundle: () => [
    "Most of the start-up CPU is loading and parsing the bundle, because surfaces are evaluated on first use. It varies with the machine: from 19 to 76 ms in the runs of 2026-11-23 to 2026-11-29. `wrangler check startup`, which measures it, counts some waiting too: an empty Worker takes 60 to 93 ms on a busy machine. Cloudflare's own limit is 1 s.",
  ],
  reads: (table) => {
    const missed = table
      .slice(1)
      .filter(([, , , ratio, , goal, , throughput]) =>
        [ratio, throughput || goal].some((one) => Number(one) < Number(goal)),
      )
    const names = missed.map(([name]) => name).join("; ")
    const method =
      "The middle half contains the ratios of half of the rounds. The first requests include the compilation of their code. The last column compares throughput with 16 connections; the load generator shares the processors."
    return missed.length
      ? [
          method,
          `Missed goals: ${names}. The platform uses libraries and checks each request; the raw Worker does neither.`,
        ]
      : [method]
  },
  webhooks: (table) =>
    table
      .slice(1)
      .some(([name, rate, goal]) => name?.trim() === "per second" && Number(rate) < Number(goal?.replace("≥ ", "")))
      ? [
          "The sweep misses its budget, which was set on a faster machine: it delivered 128 per second there on 2026-11-27.",
        ]
      : [],
  scale: (table) => {
    const isMissed = table.slice(1).some(([, , , rate, , goal]) => Number(rate) < Number(goal))
    return isMissed
      ? [
          "A hundred endpoints miss the goal. The Worker, its databases, its queues and the receivers share two cores, which are busy all the time, so more databases help little here. On Cloudflare they run on different machines.",
        ]
      : []
  },
  versions: (table) => {
    const slower = table.slice(1).filter(([, , , ratio]) => Number(ratio) < 0.9)
    const reasons = slower.map(([name = ""]) => `- ${name}: ${SLOWER[name] ?? "the cause is unknown"}.`)
    return reasons.length ? [`Slower than before:\n\n${reasons.join("\n")}`] : []
  },
}

const ROUTED =
  "the router of events makes two more database calls after the commit, which lets a busy platform deliver more per second"

/** Why a row of the comparison with an earlier version is slower. */
const SLOWER: Record<string, string> = {
  "rename a store, ms":
    "the request makes the same three round trips; the event is routed after the response, beside the next request of the benchmark",
  "save a category, ms": "the batch also checks that the store was not deleted and created again in the meantime",
  "place an order, with emails to the customer and the shop, ms":
    "an order now writes and sends two emails, records an event, and checks taxes and the limits of unpaid orders",
  "event → receiver, 1 per second, ms": ROUTED,
  "event → receiver, 20 per second, ms": ROUTED,
  "event → receiver, 100 per second, ms": ROUTED,
}
