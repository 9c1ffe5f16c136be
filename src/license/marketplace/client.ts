// The external marketplace: whether it sold a code, and for which of its items.
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { boundedText } from "../../lib/read-text"
import { SECOND } from "../../lib/time"

/** A sale as the marketplace tells it (Envato API, "look up sale by code"). */
const Sale = z.object({
  item: z.object({ id: z.union([z.number(), z.string()]).transform(String) }),
  buyer: z.string().trim().max(255).nullish(),
  license: z.string().trim().max(50).nullish(),
  supported_until: z.string().nullish(),
})

export type Sale = z.output<typeof Sale>

const TIMEOUT_MS = 5 * SECOND
/** Bytes that an answer may have. */
const MAX_ANSWER = 64 * 1024

/**
 * Asks for the sale of a code.
 * @param token the vendor's, for the marketplace
 * @returns `unknown` when the marketplace sold no such code; null when it gave no answer
 */
export async function lookUpSale(ctx: Ctx, token: string, code: string): Promise<Sale | "unknown" | null> {
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
    return Sale.parse(JSON.parse(await boundedText(response, MAX_ANSWER)))
  } catch (cause) {
    ctx.log.error("the marketplace gave no answer", cause)
    return null
  }
}

async function cancelled<T>(response: Response, answer: T): Promise<T> {
  await response.body?.cancel()
  return answer
}
