// Decides who may read unpublished content: server tokens, and the store's staff by bearer token.
import type { MiddlewareHandler } from "hono"
import { Refusal } from "../../core/http/refusal"
import { withTraits } from "../../core/http/route"
import type { SiteCtx } from "../site"
import { staffRole } from "../staff/rules"
import type { ContentEnv } from "../types"
import { createReaderCtx, findUserOfReader } from "../user"

/**
 * Reads the bearer token of a public read. An invalid one counts as none, because apps send the token that they have.
 */
export const staffReader: MiddlewareHandler<ContentEnv> = withTraits({ bearer: "optional" }, [], async (c, next) => {
  const header = c.req.header("Authorization")
  if (header !== undefined) c.set("ctx", await createReaderCtx(c.var.ctx, header))
  await next()
})

/**
 * Returns whether the request has a named server token. The site's API key does not count: it ships with every copy of
 * an app.
 */
const hasServerToken = ({ key }: SiteCtx): boolean => key !== null && key.id !== null

/** Whether the caller may turn out to read unpublished content, once `assertReadsUnpublished` has checked. */
export const mayReadUnpublished = (ctx: SiteCtx): boolean => hasServerToken(ctx) || Boolean(ctx.reader)

/**
 * Asserts that the caller may read unpublished content. It runs in parallel with the read.
 * @throws Refusal `unauthenticated`; `forbidden` for customers, and with the site's API key alone
 */
export async function assertReadsUnpublished(ctx: SiteCtx): Promise<void> {
  if (hasServerToken(ctx)) return
  const user = await findUserOfReader(ctx)
  if (user && staffRole(user)) return
  throw new Refusal(user || ctx.key ? "forbidden" : "unauthenticated")
}

/** Returns whether the caller may read unpublished content. */
export const readsUnpublished = (ctx: SiteCtx): Promise<boolean> =>
  assertReadsUnpublished(ctx).then(
    () => true,
    (cause) => {
      if (cause instanceof Refusal) return false
      throw cause
    },
  )
