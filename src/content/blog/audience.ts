// Who may see more of a site's blog than the public.
import { Refusal } from "../../core/http/refusal"
import type { SiteCtx } from "../site"

/** Whether a named server token came along; the site's API key does not count, because every copy of an app carries it. */
export const isServer = ({ key }: SiteCtx): boolean => key !== null && key.id !== null

/** @throws Refusal `unauthenticated` for a caller without a key, `forbidden` for one whose key is not a server's */
export function assertServer(ctx: SiteCtx): void {
  if (isServer(ctx)) return
  throw new Refusal(ctx.key ? "forbidden" : "unauthenticated")
}
