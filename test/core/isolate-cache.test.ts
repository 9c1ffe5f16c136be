// The isolate's memory of answers: of the newest, within bounds, whatever is asked for.
import { expect, test } from "vitest"
import { getCachedResponse, putCachedResponse } from "../../src/core/cache/isolate-cache"

const answer = (validator: string, bytes: number | null) => ({
  state,
  headers: new Headers({ ETag: `"${state}"` }),
  body: bytes === null ? null : new ArrayBuffer(bytes),
})

test("an answer is held under its key in its state, until another takes its place", () => {
  putCachedResponse("a", answer("1", 10))
  expect(getCachedResponse("a", "1")?.body?.byteLength).toBe(10)
  expect([getCachedResponse("a", "2"), getCachedResponse("b", "1")]).toEqual([null, null])
  putCachedResponse("a", answer("2", 20))
  expect([getCachedResponse("a", "1"), getCachedResponse("a", "2")?.body?.byteLength]).toEqual([null, 20])
})

test("bodies take eight megabytes at most: the oldest make room", () => {
  for (let n = 0; n < 1_000; n += 1) putCachedResponse(`body ${n}`, answer("1", 64_000))
  const held = Array.from({ length: 1_000 }, (_, n) => getCachedResponse(`body ${n}`, "1"))
  expect(held.filter(Boolean)).toHaveLength(125)
  expect(held.at(-1)).not.toBeNull()
  // What takes another's place takes its room too.
  for (let n = 0; n < 1_000; n += 1) putCachedResponse("the same", answer(String(n), 64_000))
  expect(getCachedResponse("body 999", "1")).not.toBeNull()
})

test("answers without a body are two thousand at most", () => {
  for (let n = 0; n < 5_000; n += 1) putCachedResponse(`head ${n}`, answer("1", null))
  const held = Array.from({ length: 5_000 }, (_, n) => getCachedResponse(`head ${n}`, "1"))
  expect(held.filter(Boolean)).toHaveLength(2_000)
  expect(held.at(-1)).not.toBeNull()
})
