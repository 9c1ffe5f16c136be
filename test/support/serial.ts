// Numbers what a test creates, so that names and addresses are unique within the test and the same on every run.
import { isolateState } from "../../src/lib/isolate-state"

const serial = isolateState(() => ({ last: 0 }))

/** Returns the next number; every test starts with 1. */
export function nextSerial(): number {
  serial.current.last += 1
  return serial.current.last
}

/** Returns the last number, for a copy of what a test created. */
export const getLastSerial = (): number => serial.current.last

/** Continues after a number that a copied fixture has used. */
export function continueAfterSerial(number: number): void {
  serial.current.last = Math.max(serial.current.last, number)
}

/** Returns a network address (IPv4, /24) that the test has not used yet, so that it has reached no rate limit. */
export function nextAddress(): string {
  const number = nextSerial()
  return `10.${number >> 8}.${number & 255}.1`
}
