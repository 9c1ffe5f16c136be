// Authorizes changes of content: by a server token that may write, by the bearer token of staff with the role `editor`
// or a higher one, or by an operator of the console.
import type { MiddlewareHandler } from "hono"
import type { Ctx } from "../core/context"
import { Refusal } from "../core/http/refusal"
import { withTraits } from "../core/http/route"
import type { SiteAudit } from "../core/write/audit"
import type { AuditLog } from "../core/write/commit"
import { commitSite } from "../core/write/site-commit"
import type { ShopEventDraft } from "../core/write/site-events"
import { batch, type Read, type Results, type Statement } from "../db/client"
import { getFallbackHost, publicUrl } from "../env"
import { CENTRAL_SITE, pinToStore, resolveSite } from "./site"
import { withActor } from "./staff/write"
import type { ContentEnv } from "./types"
import { authenticate, setCallerOf, type User, type UserCtx, writeAsUser } from "./user"

/** The context of a change of content. */
export interface EditorCtx extends UserCtx {
  /** Whether a server token or an operator makes the change, so that it needs no user. */
  readonly needsNoUser: boolean
}

/** Requires a server token with the scope `write`, or a bearer token; the service checks the role of its user. */
export const editor: MiddlewareHandler<ContentEnv> = withTraits(
  { bearer: "editor" },
  ["unauthenticated", "forbidden", "email_unverified"],
  async (c, next) => {
    const { key } = c.var.ctx
    if (key?.canWrite) c.set("editorCtx", { ...c.var.ctx, caller: NO_CALLER, needsNoUser: true })
    else {
      const header = c.req.header("Authorization")
      if (!header?.trim()) throw new Refusal(key ? "forbidden" : "unauthenticated")
      await setCallerOf(c, header)
      c.set("editorCtx", { ...c.var.userCtx, needsNoUser: false })
    }
    await next()
  },
)

/**
 * Creates the context in which an operator changes the content of a site. The operator is the actor of the audit log.
 * @param id of a store, or `central`
 * @throws Refusal `not_found`; `store_unavailable` when it has no database yet
 */
export async function createOperatorEditorCtx(ctx: Ctx, id: string): Promise<EditorCtx> {
  const { CENTRAL_DOMAIN } = ctx.settings
  const host = id === CENTRAL_SITE ? CENTRAL_DOMAIN : getFallbackHost(ctx.settings, id)
  const { site } = await resolveSite(ctx, publicUrl(ctx.settings, host), undefined)
  return { ...pinToStore(ctx, site), site, key: null, locale: "en", caller: NO_CALLER, needsNoUser: true }
}

const NO_CALLER = { token: null, isVerified: true, isWrite: true }

/**
 * Authorizes a change, and reads for it: one snapshot of the database, one round trip.
 * @returns the context with the caller as the actor of the audit log, the user unless a server token writes, and the
 *   result of each read
 * @throws Refusal `unauthenticated`, `email_unverified`; `forbidden` for support logins, and users with a lower role
 */
export async function authorizeEditor<const Reads extends readonly Read[]>(
  ctx: EditorCtx,
  reads: Reads,
): Promise<{ ctx: EditorCtx; user: User | null; results: Results<Reads> }> {
  if (ctx.needsNoUser) return { ctx, user: null, results: await batch(ctx.site.db, reads) }
  const { user, results } = await authenticate(ctx, () => reads, { role: "editor" })
  return { ctx: { ...ctx, ...withActor(ctx, user) }, user, results }
}

/**
 * Commits a change. The transaction fails if the user has lost the login or the role since.
 * @returns the result of each write
 * @throws Refusal as `authorizeEditor`; WriteConflict as `commitSite`
 */
export const commitAsEditor = <const Writes extends readonly Statement[]>(
  ctx: EditorCtx,
  writes: Writes,
  auditLog: AuditLog<SiteAudit>,
  events: readonly ShopEventDraft[] = [],
): Promise<Results<Writes>> =>
  ctx.needsNoUser
    ? commitSite(ctx, ctx.site, { writes, auditLog, events })
    : writeAsUser(ctx, () => writes, { role: "editor", auditLog, events })
