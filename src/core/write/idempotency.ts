// Idempotency keys: a write that is sent twice under one key is made once, and answered the same both times for a day.
// Follows draft-ietf-httpapi-idempotency-key-header; the refusals are in the README's decision list.
import { and, eq, getTableColumns, isNull, lte, type SQL, sql } from "drizzle-orm"
import { compiled, given } from "../../db/prepared"
import { idempotencyKeys } from "../../db/schema/central/idempotency"
import { stores } from "../../db/schema/central/stores"
import { insert, remove, update, type Write } from "../../db/write"
import { decrypt, encrypt } from "../../lib/cipher"
import { hmacSha256 } from "../../lib/hash"
import { DAY, later, MINUTE } from "../../lib/time"
import type { Ctx } from "../context"
import { invalid, Refusal } from "../http/refusal"
import { deleteExpired } from "../queue/delete-expired"
import { writeUnaudited } from "./commit"

/** How long an answer is kept. */
const RETENTION_MS = DAY

/** Characters of an encrypted body. A row of D1 holds 2 MB: https://developers.cloudflare.com/d1/platform/limits/ */
const MAX_STORED_BODY_LENGTH = 1_500_000

/** After this long a first request that has not answered is taken for dead. */
const LOCK_MS = MINUTE

/** An answer as it is kept and replayed. */
export interface StoredResponse {
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
  /** The store that the request changes or creates; null for none. A repetition for a later store of that id is refused. */
  storeId: string | null
}

/** What stands under a key, and whether the store it is about has been replaced by a later one of the same id. */
export type IdempotencyRecord = typeof idempotencyKeys.$inferSelect & { isReplaced: number }

const isReplaced = sql<number>`exists (select 1 from ${stores}
  where ${stores.id} = ${idempotencyKeys.storeId} and ${stores.seq} <> ${idempotencyKeys.storeSeq})`

/** The mark of a caller's key, of any age. */
export const selectIdempotencyRecord = compiled<IdempotencyRecord, { caller: string; key: string }>((db) =>
  db
    .select({ ...getTableColumns(idempotencyKeys), isReplaced: isReplaced.as("is_replaced") })
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.caller, given("caller")), eq(idempotencyKeys.key, given("key")))),
)

/** @throws Refusal `validation_failed` for a malformed key */
export function assertValidKey(key: string): void {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw invalid("idempotency_key", "format")
}

/**
 * Whether a mark settles what becomes of a request, without anything being claimed.
 * @returns the kept answer for a repetition; null where the key has to be claimed
 * @throws Refusal as `claim`
 */
export async function lookupResponse(ctx: Ctx, request: KeyedRequest, mark: IdempotencyRecord | undefined): Promise<StoredResponse | null> {
  if (!mark || mark.createdAt <= later(ctx.now, -RETENTION_MS)) return null
  const isDead = mark.status === null && mark.committedAt === null && mark.lockedUntil <= ctx.now
  return isDead ? null : replayOrRefuse(ctx, mark, await fingerprintOf(request))
}

/**
 * Claims a key for this request.
 * @returns `null` when the request is the first and is to be carried out; the kept answer when it is a repetition
 * @throws Refusal `idempotency_mismatch` when the key was used with another request, or for a store that was deleted and whose id
 *   another one has now; `idempotency_in_progress` while the first still
 *   runs, or when it made its change and died before it answered
 */
