// Validates submitted forms against the schemas of service functions, and turns refusals into form errors.
import type { Context } from "hono"
import * as z from "zod"
import { type Input, parseInput } from "../core/http/input"
import type { Precondition } from "../core/http/precondition"
import { type ConsoleCode, type FieldErrors, isServerFailure, Refusal, type RefusalOf } from "../core/http/refusal"
import { labelledMessages } from "../core/i18n/field-messages"
import { fillPlaceholders } from "../core/i18n/locale"
import { isoDay } from "../lib/time"
import { localToUtc } from "../lib/time-zone"
import { formatMessage } from "../license/refusal-messages"
import { type EmptyValue, parseFields } from "../page-kit/fields"
import { type FormState, restoredForm } from "../page-kit/form-state"
import { createVersionGuard } from "../page-kit/version-guard"
import { getMessage, STATUS_BY_CODE } from "../platform/envelope"
import type { PlatformCode } from "../platform/refusal-messages"
import { W } from "./strings"
import type { ConsoleEnv, Form } from "./types"

/** Date-time inputs, which browsers send without an offset. Their labels name the operator's time zone. */
const LOCAL_FIELDS: ReadonlySet<string> = new Set(["since", "until", "at", "starts_at", "expires_at"])

/** The operator's time zone. */
export const timeZoneOf = (c: Context<ConsoleEnv>): string => c.var.session?.operator.timeZone ?? "UTC"

/** Converts a date-time in the operator's time zone to UTC; other values stay. */
export const toUtc = (c: Context<ConsoleEnv>, name: string, text: string): string =>
  LOCAL_FIELDS.has(name) ? localToUtc(text, timeZoneOf(c)) : text

/** Converts the date-times of a form from the operator's time zone to UTC. */
export const withUtcTimes = (c: Context<ConsoleEnv>, form: Form): Form =>
  new Map([...form].map(([name, values]) => [name, values.map((value) => toUtc(c, name, value))]))

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
    return formatMessage(refusal.facts.message, "en", refusal.facts.params)
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
      ? labelledMessages(thrown.facts.fields ?? {}, "en")
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

/** Adds a message to a refused form without a selected row, because the checkboxes of the rows show no errors. */
export const explainMissingSelection = (state: FormState, field: string): FormState =>
  state.errors[field] && !state.values.has(field) ? { ...state, message: W.common.none_selected } : state

type PageResponse = Response | Promise<Response>

/** Handles a submitted form: validates it, runs an operation, and redirects or renders the form with its errors. */
type FormHandler = <Schema extends z.ZodObject>(
  c: Context<ConsoleEnv>,
  schema: Schema,
  run: (input: Input<Schema>, assertUnchanged: Precondition) => Promise<string | Response>,
  renderForm: (state: FormState) => PageResponse,
  convert?: (fields: Record<string, unknown>) => { fields: Record<string, unknown>; errors: FieldErrors },
) => Promise<Response>

const createFormHandler =
  (empty: EmptyValue): FormHandler =>
  async (c, schema, run, renderForm, convert) => {
    const { form } = c.var
    if (c.var.isRestored) return renderForm(restoredForm(form))
    const parsed = parseFields(schema, withUtcTimes(c, form), empty)
    const guard = createVersionGuard(form)
    try {
      const { fields, errors } = convert?.(parsed) ?? { fields: parsed, errors: {} }
      const result = await run(parseInput(schema, fields, errors), guard.assertUnchanged)
      return typeof result === "string" ? c.redirect(result, 303) : result
    } catch (thrown) {
      const state = toFormState(thrown, form)
      if (!state) throw thrown
      return renderForm(guard.refresh(state))
    }
  }

/**
 * Handles a form that creates something or runs an action. Empty optional fields are omitted.
 * @param run returns the path to redirect to (303), or a page, for example with a secret that is shown once
 * @param renderForm renders the page with the refused form
 * @param convert converts the submitted fields to those of the schema, and reports those that it cannot convert
 */
export const handleForm: FormHandler = createFormHandler(undefined)

/**
 * Handles a form that edits something, like `handleForm`; an empty field clears its value, or is refused when it is
 * required. `run` may compare the current version with the form's `ShownVersion` by `assertUnchanged`.
 */
export const handleEditForm: FormHandler = createFormHandler("")

/**
 * Omits the dates that a form leaves unchanged. Its date inputs show only the day, so saving them would move the time
 * to midnight.
 * @param current the stored dates by field
 */
export const omitUnchangedDays = (
  fields: Record<string, unknown>,
  current: Record<string, Date | null>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => {
      const date = current[name]
      return !date || value !== isoDay(date)
    }),
  )

/** A form without fields. */
export const NoFields = z.object({})
