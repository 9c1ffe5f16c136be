// Types the Hono context of control-plane handlers.
import type { ApiKey } from "../../db/schema/central/keys"
import type { Bindings } from "../../env"
import type { Ctx } from "../context"
import type { IdempotencyRecord } from "../write/idempotency"
import type { SurfaceVariables } from "./surface"

export interface PlatformEnv {
  Bindings: Bindings
  Variables: SurfaceVariables & {
    key: ApiKey
    /** The stored record of the request's idempotency key. */
    idempotencyRecord: IdempotencyRecord | undefined
    ctx: Ctx
  }
}
