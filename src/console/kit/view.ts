// Provides the operator, the time and the URL of a page to its components.

import type { Role } from "../../db/schema/central/operators"
import type { Operator } from "../../platform/operators/schemas"
import type { SavedView } from "../../platform/operators/views"
import type { FormState } from "../forms"
import { createContext } from "./context"

export interface View {
  /** The platform's name. */
  app: string
  /** The operator's IANA time zone. */
  timeZone: string
  theme: Operator["theme"]
  /** Whether a typed letter starts a search. */
  usesSingleKeys: boolean
  /** Null before sign-in. */
  operator: { name: string; email: string; role: Role } | null
  /** Whether the operator may send the form with this action; other forms and their links are hidden. */
  canPost: (action: string) => boolean
  /** Whether the form with this action leads to a confirmation page, which posts it. */
  isConfirmed: (action: string) => boolean
  now: Date
  path: string
  query: URLSearchParams
  /** The saved views of this list. */
  views: readonly SavedView[]
  /** State of the refused form that was posted to `path`. */
  state: FormState | null
}

export const ViewContext = createContext<View>({
  app: "",
  timeZone: "UTC",
  theme: "system",
  usesSingleKeys: true,
  operator: null,
  canPost: () => false,
  isConfirmed: () => false,
  now: new Date(0),
  path: "/console",
  query: new URLSearchParams(),
  views: [],
  state: null,
})

export const useView = (): View => ViewContext.use()

/** State of the form around a field. */
export const FormContext = createContext<FormState | undefined>(undefined)
