// What a handler of /api/v1 finds in its context.
import type { Log } from "../core/log"
import type { Env } from "../env"
import type { SiteCtx } from "./site"
import type { UserCtx } from "./user"

export interface ContentEnv {
  Bindings: Env
  Variables: {
    requestId: string
    log: Log
    /** From the gate on. */
    ctx: SiteCtx
    /** Behind `user` and `pluginOf` only. */
    userCtx: UserCtx
  }
}
