// Makes a missing case of a switch a compile error.

/**
 * Ends a switch over a union: it does not compile while a member is left.
 * @throws Error for a value that its type rules out, such as one of a newer version
 */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`)
}
