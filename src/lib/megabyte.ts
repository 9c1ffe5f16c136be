/** The bytes of a megabyte as plans sell storage. */
export const MEGABYTE = 1024 * 1024
