// Types of the console's request context.
import type { Ctx } from "../core/context"
import type { Form } from "../core/http/body"
import type { SurfaceEnv, SurfaceVariables } from "../core/http/surface"
import type { Role } from "../db/schema/central/operators"
import type { Session } from "../platform/operators/sessions"
import type { FormPermission } from "./form-access"

export interface ConsoleEnv extends SurfaceEnv {
  Variables: SurfaceVariables & {
    /** Acts as the operator once they are signed in. */
    ctx: Ctx
    /** Missing before sign-in; read it with `getSession`. */
    session?: Session
    /** Returns the permission of a role to send the form with an action. */
    getFormPermission: (role: Role, action: string) => FormPermission
    /** Throws when the operator may no longer send the form; missing before its route is reached. */
    assertMayPost?: () => void
    /** Whether the page contains frames of this host; relaxes its Content-Security-Policy. */
    hasFrames?: boolean
    /** Whether the form is shown again after its session had expired; its action must not run. */
    isRestored: boolean
    /** The submitted form; empty for GET requests and for uploads, which their routes read. */
    form: Form
  }
}

export type { Form }
