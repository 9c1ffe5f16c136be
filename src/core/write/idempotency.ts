// Implements idempotency keys: a write sent twice under one key runs once, and the response is replayed for 24 hours.
// Follows draft-ietf-httpapi-idempotency-key-header.
import { and, eq, getTableColumns, isNull, lte, type SQL, sql } from "drizzle-orm"
import { param, prepareRead } from "../../db/prepared"
import { idempotencyKeys } from "../../db/schema/central/idempotency"
import { stores } from "../../db/schema/central/stores"
import { insert, remove, update, type Write } from "../../db/write"
import { decrypt, encrypt } from "../../lib/cipher"
import { hmacSha256 } from "../../lib/hash"
import { identifiableEnd } from "../../lib/random"
import { addMs, DAY, MINUTE } from "../../lib/time"
import type { Ctx } from "../context"
import { invalid, Refusal } from "../http/refusal"
import { deleteExpired } from "../queue/delete-expired"
import { writeUnaudited } from "./commit"
import { retryTransient } from "./retry"

/** How long a response is stored. */
const RETENTION_MS = DAY

/** Length of an encrypted body. A D1 row holds 2 MB: https://developers.cloudflare.com/d1/platform/limits/ */
const MAX_STORED_BODY_LENGTH = 1_500_000

/** After this time, a first request without a response is considered dead. */
const LOCK_MS = MINUTE

/** A response as it is stored and replayed. */
export interface StoredResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** SHA-256 of the credential, in hex. */
  caller: string
  /** The credential. */
  secret: string
  key: string
  method: string
  /** Path and query. */
  path: string
  body: string
  /** The store that the request changes or creates, if any. A retry is refused once a later store has that id. */
  storeId: string | null
}

/** The record of a key, and whether its store has been replaced by a later one of the same id. */
export type IdempotencyRecord = typeof idempotencyKeys.$inferSelect & { isReplaced: number }

const isReplaced = sql<number>`exists (select 1 from ${stores}
  where ${stores.id} = ${idempotencyKeys.storeId} and ${stores.seq} <> ${idempotencyKeys.storeSeq})`

/** Selects the record of a caller's key, of any age. */
export const selectIdempotencyRecord = prepareRead<IdempotencyRecord, { caller: string; key: string }>((db) =>
  db
    .select({ ...getTableColumns(idempotencyKeys), isReplaced: isReplaced.as("is_replaced") })
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.caller, param("caller")), eq(idempotencyKeys.key, param("key")))),
)

/** @throws Refusal `validation_failed` for a malformed key */
export function assertValidKey(key: string): void {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw invalid("idempotency_key", "format")
}

/**
 * Looks up the response of a retried request without claiming the key.
 * @returns the stored response; null when the key must be claimed
 * @throws Refusal as `claimKey`
 */
export async function lookupResponse(
  ctx: Ctx,
  request: KeyedRequest,
  record: IdempotencyRecord | undefined,
): Promise<StoredResponse | null> {
  if (!record || record.createdAt <= addMs(ctx.now, -RETENTION_MS)) return null
  const isDead = record.status === null && record.committedAt === null && record.lockedUntil <= ctx.now
  return isDead ? null : replayOrRefuse(ctx, record, await fingerprintOf(request))
}

/**
 * Claims a key for this request.
 * @returns null when the request is the first and must be executed; the stored response for a retry
 * @throws Refusal `idempotency_mismatch` when the key was used with another request, or for a deleted store whose id
 *   another store has now; `idempotency_in_progress` while the first request runs, or when it committed its change and
 *   died before responding
 */
