// The inputs and the resource of API keys. The resource contains neither the key nor its hash.
import * as z from "zod"
import { pageQuery } from "../../core/http/pagination"
import { commaList, dateOrTime, listOf, shortText, text, timestampInput, withLookups } from "../../core/http/validation"
import { type ApiKey, SCOPES } from "../../db/schema/central/keys"
import { formatTimestamp } from "../../lib/time"

const nullableTimestamp = z.string().nullable()

export const KeyResource = z
  .object({
    id: z.int(),
    name: z.string(),
    key_prefix: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    store_ids: z.array(z.string()).nullable(),
    is_usable: z.boolean(),
    created_by_name: z.string(),
    last_used_at: nullableTimestamp,
    expires_at: nullableTimestamp,
    revoked_at: nullableTimestamp,
    created_at: z.string(),
  })
  .meta({ id: "ApiKey" })

export const keyResource = (key: ApiKey, now: Date): z.input<typeof KeyResource> => ({
  id: key.id,
  name: key.name,
  key_prefix: key.keyPrefix,
  scopes: key.scopes,
  store_ids: key.storeIds,
  is_usable: !key.revokedAt && (!key.expiresAt || key.expiresAt > now),
  created_by_name: key.createdByName,
  last_used_at: formatTimestamp(key.lastUsedAt),
  expires_at: formatTimestamp(key.expiresAt),
  revoked_at: formatTimestamp(key.revokedAt),
  created_at: formatTimestamp(key.createdAt),
})

const scope = z.enum(SCOPES)

const unique = <Item>(list: Item[]): Item[] => [...new Set(list)]

/** Stores that one key can be limited to. */
const MAX_STORES = 100

/** A key as the console and the command line create it: lists are comma-separated. */
export const CreateKey = withLookups(
  z.object({
    name: text({ max: 120 }),
    scopes: commaList(scope, { min: 1, max: SCOPES.length }).transform(unique),
    expires: dateOrTime.optional(),
    store_ids: commaList(shortText(63), { min: 1, max: MAX_STORES }).transform(unique).nullish(),
  }),
  "expires",
  "scopes",
  "store_ids",
)

/** A key as another key creates it. */
export const CreateKeyWithKey = withLookups(
  z.object({
    name: text({ max: 120 }),
    scopes: listOf(scope, { min: 1, max: SCOPES.length }).transform(unique),
    expires_at: timestampInput.nullish(),
    store_ids: listOf(shortText(63), { min: 1, max: MAX_STORES }).transform(unique).nullish(),
  }),
  "expires_at",
  "scopes",
  "store_ids",
)

export const ListKeys = z.object(pageQuery)
