// Looks up sales in the external marketplace's API.

import * as z from "zod"
import type { Ctx } from "../../core/context"
import { fetchOutbound, serviceUrl } from "../../core/outbound/fetch"
import { readBoundedText } from "../../lib/read-text"
import { SECOND } from "../../lib/time"

/** A sale as the marketplace returns it (Envato API, "Look up sale by code"). */
const Sale = z.object({
  item: z.object({ id: z.union([z.number(), z.string()]).transform(String) }),
  buyer: z.string().trim().max(255).nullish(),
  license: z.string().trim().max(50).nullish(),
  supported_until: z.string().nullish(),
})

export type Sale = z.output<typeof Sale>

const REQUEST_TIMEOUT_MS = 5 * SECOND
const MAX_RESPONSE_BYTES = 64 * 1024

/**
 * Looks up a sale by its purchase code.
 * @param token the vendor's API token
 * @returns the sale; `unknown` when no such code was sold; null when the marketplace is unavailable
 */
export async function lookUpSale(ctx: Ctx, token: string, code: string): Promise<Sale | "unknown" | null> {
  const { MARKETPLACE_API_URL, APP_NAME } = ctx.settings
  try {
    const response = await fetchOutbound(serviceUrl(MARKETPLACE_API_URL, `?code=${encodeURIComponent(code)}`), {
      headers: { Accept: "application/json", Authorization: `Bearer ${token}`, "User-Agent": APP_NAME },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    if (response.status === 404) return cancelBody(response, "unknown" as const)
    if (!response.ok) {
      ctx.log.warn("the marketplace returned an error", { status: response.status })
      return cancelBody(response, null)
    }
    return Sale.parse(JSON.parse(await readBoundedText(response, MAX_RESPONSE_BYTES)))
  } catch (cause) {
    ctx.log.error("the marketplace request failed", cause)
    return null
  }
}

async function cancelBody<T>(response: Response, result: T): Promise<T> {
  await response.body?.cancel()
  return result
}
