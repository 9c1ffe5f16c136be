// Forms: what was typed becomes the input of a verb's own schema, and a refusal becomes the same form again, with what was typed
// and each message beside its field.
import type { Context } from "hono"
import * as z from "zod"
import { fieldMessages } from "../core/field-messages"
import { say } from "../core/locale"
import { Refusal } from "../core/refusal"
import { fieldFaults } from "../core/validation"
import { MESSAGES } from "../platform/messages"
import type { ConsoleEnv, Form } from "./types"
import { W } from "./words"

/** What a form shows when it is answered again. */
export interface FormState {
  status: 200 | 403 | 422 | 429
  values: Form
  errors: Record<string, string[]>
  /** What is wrong with all of it. */
  message?: string
}

/** A form that nobody filled in yet. */
export const blank = (values: Record<string, string | readonly string[] | null | undefined> = {}): FormState => ({
  status: 200,
  values: new Map(
    Object.entries(values).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, typeof value === "string" ? [value] : value] as const],
    ),
  ),
  errors: {},
})

/** The one schema below what makes a field optional, gives it a default or changes its value. */
function core(schema: z.ZodType): z.ZodType {
  const { def } = schema as unknown as { def: { type: string; innerType?: z.ZodType; in?: z.ZodType; out?: z.ZodType } }
  if (def.innerType) return core(def.innerType)
  if (def.type === "pipe" && def.in) {
    const inner = (def.in as unknown as { def: { type: string } }).def.type
    return inner === "transform" && def.out ? core(def.out) : core(def.in)
  }
  return schema
}

const typeOf = (schema: z.ZodType): string => (core(schema) as unknown as { def: { type: string } }).def.type

/** Whether a field left empty means null rather than nothing. */
const takesNull = (schema: z.ZodType): boolean => schema.safeParse(null).success

const NUMBER = /^-?\d+(\.\d+)?$/

/**
 * What a form says, in the shape that a schema takes: numbers and flags from text, lists from repeated or comma separated fields,
 * objects from dotted names (`limits.products`). An empty field is absent, or null where only that can empty it.
 */
function readForm(schema: z.ZodObject, form: Form, prefix = ""): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    const value = readField(field, form, prefix + name)
    if (value !== undefined) read[name] = value
  }
  return read
}

/** Fields that a browser fills with a moment without an offset; their labels say that it is in UTC. */
const MOMENTS: ReadonlySet<string> = new Set(["since", "until", "at", "starts_at", "expires_at"])

const inUtc = (text: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? `${text.length === 16 ? `${text}:00` : text}Z` : text

function readField(schema: z.ZodType, form: Form, name: string): unknown {
  const type = typeOf(schema)
  if (type === "object") return readForm(core(schema) as z.ZodObject, form, `${name}.`)
  const typed = form.get(name)
  const given = MOMENTS.has(name) ? typed?.map(inUtc) : typed
  if (!given) return undefined
  const last = given.at(-1) ?? ""
  switch (type) {
    case "array": {
      const items = (given.length > 1 ? given : last.split(/[,\n]/)).map((item) => item.trim()).filter(Boolean)
      return items.length || !takesNull(schema) ? items : null
    }
    case "boolean":
      return last === "" ? undefined : last === "1" || last === "on" || last === "true"
    case "number":
    case "int":
      if (last.trim() === "") return undefined
      return NUMBER.test(last.trim()) ? Number(last) : last
    // What makes a date of anything makes one of null as well.
    case "date":
      return last.trim() === "" ? undefined : last
    default:
      if (last !== "") return last.replaceAll("\r\n", "\n")
      return takesNull(schema) ? null : schema.safeParse("").success ? "" : undefined
  }
}

/** The words of a refusal, for people. */
export function wordsOf(refusal: Refusal): string {
  const { code, facts } = refusal
  const own = W.refusals[code as keyof typeof W.refusals]
  if (own) return own.replace(/:([a-z_]+)/g, (whole, name: string) => (name in facts ? String(facts[name]) : whole))
  const sentence = MESSAGES[code]
  return sentence ? say(sentence, "en", facts) : W.refusals.forbidden
}

/** A refusal as the state of the form that caused it; null for one that is no matter of the form. */
export function stateOf(thrown: unknown, values: Form): FormState | null {
  if (!(thrown instanceof Refusal) || thrown.code === "not_found" || thrown.code === "server_error") return null
  if (thrown.code === "http_error" || thrown.code === "method_not_allowed") return null
  const errors = thrown.facts.fields ? fieldMessages(thrown.facts.fields, "en") : {}
  const message = Object.keys(errors).length && thrown.code === "validation_failed" ? undefined : wordsOf(thrown)
  return { status: thrown.code === "rate_limited" ? 429 : 422, values, errors, message }
}

type Answer = Response | Promise<Response>

/**
 * Takes a posted form: validates it, does what it asks for, and leads on.
 * @param run answers where to go (303), or a page of its own, as for what is shown once
 * @param again answers the form with what was wrong
 */
export async function submit<Schema extends z.ZodObject>(
  c: Context<ConsoleEnv>,
  schema: Schema,
  run: (input: z.output<Schema>) => Promise<string | Response>,
  again: (state: FormState) => Answer,
): Promise<Response> {
  const { form } = c.var
  const given = readForm(schema, form)
  const input = schema.safeParse(given)
  if (!input.success) {
    return again({ status: 422, values: form, errors: fieldMessages(fieldFaults(input.error, given), "en") })
  }
  try {
    const answer = await run(input.data)
    return typeof answer === "string" ? c.redirect(answer, 303) : answer
  } catch (thrown) {
    const state = stateOf(thrown, form)
    if (!state) throw thrown
    return again(state)
  }
}

/** A form without fields. */
export const NOTHING = z.object({})

/** A place to go to, which will say what was done: one of `W.done`. */
export function done(path: string, what: keyof typeof W.done): string {
  const [before, hash = ""] = path.split("#")
  return `${before}${before?.includes("?") ? "&" : "?"}done=${what}${hash && `#${hash}`}`
}
