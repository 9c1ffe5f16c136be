// Implements idempotency keys: a write sent twice under one key runs once, and the response is replayed for 24 hours.
// Follows draft-ietf-httpapi-idempotency-key-header.
import { and, eq, getTableColumns, gt, gte, isNull, lt, lte, type SQL, sql } from "drizzle-orm"
import { RESOURCES_1 } from "../../db/dictionary"
import { param, prepareRead } from "../../db/prepared"
import { idempotencyKeys, idempotencyRecords } from "../../db/schema/central/idempotency"
import { stores } from "../../db/schema/central/stores"
import { abortIfClaimLost, insertSelect, remove, update, type Write } from "../../db/write"
import { decryptBytes, encrypt } from "../../lib/cipher"
import { currentTime } from "../../lib/clock"
import { deflateText, inflateText } from "../../lib/deflate"
import { hmacSha256, sha256 } from "../../lib/hash"
import { identifiableEnd } from "../../lib/random"
import { addMs, DAY, MINUTE } from "../../lib/time"
import type { Ctx } from "../context"
import { invalid, Refusal } from "../http/refusal"
import { deleteExpired } from "../queue/delete-expired"
import { writeUnaudited } from "./commit"
import { retryTransient } from "./retry"

/** How long a response is stored. */
const RETENTION_MS = DAY

/**
 * Length of a body, and of an encrypted response. A D1 row holds 2 MB:
 * https://developers.cloudflare.com/d1/platform/limits/
 */
const MAX_STORED_LENGTH = 1_500_000

/** After this time, a first request without a response is considered dead. */
const LOCK_MS = MINUTE

/** Hexadecimal digits of an id and of a fingerprint: 128 bits. */
const DIGEST_LENGTH = 32

/**
 * The clean-up visits one of these parts of the ids per minute, so a record is deleted about four hours after it
 * expires.
 */
const CLEANUP_PARTS = 256

/** A response as it is stored and replayed. */
export interface StoredResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** The id of its record, from `idempotencyRecordId`. */
  id: string
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
  /** The end of the lock that its claim sets, from `nextLockEnd`. It identifies the claim. */
  lockedUntil: Date
}

/** Returns the end of a lock that begins now. A request may be older than a lock lasts, as its body may arrive slowly. */
export const nextLockEnd = (): Date => identifiableEnd(addMs(currentTime(), LOCK_MS))

/** The record of a key, and whether its store has been replaced by a later one of the same id. */
export type IdempotencyRecord = typeof idempotencyRecords.$inferSelect & { isReplaced: number }

const isReplaced = sql<number>`exists (select 1 from ${stores}
  where ${stores.id} = ${idempotencyRecords.storeId} and ${stores.seq} <> ${idempotencyRecords.storeSeq})`

/** Selects a record by its id, of any age. */
export const selectIdempotencyRecord = prepareRead<IdempotencyRecord, { id: string }>((db) =>
  db
    .select({ ...getTableColumns(idempotencyRecords), isReplaced: isReplaced.as("is_replaced") })
    .from(idempotencyRecords)
    .where(eq(idempotencyRecords.id, param("id"))),
)

/** Computes the id of a caller's record. The caller has a fixed length, so no two pairs have the same text. */
export const idempotencyRecordId = async (caller: string, key: string): Promise<string> =>
  (await sha256(`${caller} ${key}`)).slice(0, DIGEST_LENGTH)

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
  const { id, caller, key, storeId, lockedUntil } = request
  const fingerprint = await fingerprintOf(request)
  const expiry = addMs(ctx.now, -RETENTION_MS)
  const { status, committedAt } = idempotencyRecords
  const isUnknownBefore = sql`not exists (select 1 from ${idempotencyKeys} where ${and(
    eq(idempotencyKeys.caller, caller),
    eq(idempotencyKeys.key, key),
    gt(idempotencyKeys.createdAt, expiry),
  )})`
  return retryTransient(async (round) => {
    const [, claimed, [record]] = await writeUnaudited(ctx, "idempotency", [
      remove(idempotencyRecords).where(and(eq(idempotencyRecords.id, id), lte(idempotencyRecords.createdAt, expiry))),
      insertSelect(
        idempotencyRecords,
        { id, fingerprint, lockedUntil, storeId, storeSeq: storeSeqOf(storeId), createdAt: ctx.now },
        sql`where ${isUnknownBefore}`,
      )
        .onConflictDoUpdate({
          target: idempotencyRecords.id,
          set: { lockedUntil },
          // A first request that died before its commit may be executed again.
          setWhere: and(
            isNull(status),
            isNull(committedAt),
            lte(idempotencyRecords.lockedUntil, currentTime()),
            eq(idempotencyRecords.fingerprint, fingerprint),
            sql`not ${isReplaced}`,
          ),
        })
        .returning({ id: idempotencyRecords.id }),
      selectIdempotencyRecord({ id }),
    ])
    // A claim whose response was lost is recognized by the end of its lock.
    const isOwn = round > 1 && isClaimedBy(record, fingerprint, lockedUntil)
    if (claimed.length || isOwn) return null
    // A version from before this table has the key.
    if (!record) throw new Refusal("idempotency_in_progress")
    return replayOrRefuse(ctx, record, fingerprint)
  })
}

