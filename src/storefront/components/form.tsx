// The form kit of the storefront: fields with label, hint and error, and an error summary.
import type { Child } from "hono/jsx"
import { describeField, isFirstInvalid } from "../../core/html/field-messages"
import type { FieldErrors } from "../../core/http/refusal"
import { labelledMessages } from "../../core/i18n/field-messages"
import type { Translations } from "../../core/i18n/locale"
import type { View } from "../view"

/** The values of a form, and the errors of a refused one by field name, in the order of its fields. */
export interface FormState {
  values: Readonly<Record<string, string>>
  errors: Readonly<Record<string, string[]>>
}

interface FieldProps {
  view: View
  form: FormState
  name: string
  label: string
  type?: "text" | "email" | "tel" | "password" | "number"
  hint?: string
  /** Shows that the field is optional. */
  isOptional?: boolean
  /** Whether the browser requires it; by default it does unless it is optional. */
  isRequired?: boolean
  autocomplete?: string
  maxlength?: number
  minlength?: number
  /** Renders a text area with this number of lines. */
  rows?: number
}

/** A text field. Passwords are never filled in again. */
export function Field({
  view,
  form,
  name,
  label,
  type = "text",
  hint,
  isOptional = false,
  isRequired,
  rows,
  ...rest
}: FieldProps) {
  const { attributes, messages } = describeField(name, {
    label,
    errors: form.errors[name],
    hint,
    isFirst: isFirstInvalid(name, form.errors),
  })
  const value = type === "password" ? undefined : form.values[name]
  const shared = { id: name, name, required: isRequired ?? !isOptional, ...attributes, ...rest }
  return (
    <div class="field">
      <label for={name}>
        {label}
        {isOptional && <small> · {view.strings.optional}</small>}
      </label>
      {rows ? (
        <textarea rows={rows} {...shared}>
          {value}
        </textarea>
      ) : (
        <input type={type} value={value} {...shared} />
      )}
      {messages}
    </div>
  )
}

interface Choice {
  value: string
  label: Child
}

interface ChoicesProps {
  form: FormState
  name: string
  legend: string
  choices: readonly Choice[]
}

/** Radio buttons. The first one is chosen in a new form. */
export function Choices({ form, name, legend, choices }: ChoicesProps) {
  const { attributes, messages } = describeField(name, {
    label: legend,
    errors: form.errors[name],
    isFirst: isFirstInvalid(name, form.errors),
  })
  const { autofocus, ...described } = attributes
  const chosen = choices.find(({ value }) => value === form.values[name])?.value ?? choices[0]?.value
  return (
    <fieldset {...described}>
      <legend>{legend}</legend>
      {choices.map(({ value, label }, at) => (
        <label class="choice" key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === chosen}
            autofocus={at === 0 ? autofocus : undefined}
          />
          <span>{label}</span>
        </label>
      ))}
      {messages}
    </fieldset>
  )
}

/** A honeypot field, which people do not see. A value in it shows that a program filled in the form. */
export const Honeypot = ({ label }: { label: string }) => (
  <div class="hidden" aria-hidden="true">
    <label>
      {label}
      <input name="website" tabindex={-1} autocomplete="off" />
    </label>
  </div>
)

/**
 * Converts the errors of fields to messages, in the order of the labels.
 * @param errors by path; the last segment names the field
 */
export function toMessages(
  view: View,
  labels: Readonly<Record<string, Translations>>,
  errors: FieldErrors,
): Record<string, string[]> {
  const found = Object.fromEntries(Object.entries(errors).map(([path, list]) => [path.split(".").at(-1) ?? path, list]))
  const shown = Object.keys(labels).flatMap((name) => (found[name] ? [[name, found[name]] as const] : []))
  return labelledMessages(Object.fromEntries(shown), view.language)
}

/** A message about the whole form or page. */
export const Message = ({ isError = false, children }: { isError?: boolean; children?: Child }) => (
  <div class={isError ? "message error" : "message"} role={isError ? "alert" : "status"}>
    {children}
  </div>
)
