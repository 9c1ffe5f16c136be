// What a handler of the console finds in its context.

import type { Ctx } from "../core/context"
import type { Form } from "../core/http/body"
import type { SurfaceEnv, SurfaceVariables } from "../core/http/surface"
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
