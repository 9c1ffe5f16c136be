// The inputs and the resource of API keys. The resource contains neither the key nor its hash.
import * as z from "zod"
import { commaList, text, withLookups } from "../../core/http/validation"
import type { ApiKey } from "../../db/schema/central/keys"
import { formatTimestamp } from "../../lib/time"

const nullableTimestamp = z.string().nullable()

export const KeyResource = z
  .object({
    id: z.int(),
    name: z.string(),
    key_prefix: z.string(),
    scopes: z.array(z.enum(["read", "write"])),
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
  is_usable: !key.revokedAt && (!key.expiresAt || key.expiresAt > now),
  created_by_name: key.createdByName,
  last_used_at: formatTimestamp(key.lastUsedAt),
  expires_at: formatTimestamp(key.expiresAt),
  revoked_at: formatTimestamp(key.revokedAt),
  created_at: formatTimestamp(key.createdAt),
})

/** Comma-separated scopes, e.g. `read,write`. */
const scopes = commaList(z.enum(["read", "write"]), { min: 1, max: 10 }).transform((list) => [...new Set(list)])

export const CreateKey = withLookups(
  z.object({ name: text({ max: 120 }), scopes, expires: z.coerce.date().optional() }),
  "expires",
)
