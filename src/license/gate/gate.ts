// Authenticates and rate limits every license manager request before routing. Checks, in order: central host, rate
// limits, API key. Per-network limits are counted before the key lookup; per-key limits need its result.

import type { Context, MiddlewareHandler, Next } from "hono"
import type { Ctx } from "../../core/context"
import { hostOf } from "../../core/http/host"
import { clientAddress } from "../../core/http/http"
import { assertNotRefused, rateLimitHeaders, takeTokens, tightestBudget } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { withTraits } from "../../core/http/route"
import { afterSlowBody } from "../../core/http/slow-body"
import { requestContext } from "../../core/http/surface"
import { batch, read } from "../../db/client"
import type { LicenseKeyType } from "../../db/schema/central/licenses"
import { currentTime } from "../../lib/clock"
import { sha256 } from "../../lib/hash"
import { getRequestLanguage } from "../envelope"
import { cacheKey, getCachedKey } from "../keys/key-cache"
import type { LicenseScope } from "../keys/schemas"
import { type LicenseKey, recordKeyUse, selectLicenseKeyByHash } from "../keys/service"
import { getPresentedKey, parseClient } from "../request"
import { cacheSettings, getCachedSettings, type LicenseSettings, parseSettings, selectSettings } from "../settings"
import type { LicenseEnv } from "../types"
import { getKeyLimits, getLimitsBeforeKey } from "./rate-limits"

/** Longer keys cannot exist and are rejected without a lookup. */
const MAX_KEY_LENGTH = 200

/**
 * Requests whose key may come from the isolate's cache: verifications and checks, which change nothing. Client software
 * sends them far more often than any others.
 */
const CACHED_KEY_PATH = /^\/api\/(external\/license\/(verify|check)|verify_license)$/

/** Middleware that admits requests with a usable key of the given type. */
export const gate =
  (type: LicenseKeyType): MiddlewareHandler<LicenseEnv> =>
  async (c, next) => {
    if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
    const baseCtx = requestContext(c)
    const presented = getPresentedKey(c)
    const keyHash = presented && presented.length <= MAX_KEY_LENGTH ? await sha256(presented) : null

    const cachedKey = keyHash && CACHED_KEY_PATH.test(c.req.path) ? getCachedKey(keyHash, baseCtx.now) : undefined
    const cachedSettings = getCachedSettings()
    const prefetched = cachedSettings ? null : await readSettingsAndKey(baseCtx, keyHash)
    const settings = cachedSettings ?? cacheSettings(parseSettings(prefetched?.[0] ?? []))
    const ip = clientAddress(c)
    const initialLimits = getLimitsBeforeKey(settings, { ip, hasKey: keyHash !== null })
    assertNotRefused(c.env, initialLimits)
    // Runs in parallel with the rate-limit check below.
    const lookup: Promise<LicenseKey[]> = prefetched
      ? Promise.resolve(prefetched[1])
      : cachedKey
        ? Promise.resolve([cachedKey])
        : read(baseCtx.db, selectLicenseKeyByHash({ hash: keyHash ?? "" }))
    lookup.catch(() => undefined)
    const initialBudget = await takeTokens(c.env, c.var.log, initialLimits)
    const [key] = await lookup
    const keyLimits = keyHash === null ? [] : getKeyLimits(settings, { ip, keyId: key?.id ?? null })
    const keyBudget = await takeTokens(c.env, c.var.log, keyLimits)
    c.set("rateLimit", rateLimitHeaders(tightestBudget([initialBudget, keyBudget])))
    assertUsable(key, type, baseCtx.now)

    recordKeyUse(baseCtx, key)
    cacheKey(key, baseCtx.now)
    c.set("key", key)
    const bodyArrived = afterSlowBody(baseCtx.now, async () => {
      const [reloaded] = await read(baseCtx.db, selectLicenseKeyByHash({ hash: keyHash ?? "" }))
      assertUsable(reloaded, type, currentTime())
    })
    c.set("ctx", { ...buildLicenseContext(c, baseCtx, key, settings), bodyArrived })
    await next()
  }

/** Reads the settings and the key in one round trip, for when the settings are not cached. */
const readSettingsAndKey = (ctx: Ctx, keyHash: string | null) =>
  batch(ctx.db, [selectSettings({}), selectLicenseKeyByHash({ hash: keyHash ?? "" })])

function assertUsable(key: LicenseKey | undefined, type: LicenseKeyType, now: Date): asserts key {
  if (!key || key.revokedAt || key.type !== type) throw new Refusal("invalid_key")
  if (key.expiresAt && key.expiresAt <= now) throw new Refusal("key_expired")
}

const buildLicenseContext = (c: Context, ctx: Ctx, key: LicenseKey, license: LicenseSettings) => ({
  ...ctx,
  actor: { type: "license_key" as const, id: key.id, name: key.name },
  license,
  client: parseClient(c),
  language: getRequestLanguage(c),
})

/**
 * Middleware that requires a scope of the API key.
 * @throws Refusal `insufficient_scope`
 */
export const requireScope = (scope: LicenseScope): MiddlewareHandler<LicenseEnv> =>
  withTraits({ scope }, ["insufficient_scope"], async (c: Context<LicenseEnv>, next: Next) => {
    const { scopes } = c.var.key
    if (scopes && !scopes.includes(scope)) throw new Refusal("insufficient_scope")
    await next()
  })
