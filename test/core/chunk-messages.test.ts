// The batches in which messages are sent to a queue.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { chunkMessages } from "../../src/core/queue/chunk-messages"
import { sendMessages } from "../../src/core/queue/send"
import { checkQueueLimits } from "../../tools/faults/limits"
import { run } from "../support/app"

const sizes = (batches: unknown[][]) => batches.map((batch) => batch.length)

test("splits messages into batches of at most 100 messages and 240,000 bytes, in order", () => {
  expect(chunkMessages([])).toEqual([])
  const many = Array.from({ length: 201 }, (_, index) => ({ delivery: index }))
  expect(sizes(chunkMessages(many))).toEqual([100, 100, 1])
  expect(chunkMessages(many).flat()).toEqual(many)
  // "é" has two bytes.
  const long = Array.from({ length: 5 }, () => ({ text: "é".repeat(40_000) }))
  expect(sizes(chunkMessages(long))).toEqual([2, 2, 1])
  for (const batch of [...chunkMessages(many), ...chunkMessages(long)]) checkQueueLimits(batch)
})

test("sends a large batch in several calls", async () => {
  const deliveries = Array.from({ length: 10_000 }, (_, index) => 1e9 + index)
  const lane = { endpoint: 1, until: null, deliveries, lease: 1 }
  await run((ctx) => sendMessages(ctx, [{ lane }, { lane }, { lane }]))
  expect(vi.mocked(env.RETRY_QUEUE.sendBatch).mock.calls.map(([batch]) => [...batch].length)).toEqual([2, 1])
})

test("checks messages against the limits of Cloudflare Queues", () => {
  expect(() => checkQueueLimits(["a".repeat(127_898)])).not.toThrow()
  expect(() => checkQueueLimits(["a".repeat(127_899)])).toThrow("exceeds limit of 128000")
  expect(() => checkQueueLimits(Array.from({ length: 101 }, () => 1))).toThrow("exceeds limit of 100")
  expect(() => checkQueueLimits(Array.from({ length: 3 }, () => "a".repeat(90_000)))).toThrow("exceeds limit of 256000")
})
