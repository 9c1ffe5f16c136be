// Forms: what was typed becomes the input of a verb's own schema, and a refusal becomes the same form again, with what was typed
// and each message beside its field.
import type { Context } from "hono"
import * as z from "zod"
import { Refusal } from "../core/http/refusal"
import { fieldFaults } from "../core/http/validation"
import { fieldMessages } from "../core/i18n/field-messages"
import { say } from "../core/i18n/locale"
import { MESSAGES } from "../platform/refusal-messages"
import { W } from "./strings"
import type { ConsoleEnv, Form } from "./types"

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

const NUMBER = /^-?\d+(\.\d+)?$/

/**
 * What an empty field says whose value cannot be emptied: nothing in a form that makes something, so that a default stands in; in
 * one that changes what is there the empty text, which is refused at its field.
 */
type Empty = undefined | ""

/** What empties a value: null, where it may be null, or an empty text; else `empty`. */
function emptied(schema: z.ZodType, empty: Empty): null | Empty {
  for (const nothing of [null, ""] as const) {
    const { success, data } = schema.safeParse(nothing)
    // A date can be made of null as well, and what is left out leaves all as it was.
    if (success && data !== undefined && !(data instanceof Date)) return nothing
  }
  return empty
}

/**
 * What a form says, in the shape that a schema takes: numbers and flags from text, lists from repeated or comma separated fields,
 * objects from dotted names (`limits.products`). An empty field is null or an empty text where that empties it, else `empty`.
 */
function readForm(schema: z.ZodObject, form: Form, empty: Empty, prefix = ""): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    const value = readField(field, form, empty, prefix + name)
    if (value !== undefined) read[name] = value
  }
  return read
}

/** Fields that a browser fills with a moment without an offset; their labels say that it is in UTC. */
const MOMENTS: ReadonlySet<string> = new Set(["since", "until", "at", "starts_at", "expires_at"])

const inUtc = (text: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? `${text.length === 16 ? `${text}:00` : text}Z` : text

function readField(schema: z.ZodType, form: Form, empty: Empty, name: string): unknown {
  const type = typeOf(schema)
  if (type === "object") return readForm(core(schema) as z.ZodObject, form, empty, `${name}.`)
  const typed = form.get(name)
  const given = MOMENTS.has(name) ? typed?.map(inUtc) : typed
  if (!given) return undefined
  const last = given.at(-1) ?? ""
  if (type === "array") {
    const items = (given.length > 1 ? given : last.split(/[,\n]/)).map((item) => item.trim()).filter(Boolean)
    return items.length || emptied(schema, empty) !== null ? items : null
  }
  const isText = type !== "boolean" && type !== "number" && type !== "int" && type !== "date"
  if ((isText ? last : last.trim()) === "") return emptied(schema, empty)
  if (type === "boolean") return last === "1" || last === "on" || last === "true"
  if (type === "number" || type === "int") return NUMBER.test(last.trim()) ? Number(last) : last
  return isText ? last.replaceAll("\r\n", "\n") : last
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
  // The session has ended: its form is not shown again.
  if (thrown.code === "unauthenticated") return null
  const isTyped = thrown.code === "confirm_mismatch"
  const errors = isTyped
    ? { confirm: [wordsOf(thrown)] }
    : thrown.facts.fields
      ? fieldMessages(thrown.facts.fields, "en")
      : {}
  const isAtFields = isTyped || (thrown.code === "validation_failed" && Object.keys(errors).length > 0)
  const message = isAtFields ? undefined : wordsOf(thrown)
  return { status: thrown.code === "rate_limited" ? 429 : 422, values, errors, message }
}

type Answer = Response | Promise<Response>

/** What takes a posted form: its schema, what it does, and the form answered again. */
type Taker = <Schema extends z.ZodObject>(
  c: Context<ConsoleEnv>,
  schema: Schema,
  run: (input: z.output<Schema>) => Promise<string | Response>,
  again: (state: FormState) => Answer,
) => Promise<Response>

const taker =
  (empty: Empty): Taker =>
  async (c, schema, run, again) => {
    const { form } = c.var
    const given = readForm(schema, form, empty)
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

/**
 * Takes a posted form: validates it, does what it asks for, and leads on. A field left empty that need not be there is not there.
 * @param run answers where to go (303), or a page of its own, as for what is shown once
 * @param again answers the form with what was wrong
 */
export const submit: Taker = taker(undefined)

/** Takes a form that changes what is there, as `submit`; but a field left empty is emptied, or refused where it cannot be empty. */
export const change: Taker = taker("")

/** A form without fields. */
export const NOTHING = z.object({})

/** A place to go to, which will say what was done: one of `W.done`. */
export function done(path: string, what: keyof typeof W.done): string {
  const [before, hash = ""] = path.split("#")
  return `${before}${before?.includes("?") ? "&" : "?"}done=${what}${hash && `#${hash}`}`
}
