// What stands in front of every page: whose host it is, that a form comes from the console's own pages, who is signed in, what
// their role allows, and that a form sent twice is done once.
import type { Context, MiddlewareHandler } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import { isMultipart, isUrlEncoded, readForm } from "../core/http/body"
import { clientIp } from "../core/http/http"
import { addressLimits, spend } from "../core/http/rate-limit"
import { httpFault, Refusal } from "../core/http/refusal"
import { afterSlowBody } from "../core/http/slow-body"
import { requestContext } from "../core/http/surface"
import { claim, storeResponse, markCommitted } from "../core/write/idempotency"
import { as, findSession, readSession, touchSession } from "../platform/operators/sessions"
import { asset } from "./assets"
import { consoleOrigin } from "./kit/page"
import { storeInPath } from "./paths"
import { refuseStale } from "./stale-forms"
import type { ConsoleEnv } from "./types"

type Gate = MiddlewareHandler<ConsoleEnv>

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

const HEADERS = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
}

/** Puts the headers of a page on every answer that has not got its own. */
export const frame: Gate = async (c, next) => {
  await next()
  for (const [name, value] of Object.entries(HEADERS)) if (!c.res.headers.has(name)) c.header(name, value)
  // A preview of a shop has a policy of its own, stricter than this one.
  if (c.res.headers.get("Content-Type")?.startsWith("text/html") && !c.res.headers.has("Content-Security-Policy")) {
    const policy = c.var.frames ? [...POLICY, "frame-src 'self'"] : POLICY
    c.header("Content-Security-Policy", policy.join("; "))
  }
}

/** The two files, in front of everything else. */
export const assets: Gate = async (c, next) => asset(c.req.path) ?? next()

const isPost = (c: Context<ConsoleEnv>) => c.req.method === "POST"

/**
 * A form counts only when it comes from the console's own pages. Stores live on subdomains, which are the same site: a cookie's
 * SameSite protects nothing here.
 */
export const sameOrigin: Gate = async (c, next) => {
  if (!["GET", "HEAD"].includes(c.req.method)) {
    if (!isPost(c)) throw new Refusal("method_not_allowed", { allow: ["GET", "HEAD", "POST"] })
    const site = c.req.header("Sec-Fetch-Site")
    const origins = [consoleOrigin(c), new URL(c.req.url).origin]
    const isOurs = site === undefined ? origins.includes(c.req.header("Origin") ?? "") : site === "same-origin"
    if (!isOurs) throw new Refusal("forbidden")
    if (!isUrlEncoded(c) && !isMultipart(c)) throw httpFault(415)
  }
  await next()
}

const isSecure = (c: Context) => new URL(c.req.url).protocol === "https:"

const COOKIE = { path: "/", httpOnly: true, sameSite: "Lax" } as const

const cookieName = (c: Context) => (isSecure(c) ? "__Host-console" : "console")

export const giveCookie = (c: Context, token: string): void =>
  setCookie(c, cookieName(c), token, { ...COOKIE, secure: isSecure(c) })

export const takeCookie = (c: Context): void => {
  deleteCookie(c, cookieName(c), { ...COOKIE, secure: isSecure(c) })
}

/** Creates the context and looks up the session. */
export const visitor: Gate = async (c, next) => {
  const ctx = requestContext(c, { interface: "console" })
  const token = getCookie(c, cookieName(c))
  const readCookie = async (now: Date) => {
    c.set("ctx", { ...ctx, now, bodyArrived: afterSlowBody(now, () => readCookie(new Date())) })
    const session = token ? await readSession(c.var.ctx, token) : null
    c.set("session", session ?? (undefined as never))
  }
  c.set("form", new Map())
  await readCookie(ctx.now)
  await next()
}

/** Parses a posted form. Runs after sign-in, or after the limit of sign-ins. Uploads are read by their routes. */
export const parseForm: Gate = async (c, next) => {
  if (isPost(c) && isUrlEncoded(c)) c.set("form", await readForm(c))
  await next()
}

/** Posts to the sign-in pages per minute and network, whatever comes of them. */
const SIGN_IN_POSTS = 300

/** Limits what is posted by clients that are not signed in, before their body is read. */
export const limitSignIns: Gate = async (c, next) => {
  if (isPost(c)) await spend(c.env, c.var.log, addressLimits("console-sign-in", clientIp(c), SIGN_IN_POSTS))
  await next()
}

