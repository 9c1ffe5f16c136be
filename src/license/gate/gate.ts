// Every request of the license manager passes here, whatever its verb and path, in this order: central host, throttling, key.
// Only then is it asked whether the path exists.
import type { Context, MiddlewareHandler, Next } from "hono"
import { assertNotRefused, budgetHeaders, spend } from "../../core/budget"
import type { Ctx } from "../../core/context"
import { hostOf } from "../../core/host"
import { clientIp } from "../../core/http"
import { Refusal } from "../../core/refusal"
import { adding } from "../../core/route"
import { requestContext } from "../../core/surface"
import { batch, read } from "../../db/client"
import type { LicenseKeyType } from "../../db/schema/central/licenses"
import { sha256 } from "../../lib/hash"
import { languageFor } from "../envelope"
import type { LicenseScope } from "../keys/schemas"
import { type LicenseKey, licenseKeyByHash, noteUse } from "../keys/service"
import { clientOf, presentedKey } from "../request"
import { type LicenseSettings, recalledSettings, rememberSettings, selectSettings, settingsFrom } from "../settings"
import type { LicenseEnv } from "../types"
import { limitsOf } from "./throttle"

/** The longest key that can be one. */
const LONGEST_KEY = 200

/** The gate of one API; keys of the other type do not open it. */
export const gate =
  (type: LicenseKeyType): MiddlewareHandler<LicenseEnv> =>
  async (c, next) => {
    if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
    const visitor = requestContext(c)
    const presented = presentedKey(c)
    const keyHash = presented && presented.length <= LONGEST_KEY ? await sha256(presented) : null

    const recalled = recalledSettings(c.env)
    const both = recalled ? null : await readBoth(visitor, keyHash)
    const settings = recalled ?? rememberSettings(c.env, settingsFrom(both?.[0] ?? []))
    const limits = limitsOf(settings, { ip: clientIp(c), keyHash })
    assertNotRefused(c.env, limits)
    // Asked beside the budgets, and heard after them.
    const lookup: Promise<LicenseKey[]> = both
      ? Promise.resolve(both[1])
      : read(visitor.db, licenseKeyByHash({ hash: keyHash ?? "" }))
    lookup.catch(() => undefined)
    c.set("rateLimit", budgetHeaders(await spend(c.env, c.var.log, limits)))
    const [key] = await lookup
    assertUsable(key, type, visitor.now)

    noteUse(visitor, key)
    c.set("key", key)
    c.set("ctx", licenseContext(c, visitor, key, settings))
    await next()
  }

/** Where the settings are not at hand, they and the key are one round trip. */
const readBoth = (ctx: Ctx, keyHash: string | null) =>
  batch(ctx.db, [selectSettings({}), licenseKeyByHash({ hash: keyHash ?? "" })])

function assertUsable(key: LicenseKey | undefined, type: LicenseKeyType, now: Date): asserts key {
  if (!key || key.revokedAt || key.type !== type) throw new Refusal("invalid_key")
  if (key.expiresAt && key.expiresAt <= now) throw new Refusal("key_expired")
}

const licenseContext = (c: Context, visitor: Ctx, key: LicenseKey, license: LicenseSettings) => ({
  ...visitor,
  actor: { type: "license_key" as const, id: key.id, name: key.name },
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
