// The request and response schemas of device tokens.

import * as z from "zod"
import { emptyAsNull, text, withLookups } from "../../core/http/validation"
import { type deviceTokens, PLATFORMS } from "../../db/schema/sites/devices"
import { formatTimestamp } from "../../lib/time"

const token = text({ max: 255 })

/** Optional metadata of a device. Absent, null and empty fields are unchanged. */
const metadata = {
  platform: emptyAsNull(z.enum(PLATFORMS)),
  device_id: emptyAsNull(text({ max: 255 })),
  app_version: emptyAsNull(text({ max: 50 })),
}

export const RegisterDevice = z.object({ token, ...metadata })

export const UpdateDevice = withLookups(z.object(metadata), "device_id")

export const ByToken = z.object({ token })

export const DeviceToken = z
  .object({
    id: z.int(),
    token: z.string(),
    platform: z.enum(PLATFORMS).nullable(),
    app_version: z.string().nullable(),
    device_id: z.string().nullable(),
    is_active: z.boolean(),
    last_used_at: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "DeviceToken" })

export const deviceToken = (row: typeof deviceTokens.$inferSelect): z.input<typeof DeviceToken> => ({
  id: row.id,
  token: row.token,
  platform: row.platform,
  app_version: row.appVersion,
  device_id: row.deviceId,
  is_active: row.isActive,
  last_used_at: formatTimestamp(row.lastUsedAt),
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
})
