// Mutants of webhook signatures, the retry schedule and attempts.
import type { Mutant } from "./mutant.ts"

export const WEBHOOKS: readonly Mutant[] = [
  {
    name: "previous-secret-never-expires",
    file: "src/webhooks/send.ts",
    find: "previousSecretUntil !== null && previousSecretUntil.getTime() > currentMs()",
    replace: "previousSecretUntil !== null",
    tests: ["test/webhooks/endpoint-options.test.ts"],
  },
  {
    name: "signature-omits-the-timestamp",
    file: "src/webhooks/sign.ts",
    find: "hmacSha256(secret, `${timestamp}.${body}`)",
    replace: "hmacSha256(secret, body)",
    tests: ["test/webhooks/signatures.test.ts"],
  },
  {
    name: "retry-schedule-skips-the-first-delay",
    file: "src/webhooks/schedule.ts",
    find: "RETRY_DELAYS_SECONDS[attempt - 1]",
    replace: "RETRY_DELAYS_SECONDS[attempt]",
    tests: ["test/webhooks/attempt.test.ts"],
  },
  {
    name: "receiver-delays-a-retry-without-limit",
    file: "src/webhooks/schedule.ts",
    find: "Math.min(delay, MAX_RETRY_AFTER_MS)",
    replace: "delay",
    tests: ["test/webhooks/responses.test.ts"],
  },
  {
    name: "late-attempt-settles-a-newer-one",
    file: "src/webhooks/reserve.ts",
    find: 'eq(webhookDeliveries.attempt, number), eq(webhookDeliveries.status, "pending")',
    replace: "sql`${number} > 0`",
    tests: ["test/webhooks/attempt.test.ts"],
  },
  {
    name: "retry-ignores-the-lease-of-its-sweep",
    file: "src/webhooks/reserve.ts",
    find: 'eq(nextAttemptAt, param("sweepLease"))',
    replace: 'sql`${param("sweepLease")} > 0`',
    tests: ["test/webhooks/attempt.test.ts", "test/webhooks/sweep.test.ts"],
  },
  {
    name: "late-batch-unlocks-its-endpoint",
    file: "src/webhooks/sweep/due.ts",
    find: "and(eq(webhookEndpoints.id, endpoint), eq(webhookEndpoints.laneUntil, new Date(until ?? 0)))",
    replace: "and(eq(webhookEndpoints.id, endpoint), until ? undefined : sql`false`)",
    tests: ["test/webhooks/sweep.test.ts"],
  },
  {
    name: "ordered-delivery-overtakes-a-failed-one",
    file: "src/webhooks/ordering.ts",
    find: "earlier.status in ('pending', 'failed')",
    replace: "earlier.status in ('pending', 'failed') and earlier.status = 'pending'",
    tests: ["test/webhooks/ordered.test.ts"],
  },
  {
    name: "late-group-settles-a-newer-attempt",
    file: "src/webhooks/first-attempts/settle-group.ts",
    find: " and ${column(\"attempt\")} = result.value ->> '$.attempt'\n    and ${column(\"status\")} = 'pending'",
    replace: "",
    tests: ["test/webhooks/groups.test.ts"],
  },
  {
    name: "endpoint-is-disabled-one-failure-late",
    file: "durable/endpoint-failures.ts",
    find: "this.failures < threshold && !isGone",
    replace: "this.failures <= threshold && !isGone",
    tests: ["test/webhooks/sweep.test.ts"],
  },
]
