// Validates submitted forms against the schemas of service functions, and turns refusals into form errors.
import type { Context } from "hono"
import * as z from "zod"
import { type Input, parseInput } from "../core/http/input"
import { type ConsoleCode, isServerFailure, Refusal, type RefusalOf } from "../core/http/refusal"
import { fieldMessages } from "../core/i18n/field-messages"
import { fillPlaceholders } from "../core/i18n/locale"
import { formatMessage } from "../license/refusal-messages"
import { getMessage, STATUS_BY_CODE } from "../platform/envelope"
import type { PlatformCode } from "../platform/refusal-messages"
import { W } from "./strings"
import type { ConsoleEnv, Form } from "./types"

/** State of a form when its page is rendered: the values and errors to show. */
export interface FormState {
  status: 200 | 403 | 409 | 422 | 429
  values: Form
  errors: Record<string, string[]>
  /** Error of the form as a whole. */
  message?: string
  /** Fields whose value belongs to something that exists. */
  taken?: string[]
}

/** The state of a form that has not been submitted yet. */
export const emptyForm = (values: Record<string, string | readonly string[] | null | undefined> = {}): FormState => ({
  status: 200,
  values: new Map(
    Object.entries(values).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, typeof value === "string" ? [value] : value] as const],
    ),
  ),
  errors: {},
})

/** Unwraps optional, default and transform wrappers. */
function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrapSchema(schema.in instanceof z.ZodTransform ? schema.out : schema.in)
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType }
  return innerType ? unwrapSchema(innerType) : schema
}

const getSchemaType = (schema: z.ZodType): string => unwrapSchema(schema)._zod.def.type

const NUMBER = /^-?\d+(\.\d+)?$/

/**
 * The value of an empty field that cannot be cleared. Forms that create something omit it, so the default applies.
 * Forms that edit something pass the empty text, which validation refuses at its field.
 */
type EmptyValue = undefined | ""

/** The value that clears a field: null when the schema allows it, else an empty text when allowed, else `empty`. */
function getClearedValue(schema: z.ZodType, empty: EmptyValue): null | EmptyValue {
  for (const cleared of [null, ""] as const) {
    const { success, data } = schema.safeParse(cleared)
    // `new Date(null)` is a valid date, and `undefined` would leave the value unchanged.
    if (success && data !== undefined && !(data instanceof Date)) return cleared
  }
  return empty
}

/**
 * Converts form fields to the input of a schema: numbers and booleans from text, lists from repeated or comma-separated
 * fields, objects from dotted names (`limits.products`). An empty field becomes its cleared value.
 */
export function parseFields(schema: z.ZodObject, form: Form, empty: EmptyValue, prefix = ""): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    const value = parseField(field, form, empty, prefix + name)
    if (value !== undefined) input[name] = value
  }
  return input
}

/** Date-time inputs, which browsers send without an offset; their labels say UTC. */
const UTC_FIELDS: ReadonlySet<string> = new Set(["since", "until", "at", "starts_at", "expires_at"])

