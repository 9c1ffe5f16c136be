// Actions for several rows of a table: a form above the rows, which their checkboxes belong to.
import type { PropsWithChildren } from "hono/jsx"
import { ulid } from "../lib/ulid"
import { useStrings, useView } from "./view"

/** A page has at most one such form. */
const FORM_ID = "bulk"

interface BulkFormProps {
  action: string
  method: "get" | "post"
}

/** The form with the actions. Hidden from operators who may not send it. */
export function BulkForm({ action, method, children }: PropsWithChildren<BulkFormProps>) {
  const { canPost, now } = useView()
  if (!canPost(action)) return null
  return (
    <form method={method} action={action} id={FORM_ID} class="bulk">
      {method === "post" && <input type="hidden" name="once" value={ulid(now)} />}
      <label data-select-all={FORM_ID} hidden>
        <input type="checkbox" /> {useStrings().select_page}
      </label>
      {children}
    </form>
  )
}

interface RowCheckboxProps {
  /** The action of the form. */
  action: string
  name: string
  value: string
  label: string
}

/** Selects a row for the form above the table. */
export function RowCheckbox({ action, name, value, label }: RowCheckboxProps) {
  const { canPost } = useView()
  if (!canPost(action)) return null
  return <input type="checkbox" name={name} value={value} form={FORM_ID} aria-label={label} />
}
