// Request and response schemas of a site's push settings.

import * as z from "zod"
import { shortText, withLookups } from "../../core/http/validation"
import type { pushAccounts } from "../../db/schema/sites/push"
import { formatTimestamp } from "../../lib/time"

/** Maximum length of a service-account file; actual files have about 2,400 characters. */
const MAX_FILE_LENGTH = 20_000

const booleanFlag = z
  .union([z.boolean(), z.literal(["true", "false", "1", "0"])])
  .transform((value) => value === true || value === "true" || value === "1")

export const SavePush = withLookups(
  z.object({ enabled: booleanFlag.optional(), service_account: shortText(MAX_FILE_LENGTH).min(1).optional() }),
  "service_account",
)

export type PushAccount = typeof pushAccounts.$inferSelect

/** Maps an account to its public settings, without keys. */
export const pushSettings = (site: string, account: PushAccount | undefined) => ({
  site,
  enabled: account?.enabled ?? false,
  project_id: account?.projectId ?? null,
  client_email: account?.clientEmail ?? null,
  configured_at: formatTimestamp(account?.configuredAt),
})