const toUtc = (text: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? `${text.length === 16 ? `${text}:00` : text}Z` : text

function parseField(schema: z.ZodType, form: Form, empty: EmptyValue, name: string): unknown {
  const type = getSchemaType(schema)
  if (type === "object") return parseFields(unwrapSchema(schema) as z.ZodObject, form, empty, `${name}.`)
  const submitted = form.get(name)
  const values = UTC_FIELDS.has(name) ? submitted?.map(toUtc) : submitted
  if (!values) return undefined
  const last = values.at(-1) ?? ""
  if (type === "array") {
    const items = (values.length > 1 ? values : last.split(/[,\n]/)).map((item) => item.trim()).filter(Boolean)
    return items.length || getClearedValue(schema, empty) !== null ? items : null
  }
  const isText = type !== "boolean" && type !== "number" && type !== "int" && type !== "date"
  if ((isText ? last : last.trim()) === "") return getClearedValue(schema, empty)
  if (type === "boolean") return last === "1" || last === "on" || last === "true"
  if (type === "number" || type === "int") return NUMBER.test(last.trim()) ? Number(last) : last
  return isText ? last.replaceAll("\r\n", "\n") : last
}

/** The messages of the console's own codes, and of codes that it words differently. */
const OWN_MESSAGES: Record<ConsoleCode, string> & { [Code in PlatformCode]?: string } = W.refusals

/** The codes that the console renders. */
export const CONSOLE_CODES = { ...STATUS_BY_CODE, ...OWN_MESSAGES }

export type ConsolePageCode = keyof typeof CONSOLE_CODES

/** Whether an error is a refusal that the console has a message for. */
export const isConsoleRefusal = (thrown: unknown): thrown is RefusalOf<ConsolePageCode> =>
  thrown instanceof Refusal && Object.hasOwn(CONSOLE_CODES, thrown.code)

/** The message of a refusal in English. */
export function getRefusalMessage(refusal: RefusalOf<ConsolePageCode>): string {
  const own = OWN_MESSAGES[refusal.code]
  if (own !== undefined) return fillPlaceholders(own, refusal.facts)
  if (refusal.code === "validation_failed" && refusal.facts.message)
    return formatMessage(refusal.facts.message, "en", refusal.facts.words)
  return getMessage(refusal as RefusalOf<PlatformCode>, "en")
}

/**
 * Turns a refusal into the state of the form that caused it.
 * @returns null for errors that the form cannot show, such as `not_found`
 */
export function toFormState(thrown: unknown, values: Form): FormState | null {
  if (!isConsoleRefusal(thrown) || thrown.code === "not_found" || isServerFailure(thrown)) return null
  if (thrown.code === "http_error" || thrown.code === "method_not_allowed") return null
  // The session has ended, so the page with the form is no longer available.
  if (thrown.code === "unauthenticated") return null
  const isConfirmation = thrown.code === "confirm_mismatch"
  const errors = isConfirmation
    ? { confirm: [getRefusalMessage(thrown)] }
    : thrown.code === "validation_failed" || thrown.code === "plan_too_small"
      ? fieldMessages(thrown.facts.fields ?? {}, "en")
      : {}
  const hasFieldErrors = isConfirmation || (thrown.code === "validation_failed" && Object.keys(errors).length > 0)
  const message = hasFieldErrors ? undefined : getRefusalMessage(thrown)
  const taken =
    thrown.code === "validation_failed"
      ? Object.entries(thrown.facts.fields ?? {}).flatMap(([name, found]) =>
          found.some(({ rule }) => rule === "duplicate" || rule === "taken") ? [name] : [],
        )
      : []
  return { status: thrown.code === "rate_limited" ? 429 : 422, values, errors, message, taken }
}

type PageResponse = Response | Promise<Response>

/** Handles a submitted form: validates it, runs an operation, and redirects or renders the form with its errors. */
type FormHandler = <Schema extends z.ZodObject>(
  c: Context<ConsoleEnv>,
  schema: Schema,
  run: (input: Input<Schema>) => Promise<string | Response>,
  renderForm: (state: FormState) => PageResponse,
) => Promise<Response>

const createFormHandler =
  (empty: EmptyValue): FormHandler =>
  async (c, schema, run, renderForm) => {
    const { form } = c.var
    const fields = parseFields(schema, form, empty)
    try {
      const result = await run(parseInput(schema, fields))
      return typeof result === "string" ? c.redirect(result, 303) : result
    } catch (thrown) {
      const state = toFormState(thrown, form)
      if (!state) throw thrown
      return renderForm(state)
    }
  }

/**
 * Handles a form that creates something or runs an action. Empty optional fields are omitted.
 * @param run returns the path to redirect to (303), or a page, for example with a secret that is shown once
 * @param renderForm renders the page with the refused form
 */
export const handleForm: FormHandler = createFormHandler(undefined)

/**
 * Handles a form that edits something, like `handleForm`; an empty field clears its value, or is refused when it is
 * required.
 */
export const handleEditForm: FormHandler = createFormHandler("")

/** A form without fields. */
export const NoFields = z.object({})
