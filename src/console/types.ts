// Types of the console's request context.
import type { Ctx } from "../core/context"
import type { Form } from "../core/http/body"
import type { SurfaceEnv, SurfaceVariables } from "../core/http/surface"
import type { Session } from "../platform/operators/sessions"

export interface ConsoleEnv extends SurfaceEnv {
  Variables: SurfaceVariables & {
    /** Acts as the operator once they are signed in. */
    ctx: Ctx
    /** Missing before sign-in; read it with `getSession`. */
    session?: Session
    /** Whether the page contains frames of this host; relaxes its Content-Security-Policy. */
    hasFrames?: boolean
    /** The submitted form; empty for GET requests and for uploads, which their routes read. */
    form: Form
  }
}

export type { Form }
