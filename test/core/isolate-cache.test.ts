// The isolate cache: lookup by validator, and eviction.
import { expect, test } from "vitest"
import { getCachedResponse, putCachedResponse } from "../../src/core/cache/isolate-cache"

const createResponse = (validator: string, bytes: number | null) => ({
  validator,
  headers: new Headers({ ETag: `"${validator}"` }),
  body: bytes === null ? null : new ArrayBuffer(bytes),
})

test("returns a response only for its key and validator, until it is replaced", () => {
  putCachedResponse("a", createResponse("1", 10))
  expect(getCachedResponse("a", "1")?.body?.byteLength).toBe(10)
  expect([getCachedResponse("a", "2"), getCachedResponse("b", "1")]).toEqual([null, null])
  putCachedResponse("a", createResponse("2", 20))
  expect([getCachedResponse("a", "1"), getCachedResponse("a", "2")?.body?.byteLength]).toEqual([null, 20])
})

test("evicts the oldest bodies beyond eight megabytes", () => {
  for (let n = 0; n < 1_000; n += 1) putCachedResponse(`body ${n}`, createResponse("1", 64_000))
  const cached = Array.from({ length: 1_000 }, (_, n) => getCachedResponse(`body ${n}`, "1"))
  expect(cached.filter(Boolean)).toHaveLength(125)
  expect(cached.at(-1)).not.toBeNull()
  // A replaced entry releases its bytes.
  for (let n = 0; n < 1_000; n += 1) putCachedResponse("the same", createResponse(String(n), 64_000))
  expect(getCachedResponse("body 999", "1")).not.toBeNull()
})

test("evicts the oldest entries beyond two thousand", () => {
  for (let n = 0; n < 5_000; n += 1) putCachedResponse(`head ${n}`, createResponse("1", null))
  const cached = Array.from({ length: 5_000 }, (_, n) => getCachedResponse(`head ${n}`, "1"))
  expect(cached.filter(Boolean)).toHaveLength(2_000)
  expect(cached.at(-1)).not.toBeNull()
})
