// The fields of a request, whether they come as JSON, as a form or as a form with files.
import type { Context } from "hono"
import { httpFault, Refusal } from "../core/refusal"
import type { Fields } from "./fields"

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

/** A form's texts; `name[]` and `name[0]` collect a list, and of several under one name the last counts. */
export function formFields(form: Iterable<[string, unknown]>): Fields {
  // Without a prototype: `constructor` and `__proto__` are names of fields like any other.
  const fields: Fields = Object.create(null)
  for (const [name, value] of form) {
    if (typeof value !== "string") continue
    const list = listName(name)
    const known = list === null ? undefined : fields[list]
    if (list === null) fields[name] = value
    else if (Array.isArray(known)) known.push(value)
    else fields[list] = [value]
  }
  return fields
}

/** The name of the list that a field belongs to, or null for a field of its own. */
const listName = (name: string): string | null => /^(.*)\[\d{0,9}\]$/s.exec(name)?.[1] ?? null
