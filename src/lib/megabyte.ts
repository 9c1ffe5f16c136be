/** Bytes per megabyte of a plan's storage. */
export const MEGABYTE = 1024 * 1024
