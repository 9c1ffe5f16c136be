// A form behind a button.
import type { PropsWithChildren } from "hono/jsx"
import { useView } from "./view"

interface DisclosureProps {
  label: string
  /** Where the form is sent; hidden from operators who may not send it. */
  action: string
  id?: string
  /** Whether it is open at first. A refused form always is. */
  isOpen?: boolean
}

/** Hides a form until its button is pressed. Works without JavaScript. */
export function Disclosure({ label, action, id, isOpen = false, children }: PropsWithChildren<DisclosureProps>) {
  const { canPost, path, state } = useView()
  if (!canPost(action)) return null
  return (
    <details class="disclosure" id={id} open={isOpen || (state !== null && state.status !== 200 && path === action)}>
      <summary>{label}</summary>
      <div class="card">{children}</div>
    </details>
  )
}
