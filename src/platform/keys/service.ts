// Issues, lists and revokes API keys. The plaintext key is returned once, when it is issued; only its hash is stored.
import { and, asc, desc, eq, isNull, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { type FieldError, Refusal } from "../../core/http/refusal"
import {
  ALL_ROWS,
  type Page,
  type PageRequest,
  preparePages,
  readPages,
  type Slice,
  selectCounter,
} from "../../core/list/page"
import { commit, WriteConflict } from "../../core/write/commit"
import { type ApiKey, apiKeys, type Scope } from "../../db/schema/central/keys"
import { insert, update, type Write } from "../../db/write"
import { randomBase62, sha256 } from "../../lib/hash"
import { formatTimestamp } from "../../lib/time"
import { isKeyExpiring } from "../attention/conditions"
import { readIncarnations } from "../stores/service"
import type { CreateKey, CreateKeyWithKey } from "./schemas"
import { areStoreScopes, findUngrantableScope } from "./scopes"

/**
 * Issues a key of the form `tnk_<8>_<40>`, for an operator.
 * @returns the stored row, and the plaintext key
 * @throws Refusal `validation_failed` for an expiry in the past, unknown stores, and scopes that no store limits
 */
export async function createKey(ctx: Ctx, input: Input<typeof CreateKey>): Promise<NewKey> {
  const { valid } = input
  const found = await findStores(ctx, valid.store_ids)
  const { name, scopes, expires, store_ids } = input.complete({
    expires: valid.expires && valid.expires <= ctx.now ? "date" : null,
    scopes: valid.store_ids && valid.scopes && !areStoreScopes(valid.scopes) ? "store_scopes" : null,
    store_ids: hasUnknown(valid.store_ids, found) ? "selected" : null,
  })
  return issueKey(ctx, { name, scopes, expiresAt: expires ?? null, storeIds: store_ids ?? null, found })
}

/**
 * Issues a key with another key. It cannot have a scope that the other one lacks, and expires with it at the latest.
 * @returns the stored row, and the plaintext key
 * @throws Refusal `insufficient_scope`; `validation_failed` as for `createKey`, and for an expiry after the other
 *   key's; `key_revoked` when the other key is revoked at the same moment
 */
export async function createKeyWithKey(
  ctx: Ctx,
  input: Input<typeof CreateKeyWithKey>,
  creator: ApiKey,
): Promise<NewKey> {
  const { valid } = input
  const found = await findStores(ctx, valid.store_ids)
  const expiresAt = valid.expires_at ?? creator.expiresAt
  const { name, scopes, store_ids } = input.complete({
    expires_at: findExpiryError(ctx, expiresAt, creator),
    scopes: valid.store_ids && valid.scopes && !areStoreScopes(valid.scopes) ? "store_scopes" : null,
    store_ids: hasUnknown(valid.store_ids, found) ? "selected" : null,
  })
  const scope = findUngrantableScope(creator, scopes)
  if (scope) throw new Refusal("insufficient_scope", { scope })
  const guard = update(apiKeys)
    .set({ revokedAt: null })
    .where(and(eq(apiKeys.id, creator.id), isNull(apiKeys.revokedAt)))
  return issueKey(ctx, { name, scopes, expiresAt, storeIds: store_ids ?? null, found }, guard).catch((cause) => {
    throw cause instanceof WriteConflict ? new Refusal("key_revoked") : cause
  })
}

/** A new key with its plaintext. */
interface NewKey {
  key: ApiKey
  plaintext: string
}

/** Returns the error of an expiry; it must be in the future, and no later than that of the creating key. */
function findExpiryError(ctx: Ctx, expiresAt: Date | null, creator: ApiKey): FieldError | null {
  if (!expiresAt) return null
  if (expiresAt <= ctx.now) return { rule: "future" }
  if (!creator.expiresAt || expiresAt <= creator.expiresAt) return null
  return { rule: "before_or_equal", facts: { date: formatTimestamp(creator.expiresAt) } }
}

type FoundStores = readonly { id: string; seq: number }[]

const findStores = async (ctx: Ctx, ids: readonly string[] | null | undefined): Promise<FoundStores> =>
  ids ? readIncarnations(ctx, ids) : []

const hasUnknown = (ids: readonly string[] | null | undefined, found: FoundStores): boolean =>
  (ids?.length ?? 0) > found.length

async function issueKey(
  ctx: Ctx,
  fields: { name: string; scopes: Scope[]; expiresAt: Date | null; storeIds: string[] | null; found: FoundStores },
  guard?: Write,
): Promise<NewKey> {
  const { name, scopes, expiresAt, storeIds, found } = fields
  const keyPrefix = `tnk_${randomBase62(8)}`
  const plaintext = `${keyPrefix}_${randomBase62(40)}`
  const hash = await sha256(plaintext)
  const [[key]] = await commit(ctx, {
    guard,
    writes: [
      insert(apiKeys)
        .values({
          name,
          keyPrefix,
          hash,
          scopes,
          storeIds,
          storeSeqs: storeIds && found.map(({ seq }) => seq),
          createdByName: ctx.actor.name,
          expiresAt,
          createdAt: ctx.now,
        })
        .returning(),
    ],
    auditLog: [
      {
        audit: {
          subject: "api_key",
          action: "issued",
          id: selectKeyId(hash),
          after: {
            name,
            key_prefix: keyPrefix,
            scopes,
            store_ids: storeIds,
            expires_at: expiresAt?.toISOString() ?? null,
          },
        },
      },
    ],
  })
  if (!key) throw new Error("the key was not stored")
  return { key, plaintext }
}

/** The id of the key with this hash, for use in the batch that inserts it. */
const selectKeyId = (hash: string) => sql`(select ${apiKeys.id} from ${apiKeys} where ${apiKeys.hash} = ${hash})`

/**
 * Lists the keys, newest first.
 * @param within only keys that expire within so many days
 * @param id only this key
 */
export const listKeys = (
  ctx: Ctx,
  { within, id }: { within?: number; id?: number } = {},
  { limit, offset }: Slice = ALL_ROWS,
): Promise<ApiKey[]> =>
  ctx.db
    .select()
    .from(apiKeys)
    .where(
      and(
        within === undefined ? undefined : isKeyExpiring(ctx, within),
        id === undefined ? undefined : eq(apiKeys.id, id),
      ),
    )
    .orderBy(desc(apiKeys.id))
    .limit(limit)
    .offset(offset)

/** Lists a page of keys, newest first. */
export const listKeyPage = (ctx: Ctx, page: PageRequest): Promise<Page<ApiKey>> =>
  readPages(ctx.db, prepareKeyPages(page, {}))

const prepareKeyPages = preparePages<ApiKey, object>(selectCounter("api_keys"), (db, { limit, offset }, direction) =>
  db
    .select()
    .from(apiKeys)
    .orderBy(direction === "forward" ? desc(apiKeys.id) : asc(apiKeys.id))
    .limit(limit)
    .offset(offset),
)

/** @throws Refusal `not_found` */
export async function readKey(ctx: Ctx, id: number): Promise<ApiKey> {
  const [key] = await ctx.db.select().from(apiKeys).where(eq(apiKeys.id, id))
  if (!key) throw new Refusal("not_found")
  return key
}

/**
 * Revokes a key, effective from the next request. Idempotent.
 * @throws Refusal `not_found`
 */
export async function revokeKey(ctx: Ctx, id: number): Promise<ApiKey> {
  const key = await readKey(ctx, id)
  if (key.revokedAt) return key
  await commit(ctx, {
    writes: [update(apiKeys).set({ revokedAt: ctx.now }).where(eq(apiKeys.id, id))],
    auditLog: [
      { audit: { subject: "api_key", action: "revoked", id, before: { name: key.name, key_prefix: key.keyPrefix } } },
    ],
  })
  return { ...key, revokedAt: ctx.now }
}
