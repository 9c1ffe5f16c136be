// Parses multipart/form-data as a stream (RFC 7578, RFC 2046 section 5.1), without buffering parts in memory.
import { Buffer } from "node:buffer"

/** Reasons why a body is not valid multipart/form-data. */
export type MultipartReason = "truncated" | "malformed" | "too_many_parts" | "too_large"

export class MultipartError extends Error {
  override readonly name = "MultipartError"
  readonly reason: MultipartReason

  constructor(reason: MultipartReason, options?: ErrorOptions) {
    super(`The multipart body is ${reason.replaceAll("_", " ")}`, options)
    this.reason = reason
  }
}

export interface Part {
  /** The field's name. */
  name: string
  /** The file's name; null for a part that is not a file. */
  filename: string | null
  /**
   * Returns the part's next bytes, null at its end. The view is overwritten by the next call, so copy it to keep it.
   */
  read(): Promise<Uint8Array | null>
}

export interface MultipartLimits {
  /** Maximum number of parts. */
  parts: number
  /** Maximum size of the body in bytes. */
  bytes: number
}

/**
 * Returns the boundary of a Content-Type.
 * @returns null when it is not multipart/form-data, or has no boundary of 1 to 70 characters (RFC 2046, section 5.1.1)
 */
export function boundaryOf(contentType: string | undefined): string | null {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType ?? "")) return null
  const [, quoted, token] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType ?? "") ?? []
  const boundary = quoted ?? token ?? ""
  return boundary && boundary.length <= 70 ? boundary : null
}

/**
 * Reads the parts in order. The unread rest of a part is skipped.
 * @param body a byte stream, read once and to its end
 * @throws MultipartError
 */
export async function* readMultipart(
  body: ReadableStream<Uint8Array>,
  boundary: string,
  limits: MultipartLimits,
): AsyncGenerator<Part, void, undefined> {
  const input = new Input(body, limits.bytes)
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  await skip(() => input.upTo(delimiter))
  for (let count = 1; !(await input.closes()); count++) {
    if (count > limits.parts) throw new MultipartError("too_many_parts")
    const { name, filename } = disposition(await input.headers())
    let over = false
    const read = async () => {
      const bytes = over ? null : await input.upTo(delimiter)
      over = bytes === null
      return bytes
    }
    yield { name, filename, read }
    await skip(read)
  }
  // Drain the epilogue: a client whose body is not read to the end may never read the response.
  await input.rest()
}

/**
 * Reads the rest of a part as UTF-8 text.
 * @param maxLength in UTF-16 code units
 * @throws MultipartError `too_large` for a longer text
 */
export async function readPartText(part: Part, maxLength = Number.POSITIVE_INFINITY): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  for (let bytes = await part.read(); bytes !== null; bytes = await part.read()) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length > maxLength) throw new MultipartError("too_large")
  }
  return text + decoder.decode()
}

async function skip(read: () => Promise<Uint8Array | null>): Promise<void> {
  while ((await read()) !== null);
}

const CHUNK = 64 * 1024
const MAX_HEADERS = 16 * 1024
const END_OF_HEADERS = "\r\n\r\n"

/**
 * Buffers the bytes that have arrived but were not consumed. Its two buffers are all the memory that a body of any size
 * needs.
 */
class Input {
  readonly #reader: ReadableStreamBYOBReader
  readonly #limit: number
  readonly #buffer = Buffer.alloc(MAX_HEADERS + 2 * CHUNK)
  #chunk = new ArrayBuffer(CHUNK)
  #start = 0
  #end = 0
  #total = 0

  constructor(body: ReadableStream<Uint8Array>, limit: number) {
    this.#reader = body.getReader({ mode: "byob" })
    this.#limit = limit
    // Without a preamble, no line break precedes the first delimiter.
    this.#end = this.#buffer.write("\r\n")
  }

  /** Returns the next bytes before a delimiter; null when there are none, after consuming the delimiter. */
  async upTo(delimiter: Buffer): Promise<Uint8Array | null> {
    for (;;) {
      const buffered = this.#buffer.subarray(this.#start, this.#end)
      const at = buffered.indexOf(delimiter)
      if (at === 0) {
        this.#start += delimiter.length
        return null
      }
      // Without a complete delimiter, the last bytes may be the start of one.
      const ready = at > 0 ? at : buffered.length - delimiter.length + 1
      if (ready > 0) {
        this.#start += ready
        return buffered.subarray(0, ready)
      }
      await this.#more()
    }
  }

  /** Whether the delimiter just consumed was the closing one. */
  async closes(): Promise<boolean> {
    while (this.#end - this.#start < 2) await this.#more()
    return this.#buffer.toString("latin1", this.#start, this.#start + 2) === "--"
  }

  /** Reads the header lines of the next part. */
  async headers(): Promise<string> {
    for (;;) {
      const buffered = this.#buffer.subarray(this.#start, this.#end)
      const at = buffered.indexOf(END_OF_HEADERS)
      if (at >= 0 && at <= MAX_HEADERS) {
        this.#start += at + END_OF_HEADERS.length
        return buffered.toString("utf8", 0, at)
      }
      if (buffered.length > MAX_HEADERS) throw new MultipartError("malformed")
      await this.#more()
    }
  }

  /** Reads to the end. */
  async rest(): Promise<void> {
    do this.#start = this.#end
    while (await this.#fill())
  }

  async #more(): Promise<void> {
    if (!(await this.#fill())) throw new MultipartError("truncated")
  }

  async #fill(): Promise<boolean> {
    this.#buffer.copyWithin(0, this.#start, this.#end)
    this.#end -= this.#start
    this.#start = 0
    const { value } = await this.#reader.read(new Uint8Array(this.#chunk)).catch((cause) => {
      throw new MultipartError("truncated", { cause })
    })
    if (!value?.length) return false
    this.#buffer.set(value, this.#end)
    this.#end += value.length
    // A BYOB read transfers the buffer and returns it with the bytes.
    this.#chunk = value.buffer as ArrayBuffer
    this.#total += value.length
    if (this.#total > this.#limit) throw new MultipartError("too_large")
    return true
  }
}

/** Parses the field and file name of a part (RFC 7578, section 4.2). */
function disposition(headers: string): { name: string; filename: string | null } {
  const line = /^content-disposition:[ \t]*form-data[ \t]*;(.*)$/im.exec(headers)?.[1]
  // The first line is the rest of the delimiter's line.
  if (line === undefined || !/^[ \t]*\r\n/.test(headers)) throw new MultipartError("malformed")
  const params = new Map<string, string>()
  // A parameter starts at a semicolon only, so that a long word is scanned once, not from each of its characters.
  const parameter = /;[ \t]*([\w*]{1,100})=(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g
  for (const [, name = "", quoted, token = ""] of `;${line}`.matchAll(parameter)) {
    params.set(name.toLowerCase(), quoted === undefined ? token : unquote(quoted))
  }
  const name = params.get("name")
  if (name === undefined) throw new MultipartError("malformed")
  return { name, filename: params.get("filename") ?? extended(params.get("filename*")) }
}

/**
 * Unescapes a quoted value: browsers escape quotes and line breaks with percent signs, other clients with backslashes.
 */
const unquote = (text: string): string =>
  text
    .replace(/\\(["\\])/g, "$1")
    .replace(/%(22|0D|0A)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Decodes an RFC 5987 value, which some clients send although RFC 7578 forbids it. */
function extended(value: string | undefined): string | null {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? "")?.[1]
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded)
  } catch {
    return null
  }
}