export async function claimKey(ctx: Ctx, request: KeyedRequest): Promise<StoredResponse | null> {
  const { caller, key, storeId } = request
  const fingerprint = await fingerprintOf(request)
  const lockedUntil = later(ctx.now, LOCK_MS)
  const [, claimed, found] = await writeUnaudited(ctx, "the mark that a request is being answered", [
    remove(idempotencyKeys).where(and(matchesKey(request), lte(idempotencyKeys.createdAt, later(ctx.now, -RETENTION_MS)))),
    insert(idempotencyKeys)
      .values({ caller, key, fingerprint, lockedUntil, storeId, storeSeq: storeSeqOf(storeId), createdAt: ctx.now })
      .onConflictDoUpdate({
        target: [idempotencyKeys.caller, idempotencyKeys.key],
        set: { lockedUntil },
        // A first request that died before it changed anything may be carried out after all.
        setWhere: and(
          isNull(idempotencyKeys.status),
          isNull(idempotencyKeys.committedAt),
          lte(idempotencyKeys.lockedUntil, ctx.now),
          eq(idempotencyKeys.fingerprint, fingerprint),
          sql`not ${isReplaced}`,
        ),
      })
      .returning({ key: idempotencyKeys.key }),
    selectIdempotencyRecord({ caller, key }),
  ])
  return claimed.length ? null : replayOrRefuse(ctx, found[0], fingerprint)
}

/** The answer that was kept under a key; refused as `claim` says. */
async function replayOrRefuse(ctx: Ctx, mark: IdempotencyRecord | undefined, fingerprint: string): Promise<StoredResponse> {
  if (!mark || mark.fingerprint !== fingerprint || mark.isReplaced) throw new Refusal("idempotency_mismatch")
  if (mark.status === null || mark.body === null) throw new Refusal("idempotency_in_progress")
  const body = await decrypt(ctx.settings.APP_KEY, mark.body)
  if (body === null) throw new Refusal("idempotency_mismatch")
  return { status: mark.status, headers: mark.headers ?? {}, body }
}

/**
 * What a request is known again by: under the credential, which is stored nowhere, because a body may hold a password, and a plain hash of
 * one could be guessed at.
 */
const fingerprintOf = async ({ secret, method, path, body }: KeyedRequest): Promise<string> =>
  (await hmacSha256(secret, `${method} ${path}\n${body}`)).toHex()

const matchesKey = ({ caller, key }: Pick<KeyedRequest, "caller" | "key">) =>
  and(eq(idempotencyKeys.caller, caller), eq(idempotencyKeys.key, key))

/** The present incarnation of a store, as SQL; null where there is none. */
const storeSeqOf = (storeId: string | null): SQL | null =>
  storeId === null ? null : sql`(select ${stores.seq} from ${stores} where ${stores.id} = ${storeId})`

/** The statement that marks the change as made, for the change's own batch. A store that it created has its incarnation from there on. */
export const markCommitted = (ctx: Ctx, request: KeyedRequest): Write =>
  update(idempotencyKeys)
    .set({ committedAt: ctx.now, storeSeq: sql`coalesce(${idempotencyKeys.storeSeq}, ${storeSeqOf(request.storeId)})` })
    .where(matchesKey(request))

/** Keeps the answer of a first request. A fault of ours is not an answer: the key is free again, unless the change was made. */
export async function storeResponse(ctx: Ctx, request: KeyedRequest, answer: StoredResponse): Promise<void> {
  const release = async (reason: string) => {
    const unmade = and(matchesKey(request), isNull(idempotencyKeys.committedAt))
    await writeUnaudited(ctx, reason, [remove(idempotencyKeys).where(unmade)])
  }
  if (answer.status >= 500) return release("a fault is not kept")
  const body = await encrypt(ctx.settings.APP_KEY, answer.body)
  if (body.length > MAX_STORED_BODY_LENGTH) return release("a response that is too large is not stored")
  const kept = { status: answer.status, headers: answer.headers, body }
  await writeUnaudited(ctx, "the answer for a repetition", [update(idempotencyKeys).set(kept).where(matchesKey(request))])
}

/** Forgets answers that were kept long enough: every minute, since each of many callers may write 172 800 a day. */
export const deleteExpiredResponses = (ctx: Ctx): Promise<void> =>
  deleteExpired(
    ctx,
    "answers past their day",
    idempotencyKeys,
    (limit) =>
      sql`select rowid from ${idempotencyKeys} where ${lte(idempotencyKeys.createdAt, later(ctx.now, -RETENTION_MS))} limit ${limit}`,
  )
