// GrowingBuffer: its limit and memory use.
import { expect, test } from "vitest"
import { GrowingBuffer } from "../../src/lib/growing-buffer"

const KILOBYTE = 1024

test("returns the appended bytes up to its limit, and the number of bytes that fitted", () => {
  const buffer = new GrowingBuffer(5)
  expect(buffer.append(new Uint8Array([1, 2, 3]))).toBe(3)
  expect(buffer.append(new Uint8Array([4, 5, 6]))).toBe(2)
  expect(buffer.append(new Uint8Array([7]))).toBe(0)
  expect([...buffer.bytes]).toEqual([1, 2, 3, 4, 5])
  buffer.clear()
  expect(buffer.append(new Uint8Array([8]))).toBe(1)
  expect([...buffer.bytes]).toEqual([8])
})

test("allocates memory for received bytes only", () => {
  const buffer = new GrowingBuffer(5 * KILOBYTE * KILOBYTE)
  buffer.append(new Uint8Array(1))
  expect(buffer.bytes.buffer.byteLength).toBe(64 * KILOBYTE)
  buffer.append(new Uint8Array(300 * KILOBYTE))
  expect(buffer.bytes.buffer.byteLength).toBeLessThan(2 * 302 * KILOBYTE)
})
