// Generates random values. Everything but the jitter is cryptographically secure.

/** Returns random bytes. */
export const randomBytes = (length: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(length))

/** Returns a random UUID, version 4 (RFC 9562). */
export const randomUuid = (): string => crypto.randomUUID()

/** Returns a random duration between 0 and a maximum, so that clients that failed together do not retry together. */
export const jitter = (maxMs: number): number => Math.random() * maxMs

/**
 * Shortens a lease by less than a second at random, so that its end identifies the holder. A holder that lost the
 * response to its claim recognizes the claim by it.
 * @param endsAt the end in whole milliseconds
 */
export const identifiableEnd = (endsAt: Date): Date => new Date(endsAt.getTime() - Math.floor(Math.random() * 1_000))
