// A form behind a button.
import type { PropsWithChildren } from "hono/jsx"
import { useView } from "./view"

interface DisclosureProps {
  label: string
  /** Where the form is sent; hidden from operators who may not send it. */
  action: string
  /** The id of the form. A link to it opens the form, because browsers open what contains the target of a link. */
  id?: string
  /** Whether it is open at first. A refused or restored form always is. */
  isOpen?: boolean
}

/** Hides a form until its button is pressed. Works without JavaScript. */
export function Disclosure({ label, action, id, isOpen = false, children }: PropsWithChildren<DisclosureProps>) {
  const { canPost, path, query, state } = useView()
  if (!canPost(action)) return null
  const isShownAgain = state !== null && (state.status !== 200 || query.get("done") === "form_restored")
  return (
    <details class="disclosure" open={isOpen || (isShownAgain && path === action)}>
      <summary>{label}</summary>
      <div class="card" id={id}>
        {children}
      </div>
    </details>
  )
}
