// Makes forms idempotent: a form that is sent again with the same key gets the first response. A refused form that
// changed nothing releases its key, so that it can be corrected and sent again.
import type { Context, Next } from "hono"
import type { Ctx } from "../core/context"
import type { Form } from "../core/http/body"
import {
  claimKey,
  idempotencyRecordId,
  markCommitted,
  nextLockEnd,
  releaseKey,
  storeResponse,
} from "../core/write/idempotency"

/** The field with the key. */
export const ONCE_FIELD = "once"

/** Fields that do not make it another form: the key itself, and proofs of who sends it. */
const UNCOMPARED = /^(once$|confirm_password$|passkey_)/

interface OnceOptions {
  ctx: Ctx
  form: Form
  /** SHA-256 of the session's secret. */
  caller: string
  /** The session's secret. */
  secret: string
  /** The store that the form changes; null for none. */
  storeId: string | null
  /** Replaces the context of the request: every commit marks the key. */
  setCtx: (ctx: Pick<Ctx, "withCommit">) => void
}

/**
 * Runs the route of a form once per key; a form without a key runs every time.
 * @returns the stored response of a form that was sent before
 */
export async function runFormOnce(
  c: Context,
  next: Next,
  { ctx, form, caller, secret, storeId, setCtx }: OnceOptions,
): Promise<Response | undefined> {
  const key = form.get(ONCE_FIELD)?.at(-1)
  if (!key) {
    await next()
    return undefined
  }
  const body = JSON.stringify([...form].filter(([name]) => !UNCOMPARED.test(name)))
  const id = await idempotencyRecordId(caller, key)
  const request = {
    id,
    caller,
    secret,
    key,
    method: "POST",
    path: c.req.path,
    body,
    storeId,
    lockedUntil: nextLockEnd(),
  }
  const stored = await claimKey(ctx, request)
  if (stored) {
    const { location, ...rest } = stored.headers
    return new Response(stored.body || null, {
      status: stored.status,
      headers: { ...rest, ...(location && { Location: location }) },
    })
  }
  setCtx({ withCommit: () => markCommitted(ctx, request) })
  await next()
  const { headers, status } = c.res
  const type = headers.get("Content-Type")
  const location = headers.get("Location")
  if (status >= 400 && (await releaseKey(ctx, request))) return undefined
  const storedHeaders = { ...(type && { "Content-Type": type }), ...(location && { location }) }
  await storeResponse(ctx, request, { status, headers: storedHeaders, body: await c.res.clone().text() })
  return undefined
}
