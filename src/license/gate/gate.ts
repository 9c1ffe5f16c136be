// The gate of the license manager. Every request passes it, whatever its verb and path, in this order: central host, rate limits, key;
// only then is its path looked for. A limit by network counts before the key is looked up, a limit by key needs the key.
import type { Context, MiddlewareHandler, Next } from "hono"
import type { Ctx } from "../../core/context"
import { hostOf } from "../../core/http/host"
import { clientIp } from "../../core/http/http"
import { assertNotRefused, budgetHeaders, spend, tightest } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { adding } from "../../core/http/route"
import { afterSlowBody } from "../../core/http/slow-body"
import { requestContext } from "../../core/http/surface"
import { batch, read } from "../../db/client"
import type { LicenseKeyType } from "../../db/schema/central/licenses"
import { sha256 } from "../../lib/hash"
import { languageFor } from "../envelope"
import type { LicenseScope } from "../keys/schemas"
import { type LicenseKey, licenseKeyByHash, noteUse } from "../keys/service"
import { clientOf, presentedKey } from "../request"
import { type LicenseSettings, recalledSettings, rememberSettings, selectSettings, settingsFrom } from "../settings"
import type { LicenseEnv } from "../types"
import { limitsBeforeKey, limitsOfKey } from "./throttle"

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
    const ip = clientIp(c)
    const first = limitsBeforeKey(settings, { ip, hasKey: keyHash !== null })
    assertNotRefused(c.env, first)
    // Read in parallel with the limits that need no key, and awaited after them.
    const lookup: Promise<LicenseKey[]> = both
      ? Promise.resolve(both[1])
      : read(visitor.db, licenseKeyByHash({ hash: keyHash ?? "" }))
    lookup.catch(() => undefined)
    const budget = await spend(c.env, c.var.log, first)
    const [key] = await lookup
    const then = keyHash === null ? [] : limitsOfKey(settings, { ip, keyId: key?.id ?? null })
    const budgetOfKey = await spend(c.env, c.var.log, then)
    c.set("rateLimit", budgetHeaders(tightest([budget, budgetOfKey])))
    assertUsable(key, type, visitor.now)

    noteUse(visitor, key)
    c.set("key", key)
    const bodyArrived = afterSlowBody(visitor.now, async () => {
      const [again] = await read(visitor.db, licenseKeyByHash({ hash: keyHash ?? "" }))
      assertUsable(again, type, new Date())
    })
    c.set("ctx", { ...licenseContext(c, visitor, key, settings), bodyArrived })
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
