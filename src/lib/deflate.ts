// Compresses short texts with DEFLATE (RFC 1951) and a preset dictionary. A text of a kilobyte repeats little of
// itself, but much of what similar texts contain.
import { zlib } from "./zlib"

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Texts that compressed data refers to. The same one is needed to decompress it. */
export type Dictionary = Uint8Array<ArrayBuffer>

/** Encodes the text of a dictionary. */
export const buildDictionary = (text: string): Dictionary => new Uint8Array(encoder.encode(text))

/** The window has to cover the dictionary and the text; a smaller one would cost less memory, but find less. */
const WINDOW_BITS = 15

/** Compresses a text. */
export const deflateText = (text: string, dictionary: Dictionary): Uint8Array<ArrayBuffer> =>
  new Uint8Array(zlib().deflateRawSync(encoder.encode(text), { dictionary, windowBits: WINDOW_BITS }))

/**
 * Restores a compressed text.
 * @throws Error when the data is damaged or was compressed with another dictionary
 */
export const inflateText = (data: Uint8Array, dictionary: Dictionary): string =>
  decoder.decode(zlib().inflateRawSync(data, { dictionary, windowBits: WINDOW_BITS }))
