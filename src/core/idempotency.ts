// Idempotency keys: a write that is sent twice under one key is made once, and answered the same both times for a day.
// Follows draft-ietf-httpapi-idempotency-key-header; the refusals are in the README's decision list.
import { and, eq, isNull, lte, sql } from "drizzle-orm"
import { idempotencyKeys } from "../db/schema/central/idempotency"
import { insert, remove, update, type Write } from "../db/write"
import { decrypt, encrypt } from "../lib/cipher"
import { hmacSha256 } from "../lib/hash"
import { DAY, later, MINUTE } from "../lib/time"
import { bookkeep } from "./commit"
import type { Ctx } from "./context"
import { forgetRows } from "./forget"
import { invalid, Refusal } from "./refusal"

/** How long an answer is kept. */
const KEPT = DAY

/** After this long a first request that has not answered is taken for dead. */
const LOCK = MINUTE

/** An answer as it is kept and replayed. */
export interface KeptAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** A request that carries a key. */
export interface KeyedRequest {
  /** SHA-256 of the credential. */
  caller: string
  /** The credential. */
  secret: string
  key: string
  method: string
  /** Path and query. */
  path: string
  body: string
}

/**
 * Claims a key for this request.
 * @returns `null` when the request is the first and is to be carried out; the kept answer when it is a repetition
 * @throws Refusal `validation_failed` for a malformed key, `idempotency_mismatch` when the key was used with another request,
 *   `idempotency_in_progress` while the first still runs, or when it made its change and died before it answered
 */
export async function claim(ctx: Ctx, request: KeyedRequest): Promise<KeptAnswer | null> {
  if (!/^[\x21-\x7e]{1,255}$/.test(request.key)) throw invalid("idempotency_key", "format")
  const { caller, key } = request
  const fingerprint = await fingerprintOf(request)
  const lockedUntil = later(ctx.now, LOCK)
  const [, claimed, found] = await bookkeep(ctx, "the mark that a request is being answered", [
    remove(idempotencyKeys).where(and(isRow(request), lte(idempotencyKeys.createdAt, later(ctx.now, -KEPT)))),
    insert(idempotencyKeys)
      .values({ caller, key, fingerprint, lockedUntil, createdAt: ctx.now })
      .onConflictDoUpdate({
        target: [idempotencyKeys.caller, idempotencyKeys.key],
        set: { lockedUntil },
        // A first request that died before it changed anything may be carried out after all.
        setWhere: and(
          isNull(idempotencyKeys.status),
          isNull(idempotencyKeys.committedAt),
          lte(idempotencyKeys.lockedUntil, ctx.now),
          eq(idempotencyKeys.fingerprint, fingerprint),
        ),
      })
      .returning({ key: idempotencyKeys.key }),
    ctx.db.select().from(idempotencyKeys).where(isRow(request)),
  ])
  if (claimed.length) return null
  const [row] = found
  if (!row || row.fingerprint !== fingerprint) throw new Refusal("idempotency_mismatch")
  if (row.status === null || row.body === null) throw new Refusal("idempotency_in_progress")
  const body = await decrypt(ctx.settings.APP_KEY, row.body)
  if (body === null) throw new Refusal("idempotency_mismatch")
  return { status: row.status, headers: row.headers ?? {}, body }
}

/**
 * What a request is known again by: under the credential, which is stored nowhere, because a body may hold a password, and a plain hash of
 * one could be guessed at.
 */
const fingerprintOf = async ({ secret, method, path, body }: KeyedRequest): Promise<string> =>
  (await hmacSha256(secret, `${method} ${path}\n${body}`)).toHex()

const isRow = ({ caller, key }: Pick<KeyedRequest, "caller" | "key">) =>
  and(eq(idempotencyKeys.caller, caller), eq(idempotencyKeys.key, key))

/** The statement that marks the change as made, for the change's own batch. */
export const markCommitted = (ctx: Ctx, request: KeyedRequest): Write =>
  update(idempotencyKeys).set({ committedAt: ctx.now }).where(isRow(request))

/** Keeps the answer of a first request. A fault of ours is not an answer: the key is free again, unless the change was made. */
export async function keep(ctx: Ctx, request: KeyedRequest, answer: KeptAnswer): Promise<void> {
  if (answer.status >= 500) {
    const unmade = and(isRow(request), isNull(idempotencyKeys.committedAt))
    await bookkeep(ctx, "a fault is not kept", [remove(idempotencyKeys).where(unmade)])
    return
  }
  const body = await encrypt(ctx.settings.APP_KEY, answer.body)
  const kept = { status: answer.status, headers: answer.headers, body }
  await bookkeep(ctx, "the answer for a repetition", [update(idempotencyKeys).set(kept).where(isRow(request))])
}

/** Forgets answers that were kept long enough. */
export const forgetAnswers = (ctx: Ctx): Promise<void> =>
  forgetRows(
    ctx,
    "answers past their day",
    idempotencyKeys,
    (limit) =>
      sql`select rowid from ${idempotencyKeys} where ${lte(idempotencyKeys.createdAt, later(ctx.now, -KEPT))} limit ${limit}`,
  )
