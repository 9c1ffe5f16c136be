// multipart/form-data as a stream (RFC 7578, RFC 2046 section 5.1): its parts one after the other, none of them held in memory.
import { Buffer } from "node:buffer"

/** What is wrong with a body that calls itself multipart/form-data. */
export type MultipartReason = "truncated" | "malformed" | "too_many_parts" | "too_large"

export class MultipartFault extends Error {
  override readonly name = "MultipartFault"
  readonly reason: MultipartReason

  constructor(reason: MultipartReason, options?: ErrorOptions) {
    super(`The multipart body is ${reason.replaceAll("_", " ")}`, options)
    this.reason = reason
  }
}

export interface Part {
  /** The field's name. */
  name: string
  /** What the client calls the file; null for a part that is no file. */
  filename: string | null
  /** The part's next bytes, null at its end. They are a view that the next call overwrites: copy what is to stay. */
  read(): Promise<Uint8Array | null>
}

export interface MultipartLimits {
  /** Parts there may be. */
  parts: number
  /** Bytes the whole body may have. */
  bytes: number
}

/**
 * The boundary that a Content-Type names.
 * @returns null when it is not multipart/form-data, or names none of 1 to 70 characters (RFC 2046, section 5.1.1)
 */
export function boundaryOf(contentType: string | undefined): string | null {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType ?? "")) return null
  const [, quoted, token] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType ?? "") ?? []
  const boundary = quoted ?? token ?? ""
  return boundary && boundary.length <= 70 ? boundary : null
}

/**
 * Reads the parts in the order in which they arrive. What the caller leaves of a part is skipped.
 * @param body a byte stream, read once and to its end
 * @throws MultipartFault
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
    if (count > limits.parts) throw new MultipartFault("too_many_parts")
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
  // What follows the last delimiter means nothing, but a sender that is not listened to may never read the answer.
  await input.rest()
}

/**
 * The rest of a part as UTF-8 text.
 * @param maxLength in UTF-16 code units
 * @throws MultipartFault `too_large` for a longer text
 */
export async function readPartText(part: Part, maxLength = Number.POSITIVE_INFINITY): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  for (let bytes = await part.read(); bytes !== null; bytes = await part.read()) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length > maxLength) throw new MultipartFault("too_large")
  }
  return text + decoder.decode()
}

async function skip(read: () => Promise<Uint8Array | null>): Promise<void> {
  while ((await read()) !== null);
}

const CHUNK = 64 * 1024
const MAX_HEADERS = 16 * 1024
const END_OF_HEADERS = "\r\n\r\n"

/** The bytes that have arrived and were not handed out yet. Its two buffers are all the memory a body of any size takes. */
class Input {
  readonly #reader: ReadableStreamBYOBReader
  readonly #limit: number
  readonly #held = Buffer.alloc(MAX_HEADERS + 2 * CHUNK)
  #chunk = new ArrayBuffer(CHUNK)
  #start = 0
  #end = 0
  #total = 0

  constructor(body: ReadableStream<Uint8Array>, limit: number) {
    this.#reader = body.getReader({ mode: "byob" })
    this.#limit = limit
    // The first delimiter has no line before it, unless there is a preamble.
    this.#end = this.#held.write("\r\n")
  }

  /** The next bytes before a delimiter; null, and past the delimiter, when there are none. */
  async upTo(delimiter: Buffer): Promise<Uint8Array | null> {
    for (;;) {
      const held = this.#held.subarray(this.#start, this.#end)
      const at = held.indexOf(delimiter)
      if (at === 0) {
        this.#start += delimiter.length
        return null
      }
      // Without a delimiter in sight the last bytes may be the beginning of one.
      const ready = at > 0 ? at : held.length - delimiter.length + 1
      if (ready > 0) {
        this.#start += ready
        return held.subarray(0, ready)
      }
      await this.#more()
    }
  }

  /** Whether the delimiter just passed was the closing one. */
  async closes(): Promise<boolean> {
    while (this.#end - this.#start < 2) await this.#more()
    return this.#held.toString("latin1", this.#start, this.#start + 2) === "--"
  }

  /** The header lines of the part that begins here. */
  async headers(): Promise<string> {
    for (;;) {
      const held = this.#held.subarray(this.#start, this.#end)
      const at = held.indexOf(END_OF_HEADERS)
      if (at >= 0 && at <= MAX_HEADERS) {
        this.#start += at + END_OF_HEADERS.length
        return held.toString("utf8", 0, at)
      }
      if (held.length > MAX_HEADERS) throw new MultipartFault("malformed")
      await this.#more()
    }
  }

  /** Reads to the end. */
  async rest(): Promise<void> {
    do this.#start = this.#end
    while (await this.#fill())
  }

  async #more(): Promise<void> {
    if (!(await this.#fill())) throw new MultipartFault("truncated")
  }

  async #fill(): Promise<boolean> {
    this.#held.copyWithin(0, this.#start, this.#end)
    this.#end -= this.#start
    this.#start = 0
    const { value } = await this.#reader.read(new Uint8Array(this.#chunk)).catch((cause) => {
      throw new MultipartFault("truncated", { cause })
    })
    if (!value?.length) return false
    this.#held.set(value, this.#end)
    this.#end += value.length
    // A read takes the buffer away and gives it back with the bytes.
    this.#chunk = value.buffer as ArrayBuffer
    this.#total += value.length
    if (this.#total > this.#limit) throw new MultipartFault("too_large")
    return true
  }
}

/** The field and file name of a part (RFC 7578, section 4.2). */
function disposition(headers: string): { name: string; filename: string | null } {
  const line = /^content-disposition:[ \t]*form-data[ \t]*;(.*)$/im.exec(headers)?.[1]
  // The first line is what is left of the delimiter's own.
  if (line === undefined || !/^[ \t]*\r\n/.test(headers)) throw new MultipartFault("malformed")
  const params = new Map<string, string>()
  // A parameter begins at a semicolon only, so that a long word is gone through once and not from each of its letters.
  const parameter = /;[ \t]*([\w*]{1,100})=(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g
  for (const [, name = "", quoted, token = ""] of `;${line}`.matchAll(parameter)) {
    params.set(name.toLowerCase(), quoted === undefined ? token : unquote(quoted))
  }
  const name = params.get("name")
  if (name === undefined) throw new MultipartFault("malformed")
  return { name, filename: params.get("filename") ?? extended(params.get("filename*")) }
}

/** Browsers escape quotes and line ends by percent signs, other clients by backslashes. */
const unquote = (text: string): string =>
  text
    .replace(/\\(["\\])/g, "$1")
    .replace(/%(22|0D|0A)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** A value in the form of RFC 5987, which some clients send although RFC 7578 forbids it. */
function extended(value: string | undefined): string | null {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? "")?.[1]
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded)
  } catch {
    return null
  }
}
