// Reads and parses request bodies: JSON, forms and text. Every parser takes linear time, and the number of form fields
// is limited.
// Uploads are streamed with lib/multipart.ts instead.
import type { Context } from "hono"
import { boundaryOf, MultipartError, readMultipart, readPartText } from "../../lib/multipart"
import type { Ctx } from "../context"
import { httpError, Refusal } from "./refusal"

/** Fields of one form, including repeated names; the default of PHP's `max_input_vars`. */
const MAX_FIELDS = 1_000

/** A form's fields: each name with its values, in body order. */
export type Form = ReadonlyMap<string, readonly string[]>

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i
const URLENCODED_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i
const MULTIPART_TYPE = /^multipart\/form-data\s*;/i

const contentType = (c: Context): string => c.req.header("Content-Type") ?? ""

export const isJson = (c: Context): boolean => JSON_TYPE.test(contentType(c))
export const isUrlEncoded = (c: Context): boolean => URLENCODED_TYPE.test(contentType(c))
export const isMultipart = (c: Context): boolean => MULTIPART_TYPE.test(contentType(c))

/**
 * Waits for the whole body, whose length the surface's `maxBody` limits.
 * @throws Refusal `http_error` 400 for a truncated body, 413 for one that is too large; errors of
 *   `Ctx.bodyArrived`
 */
async function bodyFrom<Body>(c: Context, reading: Promise<Body>): Promise<Body> {
  const body = await reading.catch((cause) => {
    throw cause instanceof Refusal ? cause : httpError(400)
  })
  await (c.get("ctx") as Ctx | undefined)?.bodyArrived?.()
  return body
}

const readBytes = (c: Context): Promise<ArrayBuffer> => bodyFrom(c, c.req.arrayBuffer())

/** Reads the body as UTF-8 text. */
export const readText = async (c: Context): Promise<string> => new TextDecoder().decode(await readBytes(c))

/**
 * Reads the body as JSON.
 * @throws Refusal `http_error` 400 for text that is not JSON
 */
export const readJson = async (c: Context): Promise<unknown> => parseJson(await readText(c))

/** @throws Refusal `http_error` 400 for text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw httpError(400)
  }
}

/**
 * Reads a request's JSON body; an empty one counts as `{}`.
 * @throws Refusal `http_error` 415 for a body of another media type, 400 for text that is not JSON
 */
export async function readJsonBody(c: Context): Promise<unknown> {
  const hasBody = c.req.raw.body !== null && c.req.header("Content-Length") !== "0"
  if (!hasBody) return {}
  if (!isJson(c)) throw httpError(415)
  const text = await bodyFrom(c, c.req.text())
  return text.trim() === "" ? {} : parseJson(text)
}

/**
 * Reads the fields of a urlencoded or multipart form; none when there is no body. Files in a multipart form are
 * skipped.
 * @throws Refusal `http_error` 415 for another media type, 413 for more than 1,000 fields, 400 for a malformed body
 */
export async function readForm(c: Context): Promise<Form> {
  if (c.req.raw.body === null) return new Map()
  if (isUrlEncoded(c)) return parseForm(await readText(c))
  if (!isMultipart(c)) throw httpError(415)
  const boundary = boundaryOf(contentType(c))
  const { body } = new Response(await readBytes(c))
  if (!boundary || !body) throw httpError(400)
  const fields: [string, string][] = []
  try {
    for await (const part of readMultipart(body, boundary, { parts: MAX_FIELDS, bytes: Number.POSITIVE_INFINITY })) {
      if (part.filename === null) fields.push([part.name, await readPartText(part)])
    }
  } catch (cause) {
    if (!(cause instanceof MultipartError)) throw cause
    throw httpError(cause.reason === "too_many_parts" ? 413 : 400)
  }
  return groupByName(fields)
}

/**
 * Parses `application/x-www-form-urlencoded` text (WHATWG URL, section 5.1).
 * @throws Refusal `http_error` 413 for more than 1,000 fields, before any of them is decoded
 */
export function parseForm(text: string): Form {
  let fields = 1
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1)) {
    fields += 1
    if (fields > MAX_FIELDS) throw httpError(413)
  }
  return groupByName(new URLSearchParams(text))
}

/** Returns the last value of each field. The object has no prototype, because names come from the client. */
export function lastValues(form: Form): Record<string, string> {
  const values: Record<string, string> = Object.create(null)
  for (const [name, all] of form) values[name] = all.at(-1) ?? ""
  return values
}

/** Groups name and value pairs by name. */
export function groupByName(fields: Iterable<[string, string]>): Form {
  const form = new Map<string, string[]>()
  for (const [name, value] of fields) {
    const values = form.get(name)
    if (values) values.push(value)
    else form.set(name, [value])
  }
  return form
}