export async function claimKey(ctx: Ctx, request: KeyedRequest): Promise<StoredResponse | null> {
  const { caller, key, storeId } = request
  const fingerprint = await fingerprintOf(request)
  const lockedUntil = identifiableEnd(addMs(ctx.now, LOCK_MS))
  return retryTransient(async (round) => {
    const [, claimed, [record]] = await writeUnaudited(ctx, "idempotency", [
      remove(idempotencyKeys).where(
        and(matchesKey(request), lte(idempotencyKeys.createdAt, addMs(ctx.now, -RETENTION_MS))),
      ),
      insert(idempotencyKeys)
        .values({ caller, key, fingerprint, lockedUntil, storeId, storeSeq: storeSeqOf(storeId), createdAt: ctx.now })
        .onConflictDoUpdate({
          target: [idempotencyKeys.caller, idempotencyKeys.key],
          set: { lockedUntil },
          // A first request that died before its commit may be executed again.
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
    // A claim whose response was lost is recognized by the end of its lock.
    const isOwn = round > 1 && isClaimedBy(record, fingerprint, lockedUntil)
    return claimed.length || isOwn ? null : replayOrRefuse(ctx, record, fingerprint)
  })
}

/** Whether this request has claimed the key in an earlier round, whose response was lost. */
const isClaimedBy = (record: IdempotencyRecord | undefined, fingerprint: string, lockedUntil: Date): boolean =>
  record?.status === null &&
  record.committedAt === null &&
  record.fingerprint === fingerprint &&
  record.lockedUntil.getTime() === lockedUntil.getTime()

/** Returns the stored response of a record, or refuses as documented at `claimKey`. */
async function replayOrRefuse(
  ctx: Ctx,
  record: IdempotencyRecord | undefined,
  fingerprint: string,
): Promise<StoredResponse> {
  if (!record || record.fingerprint !== fingerprint || record.isReplaced) throw new Refusal("idempotency_mismatch")
  if (record.status === null || record.body === null) throw new Refusal("idempotency_in_progress")
  const body = await decrypt(ctx.settings.APP_KEY, record.body)
  if (body === null) throw new Refusal("idempotency_mismatch")
  return { status: record.status, headers: record.headers ?? {}, body }
}

/**
 * Computes a request's fingerprint, keyed with the credential, which is stored nowhere: a body may contain a password,
 * and a plain hash of it could be brute-forced.
 */
const fingerprintOf = async ({ secret, method, path, body }: KeyedRequest): Promise<string> =>
  (await hmacSha256(secret, `${method} ${path}\n${body}`)).toHex()

const matchesKey = ({ caller, key }: Pick<KeyedRequest, "caller" | "key">) =>
  and(eq(idempotencyKeys.caller, caller), eq(idempotencyKeys.key, key))

/** The present incarnation of a store, as an expression; null without a store. */
const storeSeqOf = (storeId: string | null): SQL | null =>
  storeId === null ? null : sql`(select ${stores.seq} from ${stores} where ${stores.id} = ${storeId})`

/** Builds the statement that marks the change as committed, for the change's own batch. */
export const markCommitted = (ctx: Ctx, request: KeyedRequest): Write =>
  update(idempotencyKeys)
    .set({ committedAt: ctx.now, storeSeq: sql`coalesce(${idempotencyKeys.storeSeq}, ${storeSeqOf(request.storeId)})` })
    .where(matchesKey(request))

/**
 * Stores the response of a first request. After a server error the key is released instead, unless the change was
 * committed.
 */
export async function storeResponse(ctx: Ctx, request: KeyedRequest, response: StoredResponse): Promise<void> {
  const release = async () => void (await releaseKey(ctx, request))
  if (response.status >= 500) return release()
  const body = await encrypt(ctx.settings.APP_KEY, response.body)
  if (body.length > MAX_STORED_BODY_LENGTH) return release()
  const stored = { status: response.status, headers: response.headers, body }
  await retryTransient(() =>
    writeUnaudited(ctx, "idempotency", [update(idempotencyKeys).set(stored).where(matchesKey(request))]),
  )
}

/**
 * Releases the key of a request that changed nothing, so that another request may use it.
 * @returns false when the request has committed its change
 */
export async function releaseKey(ctx: Ctx, request: KeyedRequest): Promise<boolean> {
  const unmade = and(matchesKey(request), isNull(idempotencyKeys.committedAt))
  const [released] = await retryTransient(() =>
    writeUnaudited(ctx, "idempotency", [remove(idempotencyKeys).where(unmade).returning({ key: idempotencyKeys.key })]),
  )
  return released.length > 0
}

/** Deletes expired records. Runs every minute, because each caller may write 172,800 per day. */
export const deleteExpiredResponses = (ctx: Ctx): Promise<void> =>
  deleteExpired(
    ctx,
    idempotencyKeys,
    (limit) =>
      sql`select rowid from ${idempotencyKeys} where ${lte(idempotencyKeys.createdAt, addMs(ctx.now, -RETENTION_MS))} limit ${limit}`,
  )
