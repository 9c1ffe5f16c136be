// The form kit of the pages: fields with label, hint and error, an error summary and a submit button.
import type { Child, PropsWithChildren } from "hono/jsx"
import { describeField, isFirstInvalid } from "../../core/html/field-messages"
import { LANGUAGE_NAMES, LOCALES, type Locale } from "../../core/i18n/locale"
import { t } from "./strings"

/** The values of a form, and the errors of a refused one by field name. */
export interface FormState {
  values: Record<string, string>
  errors: Record<string, string[]>
}

export const EMPTY_FORM: FormState = { values: {}, errors: {} }

interface FormProps {
  action: string
  submitLabel: string
  /** Why the form was refused, shown above its fields. */
  error?: string
}

export const Form = ({ action, submitLabel, error, children }: PropsWithChildren<FormProps>) => (
  <form class="sheet" method="post" action={action}>
    {error && <ErrorSummary text={error} />}
    {children}
    <button type="submit">{submitLabel}</button>
  </form>
)

export const ErrorSummary = ({ text }: { text: string }) => (
  <div class="notice error" role="alert">
    <p>{text}</p>
  </div>
)

interface LabelledProps {
  name: string
  label: string
  locale: Locale
  hint?: string
  isOptional?: boolean
}

interface FieldProps extends LabelledProps {
  form: FormState
  type?: "text" | "email" | "password"
  /** Text shown at the end of the input, such as the domain behind a subdomain. */
  suffix?: string
  autocomplete?: string
  pattern?: string
  minlength?: number
  maxlength?: number
}

/** A text input. Passwords are never filled in again. */
export function Field({ name, label, locale, form, type = "text", hint, suffix, isOptional, ...rest }: FieldProps) {
  const { attributes, messages } = describeField(name, {
    label,
    errors: form.errors[name],
    hint,
    isFirst: isFirstInvalid(name, form.errors),
  })
  const input = (
    <input
      id={name}
      name={name}
      type={type}
      value={type === "password" ? undefined : form.values[name]}
      required={!isOptional}
      autocapitalize={suffix ? "none" : undefined}
      {...attributes}
      {...rest}
    />
  )
  return (
    <div>
      <Label name={name} label={label} locale={locale} isOptional={isOptional} />
      {suffix ? (
        <div class="input-group">
          {input}
          <span>{suffix}</span>
        </div>
      ) : (
        input
      )}
      {messages}
    </div>
  )
}

interface TextAreaProps extends LabelledProps {
  form: FormState
  rows: number
  autocomplete?: string
  maxlength?: number
}

export function TextArea({ name, label, locale, form, hint, isOptional, ...rest }: TextAreaProps) {
  const { attributes, messages } = describeField(name, {
    label,
    errors: form.errors[name],
    hint,
    isFirst: isFirstInvalid(name, form.errors),
  })
  return (
    <div>
      <Label name={name} label={label} locale={locale} isOptional={isOptional} />
      <textarea id={name} name={name} required={!isOptional} {...attributes} {...rest}>
        {form.values[name]}
      </textarea>
      {messages}
    </div>
  )
}

interface SelectProps extends LabelledProps {
  errors?: string[]
  /** The options. */
  children: Child
}

function Select({ name, label, locale, hint, isOptional, errors, children }: SelectProps) {
  const { attributes, messages } = describeField(name, { label, errors, hint })
  return (
    <div>
      <Label name={name} label={label} locale={locale} isOptional={isOptional} />
      <select id={name} name={name} {...attributes}>
        {children}
      </select>
      {messages}
    </div>
  )
}

const Label = ({ name, label, locale, isOptional }: LabelledProps) => (
  <label for={name}>
    {label}
    {isOptional && <span class="soft"> · {t("optional", locale)}</span>}
  </label>
)

/** Selects the language of the owner's mails and billing page. */
export const LanguageSelect = ({ locale, form }: { locale: Locale; form: FormState }) => (
  <Select
    name="language"
    label={t("language", locale)}
    hint={t("language_hint", locale)}
    errors={form.errors.language}
    locale={locale}
  >
    {LOCALES.map((language) => (
      <option value={language} lang={language} selected={language === (form.values.language || locale)}>
        {LANGUAGE_NAMES[language]}
      </option>
    ))}
  </Select>
)
