// Imports licenses for purchase codes of an external marketplace. Any client with an external key can trigger a lookup,
// so lookups are rate limited: marketplaces ban the token of a vendor that sends many invalid codes.

import type { Ctx } from "../../core/context"
import { addressLimits, type Limit, refund, takeTokens } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { WriteConflict } from "../../core/write/commit"
import { isolateState } from "../../lib/isolate-state"
import { HOUR, MINUTE } from "../../lib/time"
import { storeLicense } from "../licenses/service"
import type { Product } from "../products/schemas"
import type { LicenseCtx } from "../types"
import { lookUpSale, type Sale } from "./client"

/** Other codes are rejected without a lookup. */
const PURCHASE_CODE_PATTERN = /^[0-9a-z][\w.-]{3,99}$/i

const LOOKUPS_PER_NETWORK_PER_MINUTE = 10

/** Applies twice: to networks that made another lookup within the hour, and to all other networks. */
const SHARED_LOOKUPS_PER_MINUTE = 30

/**
 * Creates a license for a code that the marketplace sold for this product.
 * @returns true when a license was created; false when the code was not sold or MARKETPLACE_TOKEN is not set; null when
 *   the marketplace is unavailable or the lookup was rate limited
 */
export async function importSale(ctx: LicenseCtx, product: Product, code: string): Promise<boolean | null> {
  if (product.marketplaceId === null || !PURCHASE_CODE_PATTERN.test(code)) return false
  const token = ctx.settings.MARKETPLACE_TOKEN
  if (!token) {
    ctx.log.warn("MARKETPLACE_TOKEN is not set, so marketplace sales cannot be looked up", { product: product.id })
    return false
  }
  const cacheKey = `${product.id} ${code.toLowerCase()}`
  if (isKnownUnsold(ctx, cacheKey)) return false
  if (!(await reserveLookup(ctx))) return null
  const sale = await lookUpSale(ctx, token, code)
  if (sale === null) return null
  if (sale === "unknown" || sale.item.id !== product.marketplaceId) {
    cacheUnsold(ctx, cacheKey)
    return false
  }
  await storeSale(ctx, product, code, sale)
  return true
}

/**
 * Rate limits a lookup. A network's first lookup has a separate, shared limit, so a few abusive networks cannot block
 * it.
 */
async function reserveLookup(ctx: LicenseCtx): Promise<boolean> {
  const trySpend = (limits: Limit[]) =>
    takeTokens(ctx.env, ctx.log, limits).then(
      () => true,
      (cause) => {
        if (cause instanceof Refusal) return false
        throw cause
      },
    )
  const ip = ctx.address ?? "unknown"
  // The network's own limit comes first, so that a blocked network does not use up the shared one.
  if (!(await trySpend(addressLimits("marketplace:ip", ip, LOOKUPS_PER_NETWORK_PER_MINUTE)))) return false
  const firstLookup = addressLimits("marketplace:first", ip, 1, HOUR)
  const isFirst = await trySpend(firstLookup)
  if (await trySpend([{ name: isFirst ? "marketplace:firsts" : "marketplace:all", limit: SHARED_LOOKUPS_PER_MINUTE }]))
    return true
  if (isFirst) refund(ctx, firstLookup)
  ctx.log.warn("marketplace lookups are rate limited", { limit: SHARED_LOOKUPS_PER_MINUTE })
  return false
}

async function storeSale(ctx: Ctx, product: Product, code: string, sale: Sale): Promise<void> {
  const fields = {
    type: sale.license || "regular",
    customer_id: sale.buyer || null,
    support_until: parseDate(sale.supported_until),
    parallel_uses: 1,
    is_marketplace: true,
  }
  await storeLicense(ctx, product, code, fields).catch((cause) => {
    // A concurrent request imported the same code.
    if (!(cause instanceof WriteConflict)) throw cause
  })
}

function parseDate(text: string | null | undefined): Date | null {
  const date = new Date(text ?? "")
  return Number.isNaN(date.getTime()) ? null : date
}

/** Per-isolate cache lifetime of unsold codes; short, so that a code sold in the meantime works soon. */
const UNSOLD_TTL_MS = MINUTE
/** The oldest entries are evicted first. */
const MAX_UNSOLD_ENTRIES = 1_000

/** `<product id> <code>` -> expiry in epoch milliseconds. */
const unsoldCodes = isolateState(() => new Map<string, number>())

const isKnownUnsold = (ctx: Ctx, cacheKey: string): boolean =>
  (unsoldCodes.current.get(cacheKey) ?? 0) > ctx.now.getTime()

function cacheUnsold(ctx: Ctx, cacheKey: string): void {
  const entries = unsoldCodes.current
  entries.delete(cacheKey)
  entries.set(cacheKey, ctx.now.getTime() + UNSOLD_TTL_MS)
  const [oldest] = entries.keys()
  if (entries.size > MAX_UNSOLD_ENTRIES && oldest !== undefined) entries.delete(oldest)
}
