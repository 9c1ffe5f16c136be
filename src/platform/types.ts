// What a control-plane handler finds in its context.
import type { Ctx } from "../core/context"
import type { Log } from "../core/log"
import type { Env } from "../env"
import type { ApiKey } from "./gate/authenticate"

export interface PlatformEnv {
  Bindings: Env
  Variables: {
    requestId: string
    log: Log
    rateLimit?: Record<string, string>
    key: ApiKey
    ctx: Ctx
  }
}
