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
    /** How the form with this action is rendered for a role. */
    getFormPermission: (role: Role, action: string) => FormPermission
    /** Throws when the operator may no longer send the form; missing before its route is reached. */
    assertMayPost?: () => void
    /** Whether the page contains frames of this host; relaxes its Content-Security-Policy. */
    hasFrames?: boolean
    /** The submitted form; empty for GET requests and for uploads, which their routes read. */
    form: Form
  }
}

export type { Form }
