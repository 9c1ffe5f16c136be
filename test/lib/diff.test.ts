import { expect, test } from "vitest"
import { diff } from "../../src/lib/diff"

const compare = (before: string, after: string) =>
  diff([...before], [...after]).map(
    ({ kind, items }) => ({ same: "=", removed: "-", added: "+" })[kind] + items.join(""),
  )

test("returns runs of equal, removed and added items", () => {
  expect(compare("", "")).toEqual([])
  expect(compare("abc", "abc")).toEqual(["=abc"])
  expect(compare("abc", "")).toEqual(["-abc"])
  expect(compare("", "abc")).toEqual(["+abc"])
  expect(compare("abcd", "axcd")).toEqual(["=a", "-b", "+x", "=cd"])
  expect(compare("aab", "ab")).toEqual(["=a", "-a", "=b"])
  expect(compare("xbyd", "abcd")).toEqual(["-x", "+a", "=b", "-y", "+c", "=d"])
})

test("counts long parts without a common beginning or end as replaced", () => {
  const [before, after] = [
    Array.from({ length: 400 }, (_, n) => `b${n}`),
    Array.from({ length: 400 }, (_, n) => `a${n}`),
  ]
  before[200] = "same"
  after[100] = "same"
  expect(diff(["1", ...before, "2"], ["1", ...after, "2"]).map(({ kind, items }) => [kind, items.length])).toEqual([
    ["same", 1],
    ["removed", 400],
    ["added", 400],
    ["same", 1],
  ])
})
