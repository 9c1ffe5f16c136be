// Validates submitted forms against the schemas of service functions, and turns refusals into form errors.
import type { Context } from "hono"
import * as z from "zod"
import { roleOf } from "../content/accounts/staff-sessions"
import { type ContentRefusal, messageOf, STATUS_BY_CODE } from "../content/envelope"
import type { Form } from "../core/http/body"
import { type Input, parseInput } from "../core/http/input"
import type { Precondition } from "../core/http/precondition"
import { type FieldErrors, isServerFailure, Refusal, type RefusalOf } from "../core/http/refusal"
import { labelledMessages } from "../core/i18n/field-messages"
import { parseFields } from "../page-kit/fields"
import { type FormState, restoredForm } from "../page-kit/form-state"
import { createVersionGuard } from "../page-kit/version-guard"
import { getMessage } from "../platform/envelope"
import type { PlatformCode } from "../platform/refusal-messages"
import { DOMAINS, PRODUCTS, STAFF, WEBHOOKS } from "./paths"
import type { AdminStrings } from "./strings/types"
import type { AdminEnv } from "./types"

/** The input of a form without fields. */
export const NoFields = z.object({})

/** The codes of the control plane's services that pages call, such as those of domains. */
const PLATFORM_CODES = {
  already_taken: 409,
  limit_reached: 403,
  not_entitled: 403,
  not_removable: 409,
  not_scheduled: 409,
  plan_upgrade_required: 403,
  requirement_not_entitled: 403,
  still_required: 409,
  theme_not_entitled: 403,
  theme_requirement_not_entitled: 403,
  theme_unavailable: 409,
  verify_first: 409,
} as const satisfies { [Code in PlatformCode]?: number }

/** The codes that the admin renders. */
export const ADMIN_CODES = { ...PLATFORM_CODES, ...STATUS_BY_CODE, idempotency_in_progress: 409 } as const

export type AdminCode = keyof typeof ADMIN_CODES

/** Whether an error is a refusal that has a message here. */
export const isAdminRefusal = (thrown: unknown): thrown is RefusalOf<AdminCode> =>
  thrown instanceof Refusal && Object.hasOwn(ADMIN_CODES, thrown.code)

/** Pages whose services are those of the control plane: these codes are about the plan, not about the content API. */
const PLATFORM_PAGES = /^\/admin\/(apps|domains|look)(\/|$)/

const isPlatformRefusal = (
  refusal: RefusalOf<AdminCode>,
  path: string,
): refusal is RefusalOf<PlatformCode & AdminCode> =>
  Object.hasOwn(PLATFORM_CODES, refusal.code) &&
  (!Object.hasOwn(STATUS_BY_CODE, refusal.code) || PLATFORM_PAGES.test(path))

/** Returns the message of a refusal in the shop's language. */
export function getRefusalMessage(c: Context<AdminEnv>, refusal: RefusalOf<AdminCode>): string {
  const { strings } = c.var
  const locale = c.var.ctx?.locale ?? "en"
  if (refusal.code === "idempotency_in_progress") return strings.errors.in_progress
  if (refusal.code === "limit_reached" && !c.req.path.startsWith(DOMAINS))
    return strings.errors.plan_limits[getLimited(c.req.path)]
  if (isPlatformRefusal(refusal, c.req.path)) return getMessage(refusal, locale)
  return messageOf(refusal as ContentRefusal, locale)
}

/** Returns the plan limit of the items that a form creates. */
function getLimited(path: string): keyof AdminStrings["errors"]["plan_limits"] {
  if (path.startsWith(STAFF)) return "staff"
  if (path.startsWith(WEBHOOKS)) return "endpoints"
  return path.startsWith(PRODUCTS) && !path.endsWith("/pictures") ? "products" : "storage"
}

/** Codes of refusals that a larger plan may lift. */
const PLAN_CODES: ReadonlySet<AdminCode> = new Set<AdminCode>([
  "limit_reached",
  "not_entitled",
  "plan_upgrade_required",
  "requirement_not_entitled",
  "theme_not_entitled",
  "theme_requirement_not_entitled",
])

