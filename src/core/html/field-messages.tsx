// Renders the error and the hint of a form field, and connects both to the field for assistive technology.
import type { Child } from "hono/jsx"

interface FieldDescription {
  /** Attributes of the input, the select or the fieldset. */
  attributes: { "aria-invalid"?: "true"; "aria-describedby"?: string }
  /** Elements to render below the field. */
  messages: Child
}

/**
 * @param id of the field's element; the messages get `{id}-error` and `{id}-hint`
 * @param errors messages of a refused form, in the reader's language
 */
export function describeField(
  id: string,
  { errors = [], hint }: { errors?: string[]; hint?: Child },
): FieldDescription {
  const ids = [errors.length > 0 && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ")
  return {
    attributes: { "aria-invalid": errors.length > 0 ? "true" : undefined, "aria-describedby": ids || undefined },
    messages: (
      <>
        {errors.length > 0 && (
          <p class="field-error" id={`${id}-error`}>
            {errors.join(" ")}
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
