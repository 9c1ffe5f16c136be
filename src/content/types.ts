// What a handler of /api/v1 finds in its context.
import type { SurfaceVariables } from "../core/http/surface"
import type { Env } from "../env"
import type { SiteCtx } from "./site"
import type { UserCtx } from "./user"

export interface ContentEnv {
  Bindings: Env
  Variables: SurfaceVariables & {
    /** From the gate on. */
    ctx: SiteCtx
    /** Behind `user` and `pluginOf` only. */
    userCtx: UserCtx
    /** Whether a good answer carries what a reader needs to keep and to revalidate it. */
    isKept?: boolean
  }
}
