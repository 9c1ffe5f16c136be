// Forms and their fields. A form that writes is shown to those who may write, carries a key under which it is done once, and
// names each fault beside its field.
import { type Child, type PropsWithChildren, useContext } from "hono/jsx"
import { ulid } from "../../lib/ulid"
import type { FormState } from "../forms"
import { storeInPath } from "../paths"
import { W } from "../strings"
import { Note } from "./parts"
import { FormContext, useView } from "./view"

interface FormProps {
  action: string
  /** What the button says. */
  submit: string
  danger?: boolean
  /** Whether a viewer may send it as well. */
  everybody?: boolean
  /** What a viewer, who may not send it, sees in its place: the values that stand in it. */
  instead?: Child
  upload?: boolean
  id?: string
}

/** A form that writes. One that is answered again knows itself by its address. */
export function Form({
  action,
  submit,
  danger,
  everybody,
  instead,
  upload,
  id,
  children,
}: PropsWithChildren<FormProps>) {
  const { mayWrite, now, path, state } = useView()
  if (!mayWrite && !everybody) return instead ?? null
  const own = state && path === action ? state : undefined
  return (
    <form
      method="post"
      action={upload && storeInPath(action) ? `${action}?shown_at=${now.getTime()}` : action}
      id={id}
      enctype={upload ? "multipart/form-data" : undefined}
      novalidate={own !== undefined}
    >
      <input type="hidden" name="once" value={ulid(now)} />
      <FormContext.Provider value={own}>{children}</FormContext.Provider>
      <button type="submit" data-danger={danger || undefined}>
        {submit}
      </button>
    </form>
  )
}

/** What is wrong with a form as a whole, or that there are faults below. */
export function Faults({ state }: { state?: FormState | null }) {
  if (!state || state.status === 200) return null
  const count = Object.keys(state.errors).length
  if (!state.message && !count) return null
  return (
    <Note tone="bad" alert>
      <p>{state.message ?? W.common.faults(count)}</p>
    </Note>
  )
}

/** A form that is a button. */
export function Button({
  action,
  label,
  danger,
  main,
  hidden = {},
  title,
}: {
  action: string
  label: string
  danger?: boolean
  /** What one came to the page for. */
  main?: boolean
  hidden?: Record<string, string>
  title?: string
}) {
  const { mayWrite, now } = useView()
  if (!mayWrite) return null
  return (
    <form method="post" action={action}>
      <input type="hidden" name="once" value={ulid(now)} />
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button
        type="submit"
        data-quiet={(!danger && !main) || undefined}
        data-danger={danger || undefined}
        title={title}
      >
        {label}
      </button>
    </form>
  )
}

interface FieldProps {
  name: string
  /** Unless the words of the fields have one. */
  label?: string
  hint?: Child
  state?: FormState
  /** What stands there before anything was typed. */
  value?: string | number | null
  required?: boolean
  /** Sets the ids of two forms on one page apart. */
  scope?: string
}

/** A field's label: its own word, or its name in words. */
const labelOf = (name: string): string => {
  const known = W.fields[name as keyof typeof W.fields]
  if (known) return known
  const text = (name.split(".").at(-1) ?? name).replaceAll("_", " ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const idOf = ({ name, scope }: FieldProps) => `${scope ? `${scope}-` : ""}${name.replaceAll(".", "-")}`

/** The faults of a field, those of its items included. */
const faultsOf = ({ name }: FieldProps, state: FormState | undefined): string[] =>
  Object.entries(state?.errors ?? {}).flatMap(([field, messages]) =>
    field === name || field.startsWith(`${name}.`) ? messages : [],
  )

const givenTo = ({ name, value }: FieldProps, state: FormState | undefined): string | undefined =>
  state?.values.get(name)?.at(-1) ?? (value === null || value === undefined ? undefined : String(value))

/** What describes a field: its fault, then its hint. */
function described(props: FieldProps) {
  const state = useContext(FormContext) ?? props.state
  const id = idOf(props)
  const faults = faultsOf(props, state)
  const ids = [faults.length && `${id}-fault`, props.hint && `${id}-hint`].filter(Boolean).join(" ")
  return {
    state,
    described: ids || undefined,
    invalid: faults.length ? ("true" as const) : undefined,
    below: (
      <>
        {faults.length > 0 && (
          <p class="fault" id={`${id}-fault`}>
            {faults.join(" ")}
          </p>
        )}
        {props.hint && (
          <p class="hint" id={`${id}-hint`}>
            {props.hint}
          </p>
        )}
      </>
    ),
  }
}

type InputType = "text" | "email" | "password" | "number" | "url" | "search" | "date" | "datetime-local" | "file"

/** A line to be typed. */
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
    inputmode?: "numeric"
    autofocus?: boolean
  },
) {
  const { name, label = labelOf(name), type = "text", required } = props
  const id = idOf(props)
  const about = described(props)
  const secret = type === "password" || type === "file"
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!required && type !== "search" && <span class="sub"> {W.common.optional}</span>}
      </label>
      <input
        id={id}
        name={name}
        type={type}
        value={secret ? undefined : (givenTo(props, about.state) ?? "")}
        required={required}
        autocomplete={props.autocomplete ?? "off"}
        min={props.min}
        max={props.max}
        maxlength={props.maxlength}
        pattern={props.pattern}
        accept={props.accept}
        multiple={props.multiple}
        inputmode={props.inputmode}
        autofocus={props.autofocus}
        aria-invalid={about.invalid}
        aria-describedby={about.described}
      />
      {about.below}
    </div>
  )
}

