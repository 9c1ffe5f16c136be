// The external marketplace: whether it sold a code, and for which of its items.
import * as z from "zod"
import type { Ctx } from "../core/context"
import { licenses } from "../db/schema/central/licenses"
import { SECOND } from "../lib/time"
import { newLicense } from "./licenses/service"
import type { Product } from "./products/schemas"

/** A sale as the marketplace tells it (Envato API, "look up sale by code"). */
const Sale = z.object({
  item: z.object({ id: z.union([z.number(), z.string()]).transform(String) }),
  buyer: z.string().trim().max(255).nullish(),
  license: z.string().trim().max(50).nullish(),
  supported_until: z.string().nullish(),
})

type Sale = z.output<typeof Sale>

/** What a purchase code looks like; nothing else is worth a question. */
const CODE = /^[0-9a-z][0-9a-z-]{7,99}$/i

const TIMEOUT_MS = 5 * SECOND
/** Characters that an answer may have. */
const MAX_ANSWER = 64 * 1024

/**
 * Stores a license for a code that the marketplace sold for this product.
 * @returns whether it did, which it never does without MARKETPLACE_TOKEN; null when the marketplace gave no answer
 */
export async function importSale(ctx: Ctx, product: Product, code: string): Promise<boolean | null> {
  if (product.marketplaceId === null || !CODE.test(code)) return false
  const token = ctx.settings.MARKETPLACE_TOKEN
  if (!token) {
    ctx.log.warn("MARKETPLACE_TOKEN is not set: no sale of the marketplace can be looked up", { product: product.id })
    return false
  }
  const sale = await lookUp(ctx, token, code)
  if (sale === null) return null
  if (sale === "unknown" || sale.item.id !== product.marketplaceId) return false
  const bought = newLicense(ctx, product, code, {
    type: sale.license || "regular",
    customer_id: sale.buyer || null,
    support_until: moment(sale.supported_until),
    parallel_uses: 1,
    is_marketplace: true,
  })
  // Somebody else may have asked for the same code at the same moment.
  await ctx.db.insert(licenses).values(bought).onConflictDoNothing()
  return true
}

async function lookUp(ctx: Ctx, token: string, code: string): Promise<Sale | "unknown" | null> {
  const { MARKETPLACE_API_URL, APP_NAME } = ctx.settings
  try {
    const response = await fetch(`${MARKETPLACE_API_URL}?code=${encodeURIComponent(code)}`, {
      headers: { Accept: "application/json", Authorization: `Bearer ${token}`, "User-Agent": APP_NAME },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status === 404) return cancelled(response, "unknown" as const)
    if (!response.ok) {
      ctx.log.warn("the marketplace refused an answer", { status: response.status })
      return cancelled(response, null)
    }
    return Sale.parse(JSON.parse(await readBounded(response)))
  } catch (cause) {
    ctx.log.error("the marketplace gave no answer", cause)
    return null
  }
}

/** @throws RangeError for an answer longer than a sale can be */
async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_ANSWER) throw new RangeError("the marketplace's answer is too long")
  }
  return text
}

async function cancelled<T>(response: Response, answer: T): Promise<T> {
  await response.body?.cancel()
  return answer
}

function moment(text: string | null | undefined): Date | null {
  const date = new Date(text ?? "")
  return Number.isNaN(date.getTime()) ? null : date
}