/** Characters of a return path; longer ones lead to the overview. */
const MAX_RETURN_PATH = 2_000

/** Any origin: only what the path resolves to matters. */
const ORIGIN = "https://console.invalid"

/**
 * The page of the console to return to after signing in; the overview for any other address.
 * Compares the path that a browser resolves, because `%2e%2e` and `\\` are dot segments and slashes to it (WHATWG URL, section 4.4).
 */
export function returnPath(next: string | undefined): string {
  const url = next?.startsWith("/") && next.length <= MAX_RETURN_PATH ? URL.parse(next, ORIGIN) : null
  const isConsole = url?.origin === ORIGIN && /^\/console(\/|$)/.test(url.pathname) && !url.pathname.includes("//")
  return isConsole ? url.pathname + url.search : "/console"
}

/** Whether the request has a session that needs no further code. */
export function isSignedIn(c: Context<ConsoleEnv>): boolean {
  const session = c.var.session as ConsoleEnv["Variables"]["session"] | undefined
  return session !== undefined && !session.session.awaitsCode
}

/** Lets on only who is signed in; everybody else is led to the sign-in, and back to where they were going. */
export const signedIn: Gate = async (c, next) => {
  if (!isSignedIn(c)) {
    const { pathname, search } = new URL(c.req.url)
    const wanted = isPost(c) ? "/console" : returnPath(pathname + search)
    const next = wanted === "/console" ? "" : `?next=${encodeURIComponent(wanted)}`
    return c.redirect(`/console/login${next}`, 303)
  }
  const { session } = c.var
  const ctx = as(c.var.ctx, session.operator)
  c.set("ctx", { ...ctx, bodyArrived: afterSlowBody(ctx.now, () => signInAgain(c)) })
  touchSession(ctx, session)
  await next()
}

/**
 * Reads the session again, as of now.
 * @throws Refusal `unauthenticated` when it has ended; `forbidden` when the operator may no longer send this form
 */
async function signInAgain(c: Context<ConsoleEnv>): Promise<void> {
  const ctx = { ...c.var.ctx, now: new Date() }
  const session = await findSession(ctx, c.var.session.session.hash)
  if (!session || session.session.awaitsCode) {
    c.set("session", undefined as never)
    throw new Refusal("unauthenticated")
  }
  c.set("ctx", ctx)
  c.set("session", session)
  assertMayPost(c)
}

/** What a viewer may post: signing out, and what is their own. */
const OWN = /^\/console\/(logout|account(\/.*)?)$/

export const role: Gate = async (c, next) => {
  assertMayPost(c)
  await next()
}

/** @throws Refusal `forbidden` */
function assertMayPost(c: Context<ConsoleEnv>): void {
  if (isPost(c) && c.var.session.operator.role !== "admin" && !OWN.test(c.req.path)) throw new Refusal("forbidden")
}

/** Carries a form out once: one that is sent again under its key is answered as it was the first time. */
export const once: Gate = async (c, next) => {
  if (!isPost(c)) return next()
  const stale = await refuseStale(c)
  if (stale) return stale
  const key = c.var.form.get("once")?.at(-1)
  if (!key) return next()
  const { ctx, form, session } = c.var
  const body = JSON.stringify([...form].filter(([name]) => !/^(once$|confirm_password$|passkey_)/.test(name)))
  const secret = getCookie(c, cookieName(c)) ?? ""
  const store = storeInPath(c.req.path) ?? form.get("subdomain")?.at(-1) ?? null
  const { hash: caller } = session.session
  const request = { caller, secret, key, method: "POST", path: c.req.path, body, storeId: store }
  const kept = await claim(ctx, request)
  if (kept) {
    const { location, ...rest } = kept.headers
    return new Response(kept.body || null, {
      status: kept.status,
      headers: { ...rest, ...(location && { Location: location }) },
    })
  }
  c.set("ctx", { ...ctx, withCommit: () => [markCommitted(ctx, request)] })
  await next()
  const { headers, status } = c.res
  const type = headers.get("Content-Type")
  const location = headers.get("Location")
  const answer = { ...(type && { "Content-Type": type }), ...(location && { location }) }
  await storeResponse(ctx, request, { status, headers: answer, body: await c.res.clone().text() })
}
