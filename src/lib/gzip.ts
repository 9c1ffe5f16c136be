// Compresses texts with gzip (RFC 1952), so that any tool can read them.
import { zlib } from "./zlib"

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Compresses a text. */
export const gzipText = (text: string): Uint8Array => new Uint8Array(zlib().gzipSync(text))

/**
 * Restores a compressed text.
 * @throws Error when the data is damaged
 */
export const gunzipText = (data: Uint8Array): string => decoder.decode(zlib().gunzipSync(data))
