// ULIDs: time order, and monotonicity within a millisecond.
import { expect, test, vi } from "vitest"
import { ulid, ulidFloor, ulidTime } from "../../src/lib/ulid"

const moment = new Date("2026-09-02T10:15:00.123Z")

test("encodes its time and is unique", () => {
  const ids = [ulid(moment), ulid(new Date(0)), ulid(moment)]
  for (const id of ids) expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  expect(ids.map(ulidTime)).toEqual([moment.getTime(), 0, moment.getTime()])
  expect(new Set(ids).size).toBe(3)
})

test("is monotonic within a millisecond, across carries", () => {
  const first = ulid(moment)
  // The next increment carries through every digit.
  vi.spyOn(crypto, "getRandomValues").mockImplementationOnce((bytes) => {
    new Uint8Array((bytes as Uint8Array).buffer).set([0, ...Array(15).fill(255)])
    return bytes
  })
  const later = new Date(moment.getTime() + 1)
  const ids = [first, ...Array.from({ length: 100 }, () => ulid(later))]
  expect(ids[1]).toBe(`${ulidFloor(later.getTime()).slice(0, 10)}0${"Z".repeat(15)}`)
  expect(ids[2]).toBe(`${ulidFloor(later.getTime()).slice(0, 10)}1${"0".repeat(15)}`)
  expect(ids.toSorted()).toEqual(ids)
})

test("ulidFloor sorts below ids of its time and above earlier ones", () => {
  const floor = ulidFloor(moment.getTime())
  expect(ulid(moment) >= floor).toBe(true)
  expect(ulid(new Date(moment.getTime() - 1)) < floor).toBe(true)
  expect([ulidFloor(-1), floor]).toEqual(["0".repeat(26), `${ulid(moment).slice(0, 10)}${"0".repeat(16)}`])
})
