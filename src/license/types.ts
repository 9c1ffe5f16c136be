// Types of the license manager's request context.
import type { Ctx } from "../core/context"
import type { SurfaceVariables } from "../core/http/surface"
import type { Bindings } from "../env"
import type { LicenseKey } from "./keys/service"
import type { Language } from "./refusal-messages"
import type { InstallationInfo } from "./rules/facts"
import type { LicenseSettings } from "./settings"

/** The request context with the license manager's settings and the calling client. */
export interface LicenseCtx extends Ctx {
  readonly license: LicenseSettings
  /** The client's domain and address. Its name is in the body. */
  readonly client: Omit<InstallationInfo, "clientName">
  readonly language: Language
}

export interface LicenseEnv {
  Bindings: Bindings
  Variables: SurfaceVariables & {
    /** Set by the gate. */
    key: LicenseKey
    ctx: LicenseCtx
  }
}
