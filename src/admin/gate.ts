// Middleware of the admin: response headers, the store of the host, CSRF protection, sessions and idempotent forms.

import type { Context, MiddlewareHandler } from "hono"
import { findStaffSession } from "../content/accounts/staff-sessions"
import { pinToStore, resolveSite, type SiteCtx } from "../content/site"
import { findUserOfExpired } from "../content/user"
import { SELF_HOSTED } from "../core/html/content-security-policy"
import { isUrlEncoded, readForm } from "../core/http/body"
import { clientAddress } from "../core/http/http"
import { addressLimits, takeTokens } from "../core/http/rate-limit"
import { Refusal } from "../core/http/refusal"
import { isSameOriginForm } from "../core/http/same-origin"
import { afterSlowBody } from "../core/http/slow-body"
import { accessState } from "../core/http/store-access"
import { requestContext } from "../core/http/surface"
import { acceptedLocale } from "../core/i18n/locale"
import { withoutSiteWrites } from "../core/write/read-only"
import { currentTime } from "../lib/clock"
import { sha256 } from "../lib/hash"
import { createFormGate, createPageHeaders, isPost } from "../page-kit/gate"
import { runFormOnce } from "../page-kit/once"
import { isRestored, revealPasswords, saveExpiredForm } from "../page-kit/restored-forms"
import { getReturnPath as returnPathOf } from "../page-kit/return-path"
import { readStore } from "../platform/stores/service"
import { getRetentionEnd } from "../platform/subscriptions/rules"
import { adminAssets, editorAssets } from "./assets"
import { ADMIN, LOGIN_PATH, LOGOUT_PATH, OPEN_WHEN_CLOSED } from "./paths"
import { getSession, getSessionToken } from "./session"
import { loadAdminStrings } from "./strings/load"
import type { AdminEnv } from "./types"

type Gate = MiddlewareHandler<AdminEnv>

/** Pictures of products may be on other hosts. */
const SOURCES = { ...SELF_HOSTED, "img-src": ["'self'", "data:", "https:"] } as const

export const setPageHeaders: Gate = createPageHeaders(SOURCES)

/** Serves the stylesheet and the script before any other check. */
export const serveAssets: Gate = async (c, next) => {
  const { path } = c.req
  if (!path.startsWith("/admin/assets/")) return next()
  return (
    (await adminAssets.respond(c.env, path)) ??
    (await editorAssets.respond(c.env, path)) ??
    new Response("Not found.\n", { status: 404 })
  )
}

/**
 * Finds the store of the host. Its pages are in the store's language.
 * @throws Refusal `not_found` on the central host; `store_unavailable` for a store that is being created
 */
export const loadStore: Gate = async (c, next) => {
  const requestCtx = requestContext(c)
  c.set("form", new Map())
  c.set("isClosed", false)
  c.set("isRestored", isRestored(c))
  const accepted = acceptedLocale(c.req.header("Accept-Language"))
  c.set("strings", await loadAdminStrings(c.env, accepted))
  const { site } = await resolveSite(requestCtx, c.req.url, undefined)
  if (!site.store) throw new Refusal("not_found")
  const state = accessState(site.store.status)
  if (state !== "serving" && state !== "suspended") throw new Refusal("store_unavailable")
  const locale = site.language ?? accepted
  c.set("strings", await loadAdminStrings(c.env, locale))
  c.set("isClosed", state === "suspended")
  c.set("ctx", { ...pinToStore(requestCtx, site), site, key: null, locale })
  await next()
}

/** Accepts forms only from pages of this host. */
export const requireSameOrigin: Gate = createFormGate((c) => {
  const { settings, site } = c.var.ctx
  return isSameOriginForm(c.req.raw, settings, site.hostname)
})

/** Loads the session; loads it again after a slow body. */
export const loadSession: Gate = async (c, next) => {
  const token = getSessionToken(c)
  const { ctx } = c.var
  const load = async (now: Date) => {
    const bodyArrived = afterSlowBody(now, () => load(currentTime()))
    const at: SiteCtx = { ...ctx, now, bodyArrived }
    const session = token ? await findStaffSession(at, token) : null
    c.set("ctx", session?.ctx ?? at)
    const hadSession = c.var.session !== undefined
    c.set("session", session ?? undefined)
    if (hadSession && !session) throw new Refusal("unauthenticated")
    c.var.assertRole?.()
  }
  if (token) c.set("sessionHash", await sha256(token))
  await load(ctx.now)
  await next()
}

