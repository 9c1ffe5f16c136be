// Renders forms and fields. Forms that write carry an idempotency key and are hidden from readers who may not send
// them.
import type { Child, PropsWithChildren } from "hono/jsx"
import { getHiddenName } from "../core/auth/hidden-password"
import { describeField, isFirstInvalid } from "../core/html/field-messages"
import { type EveryField, listFields } from "../lib/every-field"
import { withColon } from "../lib/intl"
import { toLocalInput } from "../lib/time-zone"
import { ulid } from "../lib/ulid"
import type { FormState } from "./form-state"
import { labelOf, Note } from "./parts"
import { FormContext, useStrings, useView } from "./view"

interface FormProps {
  action: string
  submitLabel: string
  danger?: boolean
  /** Whether another form or button has the main action of the page. */
  isSecondary?: boolean
  /** Shown instead of the form to operators who may not send it. */
  readOnly?: Child
  upload?: boolean
  id?: string
  /** Posts an action that this page confirms. */
  isConfirmation?: boolean
}

/**
 * A form that writes: a POST, or a GET of the confirmation page that its action declares. When the page renders a
 * refused form again, the form whose action is the page's path shows the errors.
 */
export function Form({
  action,
  submitLabel,
  danger,
  isSecondary,
  readOnly,
  upload,
  id,
  isConfirmation,
  children,
}: PropsWithChildren<FormProps>) {
  const { canPost, getUploadAction, isConfirmed, now, path, state } = useView()
  if (!canPost(action)) return readOnly ?? null
  const isFirstStep = isConfirmed(action) && !isConfirmation
  const refused = state && path === action ? state : undefined
  return (
    <form
      method={isFirstStep ? "get" : "post"}
      action={upload ? getUploadAction(action) : action}
      id={id}
      enctype={upload ? "multipart/form-data" : undefined}
      novalidate={refused !== undefined}
    >
      {!isFirstStep && <input type="hidden" name="once" value={ulid(now)} />}
      <FormContext.Provider value={refused}>{children}</FormContext.Provider>
      <button
        type="submit"
        data-danger={danger || undefined}
        data-quiet={((isFirstStep || isSecondary) && !danger) || undefined}
      >
        {submitLabel}
      </button>
    </form>
  )
}

/** Renders the fields of a form: the form asks for each field of its input, or omits it for a reason. */
export const renderFields = <Input,>(fields: EveryField<Input, (name: string) => Child>): Child[] =>
  listFields<keyof Input & string, (name: string) => Child>(fields).map(([name, render]) => render(name))

/** The message of a refused form, or how many fields are invalid. */
export function FormErrors({ state }: { state?: FormState | null }) {
  if (!state || state.status === 200) return null
  const count = Object.keys(state.errors).length
  if (!state.message && !count) return null
  return (
    <Note tone="bad" alert>
      <p>
        {state.message ?? useStrings().invalid_fields(count)}{" "}
        {state.link && <a href={state.link.href}>{state.link.label}</a>}
      </p>
    </Note>
  )
}

/** A button that posts a form without visible fields, or a link to the confirmation page of its action. */
export function ActionButton({
  action,
  label,
  danger,
  isPrimary,
  hidden = {},
  title,
  about,
}: {
  action: string
  label: string
  /** The row that the button is about, so that buttons of a table have different names. */
  about?: string
  danger?: boolean
  /** The main action of the page. */
  isPrimary?: boolean
  hidden?: Record<string, string>
  title?: string
}) {
  const { canPost, isConfirmed, now, locale } = useView()
  if (!canPost(action)) return null
  if (isConfirmed(action)) {
    const query = new URLSearchParams(hidden).toString()
    return (
      <a
        class="button"
        href={query ? `${action}?${query}` : action}
        data-quiet={(!danger && !isPrimary) || undefined}
        data-danger={danger || undefined}
        title={title}
        aria-label={about && `${withColon(label, locale)} ${about}`}
      >
        {label}
      </a>
    )
  }
  return (
    <form method="post" action={action}>
      <input type="hidden" name="once" value={ulid(now)} />
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button
        type="submit"
        data-quiet={(!danger && !isPrimary) || undefined}
        data-danger={danger || undefined}
        title={title}
        aria-label={about && `${withColon(label, locale)} ${about}`}
      >
        {label}
      </button>
    </form>
  )
}

