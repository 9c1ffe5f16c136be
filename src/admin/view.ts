// Provides the shop and the member of the staff to the admin's components.
import type { Context } from "hono"
import { roleOf, type StaffSession } from "../content/accounts/staff-sessions"
import type { Locale } from "../core/i18n/locale"
import { currentTime } from "../lib/clock"
import { createContext } from "../page-kit/context"
import type { FormState } from "../page-kit/form-state"
import type { PageView } from "../page-kit/view"
import { OPEN_WHEN_CLOSED } from "./paths"
import type { AdminStrings } from "./strings/types"
import type { AdminEnv, Closure } from "./types"

export interface AdminView extends PageView {
  t: AdminStrings
  /** The shop's name. */
  shopName: string
  /** The platform's name. */
  platform: string
  /** Slugs of the enabled apps. */
  apps: readonly string[]
  /** Whether the shop is closed. */
  isClosed: boolean
  /** Why; null while it is open, and before sign-in. */
  closure: Closure | null
  language: Locale
  /** Null before sign-in. */
  session: StaffSession | null
}

export const AdminViewContext = createContext<AdminView | null>(null)

/** Returns the view of the admin page that is rendered. */
export function useAdminView(): AdminView {
  const view = AdminViewContext.use()
  if (!view) throw new Error("The component is rendered outside of an admin page")
  return view
}

/** Returns the texts of the admin in the shop's language. */
export const useT = (): AdminStrings => useAdminView().t

export function createView(c: Context<AdminEnv>, state: FormState | null): AdminView {
  const { ctx, session, strings, isClosed } = c.var
  const { store } = ctx.site
  const url = new URL(c.req.url)
  return {
    t: strings,
    strings: strings.kit,
    shopName: store?.name ?? "",
    platform: ctx.settings.APP_NAME,
    apps: store?.apps ?? [],
    isClosed,
    closure: c.var.closure ?? null,
    language: ctx.locale,
    locale: ctx.locale,
    timeZone: session?.shop.timezone ?? "UTC",
    session: session ?? null,
    // A closed shop shows its pages, and few forms.
    canPost: (action) =>
      session !== undefined && (!isClosed || OPEN_WHEN_CLOSED.has(action)) && c.var.mayPost(roleOf(session), action),
    isConfirmed: () => false,
    getUploadAction: (action) => action,
    now: currentTime(),
    path: url.pathname,
    query: url.searchParams,
    state,
  }
}
