// Provides the operator and the console's settings to the components of its pages.
import type { Role } from "../../db/schema/central/operators"
import { createContext } from "../../page-kit/context"
import type { PageView } from "../../page-kit/view"
import type { Operator } from "../../platform/operators/schemas"
import type { SavedView } from "../../platform/operators/views"

export interface ConsoleView extends PageView {
  /** The platform's name. */
  app: string
  theme: Operator["theme"]
  /** Whether a typed letter starts a search. */
  usesSingleKeys: boolean
  /** Null before sign-in. */
  operator: { name: string; email: string; role: Role } | null
  /** The saved views of this list. */
  views: readonly SavedView[]
}

export const ConsoleViewContext = createContext<ConsoleView | null>(null)

/** Returns the view of the console page that is rendered. */
export function useConsoleView(): ConsoleView {
  const view = ConsoleViewContext.use()
  if (!view) throw new Error("The component is rendered outside of a console page")
  return view
}
