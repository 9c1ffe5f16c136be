// Checks for server tokens, which may read unpublished content.
import { Refusal } from "../../core/http/refusal"
import type { SiteCtx } from "../site"

/**
 * Returns whether the request has a named server token. The site's API key does not count: it ships with every copy of
 * an app.
 */
export const hasServerToken = ({ key }: SiteCtx): boolean => key !== null && key.id !== null

/**
 * Asserts that the request has a named server token.
 * @throws Refusal `unauthenticated` without a key, `forbidden` with the site's API key
 */
export function assertServerToken(ctx: SiteCtx): void {
  if (hasServerToken(ctx)) return
  throw new Refusal(ctx.key ? "forbidden" : "unauthenticated")
}
