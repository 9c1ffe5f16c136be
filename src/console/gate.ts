// Middleware of the console: response headers, CSRF protection, sessions, roles and idempotent forms.

import type { Context, MiddlewareHandler } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import { getHostCookieName, getSessionCookieOptions } from "../core/auth/session-cookie"
import { SELF_HOSTED } from "../core/html/content-security-policy"
import { isUrlEncoded, readForm } from "../core/http/body"
import { clientAddress } from "../core/http/http"
import { addressLimits, takeTokens } from "../core/http/rate-limit"
import { Refusal } from "../core/http/refusal"
import { isSameOriginForm } from "../core/http/same-origin"
import { afterSlowBody } from "../core/http/slow-body"
import { requestContext } from "../core/http/surface"
import { withoutWrites } from "../core/write/read-only"
import { settingsOf } from "../env"
import { currentTime } from "../lib/clock"
import { createFormGate, createPageHeaders, isPost } from "../page-kit/gate"
import { runFormOnce } from "../page-kit/once"
import { isRestored } from "../page-kit/restored-forms"
import { getReturnPath as returnPathOf } from "../page-kit/return-path"
import { asOperator, findSessionByHash, findSessionByToken, touchSession } from "../platform/operators/sessions"
import { consoleAssets } from "./assets"
import { LISTS_WITH_VIEWS, storeInPath } from "./paths"
import { revealPasswords, saveExpiredForm } from "./restored-forms"
import { getSession } from "./session"
import { refuseStale } from "./stale-forms"
import type { ConsoleEnv } from "./types"

type Gate = MiddlewareHandler<ConsoleEnv>

export const setPageHeaders: Gate = createPageHeaders(SELF_HOSTED)

/** Serves the stylesheet and the script before any other check. */
export const serveAssets: Gate = async (c, next) => {
  const { path } = c.req
  if (!path.startsWith("/console/assets/")) return next()
  return (await consoleAssets.respond(c.env, path)) ?? new Response("Not found.\n", { status: 404 })
}

/** Accepts forms only from the console's pages. */
export const requireSameOrigin: Gate = createFormGate((c) => {
  const settings = settingsOf(c.env)
  return isSameOriginForm(c.req.raw, settings, settings.CENTRAL_DOMAIN)
})

const getCookieName = (c: Context) => getHostCookieName(c.req.url, "console")

export const setSessionCookie = (c: Context, token: string): void =>
  setCookie(c, getCookieName(c), token, getSessionCookieOptions(c.req.url))

export const clearSessionCookie = (c: Context): void => {
  deleteCookie(c, getCookieName(c), getSessionCookieOptions(c.req.url))
}

/** Creates the context and loads the session; loads it again after a slow body. */
export const loadSession: Gate = async (c, next) => {
  const ctx = requestContext(c, { interface: "console" })
  const token = getCookie(c, getCookieName(c))
  const list = LISTS_WITH_VIEWS.has(c.req.path) ? c.req.path : undefined
  const authenticate = async (now: Date) => {
    c.set("ctx", { ...ctx, now, bodyArrived: afterSlowBody(now, () => authenticate(currentTime())) })
    const session = token ? await findSessionByToken(c.var.ctx, token, list) : null
    c.set("session", session ?? undefined)
  }
  c.set("form", new Map())
  c.set("isRestored", isRestored(c))
  await authenticate(ctx.now)
  await next()
}

/**
 * Parses a URL-encoded form. Runs after the session check, or after the sign-in rate limit. Routes read uploads
 * themselves.
 */
export const parseForm: Gate = async (c, next) => {
  if (isPost(c) && isUrlEncoded(c)) c.set("form", await revealPasswords(c, await readForm(c)))
  await next()
}

/** Per network, successful or not. */
const SIGN_IN_POSTS_PER_MINUTE = 300

/** Rate-limits posts to the sign-in pages before their body is read. */
export const limitSignIns: Gate = async (c, next) => {
  const limits = addressLimits("console-sign-in", clientAddress(c), SIGN_IN_POSTS_PER_MINUTE)
  if (isPost(c)) await takeTokens(c.env, c.var.log, limits)
  await next()
}

/** Returns the page to return to after sign-in (page-kit/return-path.ts). */
export const getReturnPath = (next: string | undefined): string => returnPathOf("/console", next)

/** Whether the request has a session that does not wait for a two-factor code. */
export function isSignedIn(c: Context<ConsoleEnv>): boolean {
  return c.var.session !== undefined && !c.var.session.session.awaitsCode
}

/** Redirects to the sign-in page without a session; the operator returns to the requested page afterwards. */
export const requireSession: Gate = async (c, next) => {
  if (!isSignedIn(c)) {
    const { pathname, search } = new URL(c.req.url)
    const draft = isPost(c) ? await saveExpiredForm(c, getCookie(c, getCookieName(c))) : null
    const returnPath = isPost(c) ? (draft ?? "/console") : getReturnPath(pathname + search)
    const query = returnPath === "/console" ? "" : `?next=${encodeURIComponent(returnPath)}`
    return c.redirect(`/console/login${query}`, 303)
  }
  const session = getSession(c)
  const ctx = asOperator(c.var.isRestored ? withoutWrites(c.var.ctx) : c.var.ctx, session.operator)
  c.set("ctx", { ...ctx, bodyArrived: afterSlowBody(ctx.now, () => refreshSession(c)) })
  if (!c.var.isRestored) touchSession(ctx, session)
  await next()
}

/**
 * Loads the session again after a slow body.
 * @throws Refusal `unauthenticated` when it has ended; `forbidden` when the operator's role no longer allows this form
 */
async function refreshSession(c: Context<ConsoleEnv>): Promise<void> {
  const ctx = { ...c.var.ctx, now: currentTime() }
  const session = await findSessionByHash(ctx, getSession(c).session.hash)
  if (!session || session.session.awaitsCode) {
    c.set("session", undefined)
    throw new Refusal("unauthenticated")
  }
  c.set("ctx", ctx)
  c.set("session", session)
  c.var.assertMayPost?.()
}

/** Makes forms idempotent (page-kit/once.ts), and refuses those of a replaced store. */
export const runOnce: Gate = async (c, next) => {
  if (!isPost(c)) return next()
  const stale = await refuseStale(c)
  if (stale) return stale
  if (c.var.isRestored) return next()
  const { ctx, form } = c.var
  return runFormOnce(c, next, {
    ctx,
    form,
    caller: getSession(c).session.hash,
    secret: getCookie(c, getCookieName(c)) ?? "",
    storeId: storeInPath(c.req.path) ?? form.get("subdomain")?.at(-1) ?? null,
    setCtx: (changed) => c.set("ctx", { ...ctx, ...changed }),
  })
}
