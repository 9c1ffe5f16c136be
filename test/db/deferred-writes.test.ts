// Writes of a request wait for every condition of its database handle.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { requestCentralDatabase } from "../../src/db/client"
import { deferWritesUntil, writesAllowed } from "../../src/db/deferred-writes"

test("waits for the promises of all calls", async () => {
  const db = requestCentralDatabase(env)
  const first = Promise.withResolvers<void>()
  deferWritesUntil(db, first.promise)
  deferWritesUntil(db, Promise.resolve())
  let isAllowed = false
  const waiting = writesAllowed(db).then(() => {
    isAllowed = true
  })
  await Promise.resolve()
  expect(isAllowed).toBe(false)
  first.resolve()
  await waiting
})

test("rejects writes when any of the promises rejects", async () => {
  const db = requestCentralDatabase(env)
  deferWritesUntil(db, Promise.reject(new Error("over the limit")))
  deferWritesUntil(db, Promise.resolve())
  await expect(writesAllowed(db)).rejects.toThrow("over the limit")
})
