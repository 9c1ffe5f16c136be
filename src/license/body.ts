// The fields of a request, whether they come as JSON, as a form or as a form with files.
import type { Context } from "hono"
import { httpFault, Refusal } from "../core/refusal"
import { type Fields, formFields } from "./fields"

/**
 * The fields of a bounded body.
 * @throws Refusal `http_error` 400 for a body that is not what it says it is, or whose JSON is no object
 */
export async function readFields(c: Context): Promise<Fields> {
  const type = (c.req.header("Content-Type") ?? "").toLowerCase()
  try {
    if (type.startsWith("multipart/form-data")) return formFields(await c.req.formData())
    // Not `text()`, which warns of every body that does not call itself one.
    const body = new TextDecoder().decode(await c.req.arrayBuffer())
    if (type.startsWith("application/x-www-form-urlencoded") && !body.trimStart().startsWith("{")) {
      return formFields(new URLSearchParams(body))
    }
    return jsonFields(body)
  } catch (cause) {
    if (cause instanceof Refusal) throw cause
    throw httpFault(400)
  }
}

function jsonFields(body: string): Fields {
  if (body.trim() === "") return {}
  const value: unknown = JSON.parse(body)
  // An empty array is how some clients write an object without fields.
  if (Array.isArray(value) && value.length === 0) return {}
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw httpFault(400)
  return value as Fields
}
