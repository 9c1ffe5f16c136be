// Makes a missing case of a switch a compile error.

/**
 * Ends a switch over a union; does not compile while a member is unhandled.
 * @throws Error for a value outside the type, such as one written by a newer version
 */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`)
}
