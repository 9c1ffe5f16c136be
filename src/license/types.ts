// What a handler of the license manager finds in its context.
import type { Ctx } from "../core/context"
import type { SurfaceVariables } from "../core/http/surface"
import type { Env } from "../env"
import type { LicenseKey } from "./keys/service"
import type { Language } from "./refusal-messages"
import type { RequestFacts } from "./rules/facts"
import type { LicenseSettings } from "./settings"

/** A context of the license manager: with its settings, and with what the request says of the client that sent it. */
export interface LicenseCtx extends Ctx {
  readonly license: LicenseSettings
  /** Where the client says it is; whoever it says it is stands in the body. */
  readonly client: Omit<RequestFacts, "clientName">
  readonly language: Language
}

export interface LicenseEnv {
  Bindings: Env
  Variables: SurfaceVariables & {
    /** From the gate on. */
    key: LicenseKey
    ctx: LicenseCtx
  }
}
