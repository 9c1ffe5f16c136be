// Ids that sort as their moments do, and within one millisecond as they were made.
import { expect, test, vi } from "vitest"
import { ulid, ulidFloor, ulidTime } from "../../src/lib/ulid"

const moment = new Date("2026-09-02T10:15:00.123Z")

test("an id carries its moment, and is its own", () => {
  const ids = [ulid(moment), ulid(new Date(0)), ulid(moment)]
  for (const id of ids) expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  expect(ids.map(ulidTime)).toEqual([moment.getTime(), 0, moment.getTime()])
  expect(new Set(ids).size).toBe(3)
})

test("those of one millisecond keep their order, over every carry", () => {
  const first = ulid(moment)
  // One more carries into every digit.
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

test("the floor of a moment is below its ids and above those before", () => {
  const floor = ulidFloor(moment.getTime())
  expect(ulid(moment) >= floor).toBe(true)
  expect(ulid(new Date(moment.getTime() - 1)) < floor).toBe(true)
  expect([ulidFloor(-1), floor]).toEqual(["0".repeat(26), `${ulid(moment).slice(0, 10)}${"0".repeat(16)}`])
})