interface FieldProps {
  name: string
  /** Default: the label in `KitStrings.fields`, else the name in sentence case. */
  label?: string
  hint?: Child
  state?: FormState
  /** The initial value. */
  value?: string | number | null
  required?: boolean
  /** The page of what has a value that is taken; the error links to it. */
  existing?: (values: FormState["values"]) => string
  /** Prevents duplicate element ids when a page has the same field twice. */
  idPrefix?: string
}

/** The label of a field: that in `KitStrings.fields`, else the name in sentence case. */
export const getFieldLabel = (name: string): string =>
  useStrings().fields[name] ?? labelOf(name.split(".").at(-1) ?? name)

const getFieldId = ({ name, idPrefix }: FieldProps) => `${idPrefix ? `${idPrefix}-` : ""}${name.replaceAll(".", "-")}`

/** The errors of a field, including those of its items. */
const getFieldErrors = ({ name }: FieldProps, state: FormState | undefined): string[] =>
  Object.entries(state?.errors ?? {}).flatMap(([field, messages]) =>
    field === name || field.startsWith(`${name}.`) ? messages : [],
  )

const getFieldValue = ({ name, value }: FieldProps, state: FormState | undefined): string | undefined =>
  state?.values.get(name)?.at(-1) ?? (value === null || value === undefined ? undefined : String(value))

/** The form's state, and the attributes and messages that connect the field to its error and hint. */
function useField(props: FieldProps) {
  const state = FormContext.use() ?? props.state
  const id = getFieldId(props)
  const { attributes, messages } = describeField(id, {
    label: props.label ?? getFieldLabel(props.name),
    errors: getFieldErrors(props, state),
    hint: props.hint,
    isFirst: isFirstInvalid(props.name, state?.errors),
  })
  return {
    state,
    described: attributes["aria-describedby"],
    invalid: attributes["aria-invalid"],
    autofocus: attributes.autofocus,
    below: (
      <>
        {messages}
        {state?.taken?.includes(props.name) && props.existing && (
          <p class="hint">
            <a href={props.existing(state.values)}>{useStrings().view_existing}</a>
          </p>
        )}
      </>
    ),
  }
}

type InputType =
  | "text"
  | "email"
  | "password"
  | "number"
  | "url"
  | "search"
  | "date"
  | "datetime-local"
  | "file"
  | "color"

/** A single-line input. */
export function Field(
  props: FieldProps & {
    type?: InputType
    autocomplete?: string
    min?: number | string
    max?: number | string
    maxlength?: number
    pattern?: string
    accept?: string
    multiple?: boolean
    inputmode?: "numeric" | "decimal"
    autofocus?: boolean
    /** Values that the browser proposes; others may be entered. */
    suggestions?: readonly string[]
    /** Whether another field can replace the value, so that it is neither required nor called optional. */
    hasAlternative?: boolean
  },
) {
  const { name, label = getFieldLabel(name), type = "text", required, hasAlternative } = props
  const id = getFieldId(props)
  const about = useField(props)
  const hasNoValue = type === "password" || type === "file"
  const hidden = type === "password" ? about.state?.values.get(getHiddenName(name))?.at(-1) : undefined
  return (
    <div class="field">
      <label for={id}>
        {label}
        <ZoneName type={type} />
        {!required && !hasAlternative && type !== "search" && type !== "color" && (
          <span class="sub"> {useStrings().optional}</span>
        )}
      </label>
      <input
        id={id}
        name={name}
        type={type}
        value={hasNoValue ? undefined : (getFieldValue(props, about.state) ?? "")}
        required={required && hidden === undefined}
        autocomplete={props.autocomplete ?? "off"}
        min={props.min}
        max={props.max}
        maxlength={props.maxlength}
        pattern={props.pattern}
        accept={props.accept}
        multiple={props.multiple}
        inputmode={props.inputmode}
        autofocus={about.autofocus ?? props.autofocus}
        list={props.suggestions && `${id}-list`}
        aria-invalid={about.invalid}
        aria-describedby={about.described}
      />
      {props.suggestions && (
        <datalist id={`${id}-list`}>
          {props.suggestions.map((value) => (
            <option value={value} />
          ))}
        </datalist>
      )}
      {hidden !== undefined && (
        <>
          <input type="hidden" name={getHiddenName(name)} value={hidden} />
          <p class="hint">{useStrings().password_entered}</p>
        </>
      )}
      {about.below}
    </div>
  )
}

