// ForEachItem: one failure does not stop the other items.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { forEachItem } from "../../src/core/queue/for-each-item"
import { run } from "../support/app"
import { makeStore } from "../support/factories"
import { cronWithJobs } from "../support/jobs"
import { rows } from "../support/rows"

test("continues after a failed item and returns the failed ones", async () => {
  const done: number[] = []
  const failed = await run((ctx) =>
    forEachItem(ctx, "test", [1, 2, 3], async (n) => {
      if (n === 2) throw new Error("broken")
      done.push(n)
    }),
  )
  expect([done, failed]).toEqual([[1, 3], [2]])
})

test("provisions the remaining stores when one row is broken", async () => {
  const broken = await makeStore()
  const others = [await makeStore(), await makeStore()]
  await env.DB.prepare("update stores set apps = 'no json' where id = ?").bind(broken).run()
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 })
  await cronWithJobs("* * * * *")
  const ready = await rows("select id from stores where status = 'ready' order by seq")
  expect(ready.map(({ id }) => id)).toEqual(others)
})
