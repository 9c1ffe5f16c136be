// What every part of a page may ask for: whose page it is, when, and where.
import { createContext, useContext } from "hono/jsx"
import type { Operator } from "../../platform/operators/schemas"
import type { FormState } from "../forms"

export interface View {
  /** The platform's name. */
  app: string
  /** Of the operator, an IANA name. */
  timeZone: string
  theme: Operator["theme"]
  /** Null on the pages in front of the sign-in. */
  operator: { name: string; email: string } | null
  /** Whether forms that write are shown. */
  mayWrite: boolean
  now: Date
  path: string
  query: URLSearchParams
  /** What was wrong with the form that was posted to `path`. */
  state: FormState | null
}

export const ViewContext = createContext<View>({
  app: "",
  timeZone: "UTC",
  theme: "system",
  operator: null,
  mayWrite: false,
  now: new Date(0),
  path: "/console",
  query: new URLSearchParams(),
  state: null,
})

export const useView = (): View => useContext(ViewContext)

/** The state of the form that a field stands in. */
export const FormContext = createContext<FormState | undefined>(undefined)
