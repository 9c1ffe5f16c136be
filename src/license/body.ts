// Reads the fields of a request body: JSON, URL-encoded form or multipart form.
import type { Context } from "hono"
import { isMultipart, isUrlEncoded, parseForm, parseJson, readForm, readText } from "../core/http/body"
import { httpError } from "../core/http/refusal"
import { type Fields, formFields } from "./fields"

/**
 * Reads the fields of a body. Legacy PHP clients send JSON with the content type of a form.
 * @throws Refusal `http_error` 400 for a malformed body and for JSON that is not an object, 413 for too many fields
 */
export async function readFields(c: Context): Promise<Fields> {
  if (isMultipart(c)) return formFields(await readForm(c))
  const text = await readText(c)
  return isUrlEncoded(c) && !text.trimStart().startsWith("{") ? formFields(parseForm(text)) : jsonFields(text)
}

function jsonFields(body: string): Fields {
  if (body.trim() === "") return {}
  const value = parseJson(body)
  // Some clients (PHP's json_encode) send an empty object as an empty array.
  if (Array.isArray(value) && value.length === 0) return {}
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw httpError(400)
  return value as Fields
}
