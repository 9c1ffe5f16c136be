// Types the Hono context of the content API's handlers.
import type { SurfaceVariables } from "../core/http/surface"
import type { Bindings } from "../env"
import type { EditorCtx } from "./editor"
import type { ContentSite, SiteCtx } from "./site"
import type { UserCtx } from "./user"

export interface ContentEnv {
  Bindings: Bindings
  Variables: SurfaceVariables & {
    /** Set by the gate. */
    ctx: SiteCtx
    /** Set by the gate: the site whose origins may read the response. */
    corsSite?: ContentSite
    /** Set by `user`, `unverifiedUser`, `optionalUser` and `appUser`. */
    userCtx: UserCtx
    /** Set by `editor`. */
    editorCtx: EditorCtx
    /** Whether a successful response carries an ETag and cache headers. */
    isCacheable?: boolean
  }
}