/** A moment, in UTC as its label says; `readForm` reads it so. */
export function Moment({ value, ...props }: Omit<FieldProps, "value"> & { value?: Date | null }) {
  return <Field {...props} type="datetime-local" value={value?.toISOString().slice(0, 16)} />
}

/** Several lines to be typed. */
export function Area(
  props: FieldProps & {
    rows?: number
    /** What files it takes the text of, where the browser runs the script. */
    accept?: string
  },
) {
  const { name, label = labelOf(name), required, rows = 4 } = props
  const id = idOf(props)
  const about = described(props)
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!required && <span class="sub"> {W.common.optional}</span>}
      </label>
      <textarea
        id={id}
        name={name}
        rows={rows}
        required={required}
        aria-invalid={about.invalid}
        aria-describedby={about.described}
      >
        {givenTo(props, about.state) ?? ""}
      </textarea>
      {props.accept && (
        <label class="file" data-text-of={id} hidden>
          {W.common.from_file} <input type="file" accept={props.accept} />
        </label>
      )}
      {about.below}
    </div>
  )
}

export type Choice = string | { value: string; label: string }

const choice = (given: Choice) =>
  typeof given === "string" ? { value: given, label: given.replaceAll("_", " ") } : given

/** One of several. */
export function Select(props: FieldProps & { choices: Choice[]; empty?: string }) {
  const { name, label = labelOf(name), required, empty } = props
  const id = idOf(props)
  const about = described(props)
  const value = givenTo(props, about.state)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} required={required} aria-invalid={about.invalid} aria-describedby={about.described}>
        {empty !== undefined && <option value="">{empty}</option>}
        {props.choices.map(choice).map((one) => (
          <option value={one.value} selected={one.value === value}>
            {one.label}
          </option>
        ))}
      </select>
      {about.below}
    </div>
  )
}

/** Any of several. */
export function Checks(props: FieldProps & { choices: Choice[]; chosen?: readonly string[] }) {
  const { name, label = labelOf(name), chosen = [] } = props
  const id = idOf(props)
  const about = described(props)
  const now = about.state?.values.get(name) ?? chosen
  return (
    <fieldset class="field checks" id={id} aria-describedby={about.described}>
      <legend>{label}</legend>
      {props.choices.map(choice).map((one) => (
        <label>
          <input
            type="checkbox"
            name={name}
            value={one.value}
            checked={now.includes(one.value)}
            aria-invalid={about.invalid}
          />
          {one.label}
        </label>
      ))}
      {about.below}
    </fieldset>
  )
}

/** A yes or no. A box that is not ticked sends nothing, so its `false` goes before it. */
export function Check(props: FieldProps & { on?: boolean }) {
  const { name, label = labelOf(name), on = false } = props
  const id = idOf(props)
  const about = described(props)
  const given = about.state?.values.get(name)?.at(-1)
  return (
    <div class="field">
      <input type="hidden" name={name} value="false" />
      <label for={id}>
        <input
          id={id}
          type="checkbox"
          name={name}
          value="true"
          checked={given === undefined ? on : given === "true"}
          aria-describedby={about.described}
        />
        {label}
      </label>
      {about.below}
    </div>
  )
}

/**
 * A form that asks: its state is the page's address.
 * @param live the id of the region that is fetched anew as one types
 */
export function Filters({ live, children, action }: PropsWithChildren<{ live?: string; action?: string }>) {
  const { path } = useView()
  return (
    <form method="get" action={action ?? path} class="filters" data-live={live}>
      {children}
      <button type="submit" data-quiet>
        {W.common.filter}
      </button>
    </form>
  )
}

interface PickProps {
  name: string
  label?: string
  choices?: Choice[]
  /** More choices, under a heading each. */
  groups?: { label: string; choices: Choice[] }[]
  any?: string
}

/** A filter by one of several. */
export function Pick({ name, label = labelOf(name), choices = [], groups = [], any = W.common.any }: PickProps) {
  const { query } = useView()
  const value = query.get(name)
  const option = (one: { value: string; label: string }) => (
    <option value={one.value} selected={one.value === value}>
      {one.label}
    </option>
  )
  return (
    <label>
      {label}
      <select name={name}>
        <option value="">{any}</option>
        {choices.map(choice).map(option)}
        {groups.map((group) => (
          <optgroup label={group.label}>{group.choices.map(choice).map(option)}</optgroup>
        ))}
      </select>
    </label>
  )
}

/** A filter by what is typed. */
export function Ask({
  name,
  label = labelOf(name),
  type = "text",
}: {
  name: string
  label?: string
  type?: "text" | "search" | "date" | "datetime-local"
}) {
  const { query } = useView()
  return (
    <label>
      {label}
      <input name={name} type={type} value={query.get(name) ?? ""} autocomplete="off" />
    </label>
  )
}
