// What a control-plane handler finds in its context.

import type { ApiKey } from "../../db/schema/central/keys"
import type { Env } from "../../env"
import type { Ctx } from "../context"
import type { IdempotencyRecord } from "../write/idempotency"
import type { SurfaceVariables } from "./surface"

export interface PlatformEnv {
  Bindings: Env
  Variables: SurfaceVariables & {
    key: ApiKey
    /** What stands under the idempotency key that came with the request. */
    mark: IdempotencyRecord | undefined
    ctx: Ctx
  }
}