/** A date and time in the operator's time zone, which the label names. */
export function DateTimeField({ value, ...props }: Omit<FieldProps, "value"> & { value?: Date | null }) {
  const { timeZone } = useView()
  return <Field {...props} type="datetime-local" value={value && toLocalInput(value, timeZone)} />
}

/** Names the time zone of a date-time input. */
export const ZoneName = ({ type }: { type: string }) =>
  type === "datetime-local" ? <> ({useView().timeZone})</> : null

/** A multi-line input. */
export function TextArea(
  props: FieldProps & { rows?: number } & (
      | { maxlength?: number; accept?: undefined }
      | {
          maxlength: number
          /** File types whose text the script can load into the field, up to `maxlength`. */
          accept: string
        }
    ),
) {
  const { name, label = getFieldLabel(name), required, rows = 4 } = props
  const id = getFieldId(props)
  const about = useField(props)
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!required && <span class="sub"> {useStrings().optional}</span>}
      </label>
      <textarea
        id={id}
        name={name}
        rows={rows}
        autofocus={about.autofocus}
        maxlength={props.maxlength}
        required={required}
        aria-invalid={about.invalid}
        aria-describedby={about.described}
      >
        {getFieldValue(props, about.state) ?? ""}
      </textarea>
      {props.accept && (
        <label class="file" data-text-of={id} data-too-large={useStrings().file_too_large} hidden>
          {useStrings().choose_file} <input type="file" accept={props.accept} />
        </label>
      )}
      {about.below}
    </div>
  )
}

export type Choice = string | { value: string; label: string }

/** The value and the label of a choice. */
export const toOption = (choice: Choice) =>
  typeof choice === "string" ? { value: choice, label: labelOf(choice) } : choice

/** A single choice. */
export function Select(props: FieldProps & { choices: Choice[]; empty?: string }) {
  const { name, label = getFieldLabel(name), required, empty } = props
  const id = getFieldId(props)
  const about = useField(props)
  const value = getFieldValue(props, about.state)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        required={required}
        autofocus={about.autofocus}
        aria-invalid={about.invalid}
        aria-describedby={about.described}
      >
        {empty !== undefined && <option value="">{empty}</option>}
        {props.choices.map(toOption).map((one) => (
          <option value={one.value} selected={one.value === value}>
            {one.label}
          </option>
        ))}
      </select>
      {about.below}
    </div>
  )
}

interface CheckboxGroupProps extends FieldProps {
  choices: Choice[]
  chosen?: readonly string[]
  /** Returns the heading under which a choice is listed; those with an empty one come first. */
  getHeading?: (value: string) => string
}

/** Multiple choices. */
export function CheckboxGroup({ choices, chosen = [], getHeading = () => "", ...props }: CheckboxGroupProps) {
  const { name, label = getFieldLabel(name) } = props
  const id = getFieldId(props)
  const about = useField(props)
  const checked = about.state?.values.get(name) ?? chosen
  const options = choices.map(toOption)
  const { "": first = [], ...groups } = Object.groupBy(options, ({ value }) => getHeading(value))
  const render = (option: { value: string; label: string }) => (
    <label>
      <input
        type="checkbox"
        name={name}
        value={option.value}
        checked={checked.includes(option.value)}
        autofocus={option === options[0] ? about.autofocus : undefined}
        aria-invalid={about.invalid}
      />
      {option.label}
    </label>
  )
  return (
    <fieldset class="field checks" id={id} aria-describedby={about.described}>
      <legend>{label}</legend>
      {first.map(render)}
      {Object.entries(groups).map(([heading, members = []]) => (
        <fieldset class="checks">
          <legend>{heading}</legend>
          {members.map(render)}
        </fieldset>
      ))}
      {about.below}
    </fieldset>
  )
}

/** A checkbox. Browsers send nothing for an unchecked box, so a hidden `false` precedes it. */
export function Checkbox(props: FieldProps & { isChecked?: boolean }) {
  const { name, label = getFieldLabel(name), isChecked = false } = props
  const id = getFieldId(props)
  const about = useField(props)
  const submitted = about.state?.values.get(name)?.at(-1)
  return (
    <div class="field">
      <input type="hidden" name={name} value="false" />
      <label for={id}>
        <input
          id={id}
          type="checkbox"
          name={name}
          value="true"
          checked={submitted === undefined ? isChecked : submitted === "true"}
          autofocus={about.autofocus}
          aria-invalid={about.invalid}
          aria-describedby={about.described}
        />
        {label}
      </label>
      {about.below}
    </div>
  )
}
