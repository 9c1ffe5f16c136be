// Types of the admin's request context.
import type { StaffSession } from "../content/accounts/staff-sessions"
import type { SiteCtx } from "../content/site"
import type { Form } from "../core/http/body"
import type { SurfaceEnv, SurfaceVariables } from "../core/http/surface"
import type { StaffRole } from "../db/schema/sites/users"
import type { AdminStrings } from "./strings/types"

/** Why a shop is closed. */
export interface Closure {
  /** When an operator closed it; null otherwise. */
  operatorSuspendedAt: Date | null
  /** The reason that the operator gave. */
  suspensionReason: string | null
  /** When its subscription was cancelled; null for one that is not paid. */
  cancelledAt: Date | null
  /** When its subscription was suspended. */
  suspendedAt: Date | null
  /** When its data is deleted; null when that is not scheduled. */
  purgedAt: Date | null
}

export interface AdminEnv extends SurfaceEnv {
  Variables: SurfaceVariables & {
    ctx: SiteCtx
    strings: AdminStrings
    /** Missing before sign-in; read it with `getSession`. */
    session?: StaffSession
    /** SHA-256 of the session's token. */
    sessionHash?: string
    /** Whether the store is closed to visitors, so that only reads are possible. */
    isClosed: boolean
    /** Whether the page shows other pages of this host in frames. */
    hasFrames?: boolean
    /** Why, since when and until when the shop is closed; missing while it is open, and before sign-in. */
    closure?: Closure
    /** Whether a role may send the form with this action. */
    mayPost: (role: StaffRole, action: string) => boolean
    /** Throws when the member may no longer send the form; missing before its route is reached. */
    assertRole?: () => void
    /** Whether the form is shown again after its session had expired; its action must not run. */
    isRestored: boolean
    /** The submitted form; empty for GET requests and for uploads, which their routes read. */
    form: Form
  }
}