/** Returns the link to the plans for a refusal that a larger plan may lift. Only owners can change the plan. */
export function getPlanLink(c: Context<AdminEnv>, { code }: { code: AdminCode }): FormState["link"] {
  const { session, strings } = c.var
  if (!PLAN_CODES.has(code) || !session || roleOf(session) !== "owner") return undefined
  return { href: "/billing#plans", label: strings.errors.larger_plan }
}

/** Refusals about the page or the request as a whole, which no form can show. */
const NOT_OF_A_FORM: ReadonlySet<Refusal["code"]> = new Set([
  "not_found",
  "unauthenticated",
  "forbidden",
  "store_unavailable",
  "http_error",
  "method_not_allowed",
])

/**
 * Turns a refusal into the state of the form that caused it.
 * @param values of the form, unless it was submitted
 * @returns null for errors that the form cannot show
 */
export function toFormState(c: Context<AdminEnv>, thrown: unknown, values: Form = c.var.form): FormState | null {
  if (!isAdminRefusal(thrown) || isServerFailure(thrown) || NOT_OF_A_FORM.has(thrown.code)) return null
  const fields = thrown.code === "validation_failed" ? (thrown.facts.fields ?? {}) : {}
  const errors = labelledMessages(fields, c.var.ctx.locale)
  const message = Object.keys(errors).length ? undefined : getRefusalMessage(c, thrown)
  const link = getPlanLink(c, thrown)
  const taken = Object.entries(fields).flatMap(([name, found]) =>
    found.some(({ rule }) => rule === "taken") ? [name] : [],
  )
  return { status: thrown.code === "rate_limited" ? 429 : 422, values, errors, message, link, taken }
}

interface Converted {
  fields: Record<string, unknown>
  errors: FieldErrors
}

interface FormOptions<Schema extends z.ZodObject> {
  schema: Schema
  /** Converts the submitted fields to those of the schema, and reports the errors of those that cannot be. */
  convert?: (fields: Record<string, unknown>) => Promise<Converted> | Converted
  /** Whether an empty field clears its value. In a form that creates something it is omitted. */
  isEdit?: boolean
  /**
   * Runs the operation; returns the path to redirect to, or a response. `assertUnchanged` compares the current version
   * with the form's `ShownVersion`.
   */
  run: (input: Input<Schema>, assertUnchanged: Precondition) => Promise<string | Response>
  /** Renders the page with the refused form. */
  render: (state: FormState) => Response | Promise<Response>
}

/** Handles a submitted form: validates it, runs an operation, and redirects or renders the form with its errors. */
export async function handleForm<Schema extends z.ZodObject>(
  c: Context<AdminEnv>,
  { schema, convert, isEdit = false, run, render }: FormOptions<Schema>,
): Promise<Response> {
  if (c.var.isRestored) return render(restoredForm(c.var.form))
  const guard = createVersionGuard(c.var.form)
  try {
    const parsed = parseFields(schema, c.var.form, isEdit ? "" : undefined)
    const { fields, errors } = (await convert?.(parsed)) ?? { fields: parsed, errors: {} }
    const result = await run(parseInput(schema, fields, errors), guard.assertUnchanged)
    return typeof result === "string" ? c.redirect(result, 303) : result
  } catch (thrown) {
    const state = toFormState(c, thrown)
    if (!state) throw thrown
    return render(guard.refresh(state))
  }
}

type NoticeKey = keyof AdminStrings["notices"]

/** Adds the notice that the target page shows after a redirect. */
export const withNotice = (path: string, notice: NoticeKey): string =>
  `${path}${path.includes("?") ? "&" : "?"}done=${notice}`

/** Returns the notice of a URL; undefined without one. */
export function findNotice(
  { notices }: AdminStrings,
  query: URLSearchParams,
): { key: NoticeKey; text: string } | undefined {
  const key = query.get("done") ?? ""
  if (!Object.hasOwn(notices, key)) return undefined
  return { key: key as NoticeKey, text: notices[key as NoticeKey] }
}

/** Whether a refusal means that the session has ended or lacks rights. */
export const isRefusedBy = (thrown: unknown, code: Refusal["code"]): boolean =>
  thrown instanceof Refusal && thrown.code === code
