// What a control-plane handler finds in its context.
import type { Ctx } from "../core/context"
import type { SurfaceVariables } from "../core/surface"
import type { Env } from "../env"
import type { ApiKey } from "./gate/authenticate"

export interface PlatformEnv {
  Bindings: Env
  Variables: SurfaceVariables & {
    key: ApiKey
    ctx: Ctx
  }
}
