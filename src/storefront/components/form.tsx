// The form kit of the storefront: fields with label, hint and error, and an error summary.
import type { Child } from "hono/jsx"
import { describeField, isFirstInvalid } from "../../core/html/field-messages"
import type { View } from "../view"

/** What was entered into a form, and the errors of a refused one by field name, in the order of its fields. */
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
  /** Says that it may stay empty. */
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

/** A message about the whole form or page. */
export const Message = ({ isError = false, children }: { isError?: boolean; children?: Child }) => (
  <div class={isError ? "message error" : "message"} role={isError ? "alert" : "status"}>
    {children}
  </div>
)
