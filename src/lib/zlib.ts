// Loads node:zlib on first use. An import statement would load it, and node:stream with it, whenever an isolate starts,
// but most isolates never compress anything.

/** Returns the module. */
export const zlib = (): typeof import("node:zlib") => process.getBuiltinModule("node:zlib")
