// What a handler of the console finds in its context.
import type { Form } from "../core/body"
import type { Ctx } from "../core/context"
import type { SurfaceEnv, SurfaceVariables } from "../core/surface"
import type { Session } from "../platform/operators/sessions"

export interface ConsoleEnv extends SurfaceEnv {
  Variables: SurfaceVariables & {
    /** Acts as the operator, once somebody is signed in. */
    ctx: Ctx
    session: Session
    /** Whether the page frames another of this host, for its policy. */
    frames?: boolean
    /** The form that was posted; empty for a GET, and for an upload, whose route reads it. */
    form: Form
  }
}

export type { Form }
