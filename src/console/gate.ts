// What stands in front of every page: whose host it is, that a form comes from the console's own pages, who is signed in, what
// their role allows, and that a form sent twice is done once.
import type { Context, MiddlewareHandler } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import { claim, keep, markCommitted } from "../core/idempotency"
import { httpFault, Refusal } from "../core/refusal"
import { requestContext } from "../core/surface"
import { as, isConfirmed, readSession, touchSession } from "../platform/operators/sessions"
import { asset } from "./assets"
import { isDangerous } from "./dangers"
import { consoleOrigin } from "./kit/page"
import { confirmAgain } from "./pages/confirm"
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

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i
const UPLOAD = /^multipart\/form-data\s*;/i

export const isUpload = (c: Context<ConsoleEnv>): boolean => UPLOAD.test(c.req.header("Content-Type") ?? "")

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
    const type = c.req.header("Content-Type") ?? ""
    if (!FORM.test(type) && !isUpload(c)) throw httpFault(415)
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

/** Makes the context, finds the session, and reads a posted form. */
export const visitor: Gate = async (c, next) => {
  const ctx = requestContext(c, { interface: "console" })
  c.set("ctx", ctx)
  c.set("form", new Map())
  const token = getCookie(c, cookieName(c))
  const session = token ? await readSession(ctx, token) : null
  if (session) c.set("session", session)
  if (isPost(c) && FORM.test(c.req.header("Content-Type") ?? "")) {
    const form = new Map<string, string[]>()
    for (const [name, value] of new URLSearchParams(new TextDecoder().decode(await c.req.arrayBuffer())))
      form.set(name, [...(form.get(name) ?? []), value])
    c.set("form", form)
  }
  await next()
}

/** A path of the console to go on to; the overview for anything else. */
export const returnPath = (given: string | undefined): string =>
  given &&
  given.length <= 2000 &&
  /^\/console(?:[/?][\w\-./~%?&=+:@,;!*()]*)?$/.test(given) &&
  !given.includes("//") &&
  !given.includes("..")
    ? given
    : "/console"

/** Lets on only who is signed in; everybody else is led to the sign-in, and back to where they were going. */
export const signedIn: Gate = async (c, next) => {
  const session = c.var.session as ConsoleEnv["Variables"]["session"] | undefined
  if (!session || session.session.awaitsCode) {
    const { pathname, search } = new URL(c.req.url)
    const wanted = isPost(c) ? "/console" : returnPath(pathname + search)
    const next = wanted === "/console" ? "" : `?next=${encodeURIComponent(wanted)}`
    return c.redirect(`/console/login${next}`, 303)
  }
  const ctx = as(c.var.ctx, session.operator)
  c.set("ctx", ctx)
  touchSession(ctx, session)
  await next()
}

/** What a viewer may post: signing out, and what is their own. */
const OWN = /^\/console\/(logout|account(\/.*)?)$/

export const role: Gate = async (c, next) => {
  if (isPost(c) && c.var.session.operator.role !== "admin" && !OWN.test(c.req.path)) throw new Refusal("forbidden")
  await next()
}

/** Pages of one store, and of its site. */
const STORE_PATH = /^\/console\/(?:stores|sites)\/(?!bulk$)([^/]+)/

/** Carries a form out once: one that is sent again under its key is answered as it was the first time. */
export const once: Gate = async (c, next) => {
  const key = c.var.form.get("once")?.at(-1)
  if (!isPost(c) || !key) return next()
  const { ctx, form, session } = c.var
  const body = JSON.stringify([...form].filter(([name]) => !/^(once$|confirm_password$|passkey_)/.test(name)))
  const secret = getCookie(c, cookieName(c)) ?? ""
  const [, store = form.get("subdomain")?.at(-1) ?? null] = STORE_PATH.exec(c.req.path) ?? []
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
  await keep(ctx, request, { status, headers: answer, body: await c.res.clone().text() })
}

/**
 * Stands before what is dangerous: asks for the password or a passkey again, ten minutes after one was last shown. What was typed into
 * the form goes with it, but for passwords.
 */
export const confirmed: Gate = async (c, next) => {
  if (!isPost(c) || !isDangerous(c.req.path) || isConfirmed(c.var.session, c.var.ctx.now)) return next()
  const refused = await confirmAgain(c)
  return refused ?? next()
}
