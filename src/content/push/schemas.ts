// A site's account at the push provider, as an operator gives it and sees it.
import * as z from "zod"
import { shortText } from "../../core/http/validation"
import type { pushAccounts } from "../../db/schema/sites/push"
import { timestamp } from "../../lib/time"

/** Characters of a service-account file; real ones have about 2 400. */
const LONGEST_FILE = 20_000

const flag = z
  .union([z.boolean(), z.literal(["true", "false", "1", "0"])])
  .transform((value) => value === true || value === "true" || value === "1")

export const SavePush = z.object({
  enabled: flag.optional(),
  service_account: shortText(LONGEST_FILE).min(1).optional(),
})

export type PushAccount = typeof pushAccounts.$inferSelect

/** What may be shown of it: never a key. */
export const pushSettings = (site: string, account: PushAccount | undefined) => ({
  site,
  enabled: account?.enabled ?? false,
  project_id: account?.projectId ?? null,
  client_email: account?.clientEmail ?? null,
  configured_at: timestamp(account?.configuredAt),
})
