// What a control-plane handler finds in its context.
import type { Ctx } from "../core/context"
import type { Mark } from "../core/idempotency"
import type { SurfaceVariables } from "../core/surface"
import type { Env } from "../env"
import type { ApiKey } from "./gate/authenticate"

export interface PlatformEnv {
  Bindings: Env
  Variables: SurfaceVariables & {
    key: ApiKey
    /** What stands under the idempotency key that came with the request. */
    mark: Mark | undefined
    ctx: Ctx
  }
}
