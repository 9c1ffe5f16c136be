// Licenses for codes that an external marketplace sold. Whoever holds an external key can make us ask it, so that it is asked
// seldom: a marketplace bans the token of a vendor who asks for rubbish.

import type { Ctx } from "../../core/context"
import { addressLimits, type Limit, refund, spend } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { WriteConflict } from "../../core/write/commit"
import { HOUR, MINUTE } from "../../lib/time"
import { storeLicense } from "../licenses/service"
import type { Product } from "../products/schemas"
import type { LicenseCtx } from "../types"
import { lookUpSale, type Sale } from "./client"

/** What a purchase code may look like; nothing else is worth a question. */
const CODE = /^[0-9a-z][\w.-]{3,99}$/i

/** Look-ups per minute by one client network. */
const PER_NETWORK = 10

/** Look-ups per minute by all networks that have made another one within the hour, and as many by all that have not. */
const BY_ALL = 30

/**
 * Stores a license for a code that the marketplace sold for this product.
 * @returns whether it did, which it never does without MARKETPLACE_TOKEN; null when the marketplace gave no answer, or is not asked now
 */
export async function importSale(ctx: LicenseCtx, product: Product, code: string): Promise<boolean | null> {
  if (product.marketplaceId === null || !CODE.test(code)) return false
  const token = ctx.settings.MARKETPLACE_TOKEN
  if (!token) {
    ctx.log.warn("MARKETPLACE_TOKEN is not set: no sale of the marketplace can be looked up", { product: product.id })
    return false
  }
  const question = `${product.id} ${code.toLowerCase()}`
  if (isKnownUnsold(ctx, question)) return false
  if (!(await mayAsk(ctx))) return null
  const sale = await lookUpSale(ctx, token, code)
  if (sale === null) return null
  if (sale === "unknown" || sale.item.id !== product.marketplaceId) {
    rememberUnsold(ctx, question)
    return false
  }
  await store(ctx, product, code, sale)
  return true
}

/** A few networks that use up the limit of all do not stop a network that looks up its first code. */
async function mayAsk(ctx: LicenseCtx): Promise<boolean> {
  const isSpent = (limits: Limit[]) =>
    spend(ctx.env, ctx.log, limits).then(
      () => true,
      (cause) => {
        if (cause instanceof Refusal) return false
        throw cause
      },
    )
  const ip = ctx.address ?? "unknown"
  // A network uses up its own limit before that of all.
  if (!(await isSpent(addressLimits("marketplace:ip", ip, PER_NETWORK)))) return false
  const first = addressLimits("marketplace:first", ip, 1, HOUR)
  const isFirst = await isSpent(first)
  if (await isSpent([{ name: isFirst ? "marketplace:firsts" : "marketplace:all", limit: BY_ALL }])) return true
  if (isFirst) refund(ctx, first)
  ctx.log.warn("the marketplace is not asked, because it was asked too often this minute", { limit: BY_ALL })
  return false
}

async function store(ctx: Ctx, product: Product, code: string, sale: Sale): Promise<void> {
  const bought = {
    type: sale.license || "regular",
    customer_id: sale.buyer || null,
    support_until: moment(sale.supported_until),
    parallel_uses: 1,
    is_marketplace: true,
  }
  await storeLicense(ctx, product, code, bought).catch((cause) => {
    // Somebody else asked for the same code at the same moment, and was faster.
    if (!(cause instanceof WriteConflict)) throw cause
  })
}

function moment(text: string | null | undefined): Date | null {
  const date = new Date(text ?? "")
  return Number.isNaN(date.getTime()) ? null : date
}

/** How long an isolate remembers that a code was not sold; a code that is sold a moment later works soon after. */
const UNSOLD_MS = MINUTE
/** Codes that an isolate remembers at most; the oldest go first. */
const MOST_UNSOLD = 1_000

/** By vendor, which is a database; a product and a code -> until when. */
const unsold = new WeakMap<D1Database, Map<string, number>>()

const isKnownUnsold = (ctx: Ctx, question: string): boolean =>
  (unsold.get(ctx.env.DB)?.get(question) ?? 0) > ctx.now.getTime()

function rememberUnsold(ctx: Ctx, question: string): void {
  const known = unsold.get(ctx.env.DB) ?? new Map<string, number>()
  unsold.set(ctx.env.DB, known)
  known.delete(question)
  known.set(question, ctx.now.getTime() + UNSOLD_MS)
  const [oldest] = known.keys()
  if (known.size > MOST_UNSOLD && oldest !== undefined) known.delete(oldest)
}
