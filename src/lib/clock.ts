// Reads the clock. Decisions and stored times use `ctx.now`, the time of the request. Only gates, caches and work that
// outlasts its request read the clock; tools/lint/layers.ts lists them.

/** The current time. */
export const currentTime = (): Date => new Date()

/** The current time in milliseconds since 1970. It does not advance between two I/O operations of a Worker. */
export const currentMs = (): number => Date.now()
