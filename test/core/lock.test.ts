// Locks: a transient error neither loses a lock nor leaves one behind.
import { expect, test } from "vitest"
import { acquireLock, renewExpiredLock, withLock } from "../../src/core/queue/lock"
import { MINUTE } from "../../src/lib/time"
import { run } from "../support/app"
import { failEveryOther } from "../support/faults"
import { rows } from "../support/rows"

test.each(["before", "after"] as const)(
  "acquires, releases and renews a lock when each write fails once %s taking effect",
  async (fault) => {
    const faults = failEveryOther('"locks"', fault)
    expect(await run((ctx) => withLock(ctx, "test", MINUTE, async () => "done"))).toBe("done")
    expect(await rows("select name from locks")).toEqual([])
    const renew = () => run((ctx) => renewExpiredLock(ctx, "test", MINUTE, { job: "mails" }))
    expect(await renew()).toEqual(expect.any(String))
    expect(await renew()).toBeNull()
    expect(await run((ctx) => acquireLock(ctx, "test", MINUTE))).toBeNull()
    faults.mockRestore()
  },
)