/** Loads why a closed store is closed, for the first line of every page. */
export const loadClosure: Gate = async (c, next) => {
  const { ctx, session, isClosed } = c.var
  if (isClosed && session) {
    const { store, subscription } = await readStore(ctx, ctx.site.id)
    const cancelledAt = subscription?.cancelledAt ?? null
    c.set("closure", {
      operatorSuspendedAt: store.operatorSuspendedAt,
      suspensionReason: store.suspensionReason,
      cancelledAt,
      suspendedAt: subscription?.suspendedAt ?? null,
      purgedAt: cancelledAt && getRetentionEnd(cancelledAt, ctx.settings.TENANCY_RETENTION_DAYS),
    })
  }
  await next()
}

/** Parses a URL-encoded form. Runs after the session check, or after the sign-in rate limit. Routes read uploads. */
export const parseForm: Gate = async (c, next) => {
  if (isPost(c) && isUrlEncoded(c)) {
    const form = await readForm(c)
    const { session, isRestored: restored } = c.var
    c.set("form", session && !restored ? await revealPasswords(c.var.ctx, getDraftOwner(c), form) : form)
  }
  await next()
}

/** Per network, successful or not. */
const SIGN_IN_POSTS_PER_MINUTE = 300

/** Rate-limits posts to the sign-in page before their body is read. */
export const limitSignIns: Gate = async (c, next) => {
  if (isPost(c)) {
    const limits = addressLimits("admin-sign-in", clientAddress(c), SIGN_IN_POSTS_PER_MINUTE)
    await takeTokens(c.env, c.var.log, limits)
  }
  await next()
}

/** Returns the page to return to after sign-in (page-kit/return-path.ts). */
export const getReturnPath = (next: string | undefined): string => returnPathOf(ADMIN, next)

const ownerOf = (siteId: string, seq: number | undefined, userId: number) => `user:${siteId}:${seq}:${userId}`

/** The owner of the forms that are saved for the member of the staff. */
export function getDraftOwner(c: Context<AdminEnv>): string {
  const { site } = c.var.ctx
  return ownerOf(site.id, site.store?.seq, getSession(c).user.id)
}

/** Saves the form of an expired session; returns the path that shows it again after signing in. */
async function saveForm(c: Context<AdminEnv>): Promise<string | null> {
  const token = getSessionToken(c)
  if (!token || !isUrlEncoded(c) || c.req.path === LOGOUT_PATH) return null
  const { ctx } = c.var
  const user = await findUserOfExpired(ctx, `Bearer ${token}`)
  return user && saveExpiredForm(c, ctx, ownerOf(ctx.site.id, ctx.site.store?.seq, user.id))
}

/** Redirects to the sign-in page without a session; the member returns to the requested page afterwards. */
export const requireSession: Gate = async (c, next) => {
  if (!c.var.session) {
    const { pathname, search } = new URL(c.req.url)
    const returnPath = isPost(c) ? ((await saveForm(c)) ?? ADMIN) : getReturnPath(pathname + search)
    const query = returnPath === ADMIN ? "" : `?next=${encodeURIComponent(returnPath)}`
    return c.redirect(`${LOGIN_PATH}${query}`, 303)
  }
  if (c.var.isRestored) c.set("ctx", withoutSiteWrites(c.var.ctx))
  await next()
}

/** While the store is closed, the only forms are those that sign out and export its data. */
export const refuseWritesOfClosedStore: Gate = async (c, next) => {
  if (isPost(c) && c.var.isClosed && !c.var.isRestored && !OPEN_WHEN_CLOSED.has(c.req.path))
    throw new Refusal("store_unavailable")
  await next()
}

/** Makes forms idempotent (page-kit/once.ts). */
export const runOnce: Gate = async (c, next) => {
  if (!isPost(c) || c.var.isRestored) return next()
  const { ctx, form } = c.var
  const token = getSessionToken(c) ?? ""
  return runFormOnce(c, next, {
    ctx,
    form,
    caller: c.var.sessionHash ?? "",
    secret: token,
    storeId: ctx.site.id,
    setCtx: (changed) => c.set("ctx", { ...c.var.ctx, ...changed }),
  })
}
