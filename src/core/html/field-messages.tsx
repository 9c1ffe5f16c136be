// Renders the error and the hint of a form field, and connects both to the field for assistive technology.
import type { Child } from "hono/jsx"
import { insertLabel } from "../i18n/field-messages"

const FOCUSED = Symbol("the field that has the focus")

/** The messages of a refused form by field. */
interface FormErrors extends Readonly<Record<string, string[]>> {
  /** Set by the first invalid field that is rendered. */
  [FOCUSED]?: string
}

/**
 * Whether a field is the first invalid one of its form, in the order in which the fields are rendered. The order of the
 * errors is that of the schema, which may be another.
 */
export function isFirstInvalid(name: string, errors: FormErrors = {}): boolean {
  if (!Object.keys(errors).some((field) => field === name || field.startsWith(`${name}.`))) return false
  errors[FOCUSED] ??= name
  return errors[FOCUSED] === name
}

interface FieldDescription {
  /** Attributes of the input, the select or the fieldset. */
  attributes: { "aria-invalid"?: "true"; "aria-describedby"?: string; autofocus?: true }
  /** Elements to render below the field. */
  messages: Child
}

/**
 * @param id of the field's element; the messages get `{id}-error` and `{id}-hint`
 * @param label of the field, which its messages name
 * @param isFirst whether it is the first invalid field, which browsers focus without a script
 * @param errors messages of a refused form, in the reader's language
 */
export function describeField(
  id: string,
  { label, errors = [], hint, isFirst }: { label: string; errors?: string[]; hint?: Child; isFirst?: boolean },
): FieldDescription {
  const ids = [errors.length > 0 && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ")
  return {
    attributes: {
      "aria-invalid": errors.length > 0 ? "true" : undefined,
      "aria-describedby": ids || undefined,
      autofocus: (errors.length > 0 && isFirst) || undefined,
    },
    messages: (
      <>
        {errors.length > 0 && (
          <p class="field-error" id={`${id}-error`}>
            {insertLabel(errors.join(" "), label)}
          </p>
        )}
        {hint && (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </>
    ),
  }
}
