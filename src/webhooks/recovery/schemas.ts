// API schemas of recoveries.
import * as z from "zod"
import { isTimestamp, violates } from "../../core/http/validation"
import { isSubscription } from "../../core/write/event-types"
import type { Recovery } from "../../db/schema/central/webhooks"
import { formatTimestamp } from "../../lib/time"
import { subscription } from "../fields"

const moment = z
  .string()
  .max(40)
  .pipe(z.iso.datetime({ offset: true }).refine(isTimestamp, violates("date")))
  .transform((text) => new Date(text))

export const RecoverEndpoint = z.object({
  since: moment,
  until: moment.nullish(),
  events: z
    .array(subscription)
    .min(1)
    .max(100)
    .refine((names) => names.every(isSubscription), violates("selected"))
    .nullish(),
  mode: z.enum(["failed", "missed", "all"]),
})

export const RecoveryResource = z
  .object({ queued: z.int(), done: z.int(), failed: z.int(), since: z.string(), until: z.string() })
  .meta({ id: "WebhookRecovery" })

export const recoveryResource = (recovery: Recovery): z.input<typeof RecoveryResource> => ({
  queued: recovery.queued,
  done: recovery.done,
  failed: recovery.failed,
  since: formatTimestamp(new Date(recovery.since)),
  until: formatTimestamp(new Date(recovery.until)),
})
