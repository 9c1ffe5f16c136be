// Provides the URL, the time, the language and the reader's permissions to the components of a page.
import { createContext } from "./context"
import type { FormState } from "./form-state"
import type { KitStrings } from "./strings"

export interface PageView {
  strings: KitStrings
  /** IANA time zone of the reader. */
  timeZone: string
  /** Language of dates and numbers. */
  locale: string
  /** Whether the reader may send the form with this action; other forms and their links are hidden. */
  canPost: (action: string) => boolean
  /** Whether the form with this action leads to a confirmation page, which posts it. */
  isConfirmed: (action: string) => boolean
  /** The action of a form with files, whose fields a gate cannot read. */
  getUploadAction: (action: string) => string
  now: Date
  path: string
  query: URLSearchParams
  /** State of the refused form that was posted to `path`. */
  state: FormState | null
}

export const ViewContext = createContext<PageView | null>(null)

/** Returns the view of the page that is rendered. */
export function useView(): PageView {
  const view = ViewContext.use()
  if (!view) throw new Error("The component is rendered outside of a page")
  return view
}

/** Returns the texts of the kit in the reader's language. */
export const useStrings = (): KitStrings => useView().strings

/** State of the form around a field. */
export const FormContext = createContext<FormState | undefined>(undefined)