/** Whether this request has claimed the key in an earlier round, whose response was lost. */
const isClaimedBy = (record: IdempotencyRecord | undefined, fingerprint: string, lockedUntil: Date): boolean =>
  record?.status === null &&
  record.committedAt === null &&
  record.fingerprint === fingerprint &&
  record.lockedUntil.getTime() === lockedUntil.getTime()

/** Returns the stored response of a record, or refuses as documented at `claimKey`. */
async function replayOrRefuse(ctx: Ctx, record: IdempotencyRecord, fingerprint: string): Promise<StoredResponse> {
  if (record.fingerprint !== fingerprint || record.isReplaced) throw new Refusal("idempotency_mismatch")
  if (record.status === null || record.response === null) throw new Refusal("idempotency_in_progress")
  const data = await decryptBytes(ctx.settings.APP_KEY, record.response)
  if (data === null) throw new Refusal("idempotency_mismatch")
  const text = inflateText(data, RESOURCES_1)
  const end = text.indexOf("\n")
  return { status: record.status, headers: JSON.parse(text.slice(0, end)), body: text.slice(end + 1) }
}

/**
 * Computes a request's fingerprint, keyed with the credential, which is stored nowhere: a body may contain a password,
 * and a plain hash of it could be brute-forced.
 */
const fingerprintOf = async ({ secret, method, path, body }: KeyedRequest): Promise<string> =>
  (await hmacSha256(secret, `${method} ${path}\n${body}`)).toHex().slice(0, DIGEST_LENGTH)

/** The current incarnation of a store, as an expression; null without a store. */
const storeSeqOf = (storeId: string | null): SQL | null =>
  storeId === null ? null : sql`(select ${stores.seq} from ${stores} where ${stores.id} = ${storeId})`

/** Matches the record while it has this request's claim: once the lock has expired, a retry may claim it again. */
const isClaimOf = ({ id, lockedUntil }: KeyedRequest) =>
  and(eq(idempotencyRecords.id, id), eq(idempotencyRecords.lockedUntil, lockedUntil))

/**
 * Builds the statements that mark the change as committed, for the change's own batch. They abort it when a retry has
 * claimed the key in the meantime, so that only one of both makes the change.
 */
export const markCommitted = (ctx: Ctx, request: KeyedRequest): Write[] => [
  update(idempotencyRecords)
    .set({
      committedAt: ctx.now,
      storeSeq: sql`coalesce(${idempotencyRecords.storeSeq}, ${storeSeqOf(request.storeId)})`,
    })
    .where(isClaimOf(request)),
  abortIfClaimLost,
]

/**
 * Stores the response of a first request, unless a retry has claimed its key in the meantime. After a server error, the
 * key is released instead, unless the change was committed.
 */
export async function storeResponse(
  ctx: Ctx,
  request: KeyedRequest,
  { status, headers, body }: StoredResponse,
): Promise<void> {
  const release = async () => void (await releaseKey(ctx, request))
  if (status >= 500 || body.length > MAX_STORED_LENGTH) return release()
  // The body is not escaped, so that it resembles the dictionary.
  const data = deflateText(`${JSON.stringify(headers)}\n${body}`, RESOURCES_1)
  const response = await encrypt(ctx.settings.APP_KEY, data)
  if (response.length > MAX_STORED_LENGTH) return release()
  await retryTransient(() =>
    writeUnaudited(ctx, "idempotency", [
      update(idempotencyRecords).set({ status, response }).where(isClaimOf(request)),
    ]),
  )
}

/**
 * Releases the key of a request that changed nothing, so that another request may use it.
 * @returns false when the request has committed its change, or a retry has claimed the key in the meantime
 */
export async function releaseKey(ctx: Ctx, request: KeyedRequest): Promise<boolean> {
  const unmade = and(isClaimOf(request), isNull(idempotencyRecords.committedAt))
  const [released] = await retryTransient(() =>
    writeUnaudited(ctx, "idempotency", [
      remove(idempotencyRecords).where(unmade).returning({ id: idempotencyRecords.id }),
    ]),
  )
  return released.length > 0
}

/** Deletes expired records of the part of the ids that is due this minute. */
export async function deleteExpiredResponses(ctx: Ctx): Promise<void> {
  const { id, createdAt } = idempotencyRecords
  const part = Math.floor(ctx.now.getTime() / MINUTE) % CLEANUP_PARTS
  const prefix = part.toString(16).padStart(2, "0")
  // "g" follows the last hexadecimal digit.
  const isDue = and(gte(id, prefix), lt(id, `${prefix}g`), lte(createdAt, addMs(ctx.now, -RETENTION_MS)))
  const [due] = await ctx.db.select({ id }).from(idempotencyRecords).where(isDue).limit(1)
  if (!due) return
  await deleteExpired(
    ctx,
    idempotencyRecords,
    (limit) => sql`select ${id} from ${idempotencyRecords} where ${isDue} limit ${limit}`,
    sql`id`,
  )
}
