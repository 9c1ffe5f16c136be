// Every request of the license manager passes here, whatever its verb and path, in this order: central host, throttling, key.
// Only then is it asked whether the path exists.
import type { Context, MiddlewareHandler, Next } from "hono"
import { type Ctx, createContext } from "../../core/context"
import { hostOf } from "../../core/host"
import { clientIp } from "../../core/http"
import { Refusal } from "../../core/refusal"
import { adding } from "../../core/route"
import { batch } from "../../db/client"
import type { LicenseKeyType } from "../../db/schema/central/licenses"
import { sha256 } from "../../lib/hash"
import { languageFor, refuse, toRefusal } from "../envelope"
import type { LicenseScope } from "../keys/schemas"
import { type LicenseKey, noteUse, selectLicenseKey } from "../keys/service"
import { clientOf, presentedKey } from "../request"
import { type LicenseSettings, recalledSettings, rememberSettings, selectSettings, settingsFrom } from "../settings"
import type { LicenseEnv } from "../types"
import { throttle } from "./throttle"

/** The longest key that can be one. */
const LONGEST_KEY = 200

/** The gate of one API; keys of the other type do not open it. */
export const gate =
  (type: LicenseKeyType): MiddlewareHandler<LicenseEnv> =>
  async (c, next) => {
    if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
    const visitor = createContext(c.env, (work) => c.executionCtx.waitUntil(work), {
      interface: "api",
      address: clientIp(c),
      requestId: c.var.requestId,
      log: c.var.log,
    })
    const presented = presentedKey(c)
    const keyHash = presented && presented.length <= LONGEST_KEY ? await sha256(presented) : null

    const recalled = recalledSettings(c.env)
    const read = recalled ? null : await readBoth(visitor, keyHash)
    const settings = recalled ?? rememberSettings(c.env, settingsFrom(read?.[0]))
    c.set("rateLimit", await throttle(c.env, c.var.log, settings, { ip: clientIp(c), keyHash }))
    const [key] = read?.[1] ?? (await selectLicenseKey(visitor, keyHash ?? ""))
    assertUsable(key, type, visitor.now)

    noteUse(visitor, key)
    c.set("key", key)
    c.set("ctx", licenseContext(c, visitor, key, settings))
    await next()
  }

/** Where the settings are not at hand, they and the key are one round trip. */
const readBoth = (ctx: Ctx, keyHash: string | null) =>
  batch(ctx.db, [selectSettings(ctx.db), selectLicenseKey(ctx, keyHash ?? "")])

function assertUsable(key: LicenseKey | undefined, type: LicenseKeyType, now: Date): asserts key {
  if (!key || key.revokedAt || key.type !== type) throw new Refusal("invalid_key")
  if (key.expiresAt && key.expiresAt <= now) throw new Refusal("key_expired")
}

const licenseContext = (c: Context, visitor: Ctx, key: LicenseKey, license: LicenseSettings) => ({
  ...visitor,
  actor: { type: "api_key" as const, id: key.id, name: key.name },
  license,
  client: clientOf(c),
  language: languageFor(c),
})

/**
 * Stands in front of a route and holds the key to its scopes.
 * @throws Refusal `insufficient_scope`
 */
export const needs = (scope: LicenseScope): MiddlewareHandler<LicenseEnv> =>
  adding({ scope }, ["insufficient_scope"], async (c: Context<LicenseEnv>, next: Next) => {
    const { scopes } = c.var.key
    if (scopes && !scopes.includes(scope)) throw new Refusal("insufficient_scope")
    await next()
  })

/** Turns what a handler threw into the surface's envelope; what we did not expect goes to the log with its cause. */
export function onError(thrown: unknown, c: Context<LicenseEnv>): Response {
  const refusal = toRefusal(thrown, c.var.requestId)
  if (refusal.code === "server_error") c.var.log.error("unexpected fault", thrown, { path: c.req.path.slice(0, 200) })
  if (refusal.facts.headers) c.set("rateLimit", refusal.facts.headers as Record<string, string>)
  return refuse(c, refusal)
}
