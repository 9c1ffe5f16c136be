// State of a form when its page is rendered.
import type { Form } from "../core/http/body"

/** The values and errors that a form shows. */
export interface FormState {
  status: 200 | 403 | 409 | 422 | 429
  values: Form
  errors: Record<string, string[]>
  /** Error of the form as a whole. */
  message?: string
  /** Where what the message is about can be changed. */
  link?: { href: string; label: string }
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

/** The state of a form that is shown again because its session had expired. */
export const restoredForm = (values: Form): FormState => ({ status: 200, values, errors: {} })
