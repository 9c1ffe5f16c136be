// API schemas of webhook deliveries.
import * as z from "zod"
import { pageQuery } from "../../core/http/pagination"
import { violates } from "../../core/http/validation"
import type { Locale } from "../../core/i18n/locale"
import { isEvent } from "../../core/write/event-types"
import type { RecordedAttempt } from "../../db/schema/central/webhooks"
import { formatTimestamp, SECOND } from "../../lib/time"
import { getErrorHint } from "../error-hints"
import { eventName } from "../fields"
import type { Delivery } from "../reserve"

export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "exhausted"] as const

const status = z.enum(DELIVERY_STATUSES)

export const ListDeliveries = z.object({
  ...pageQuery,
  status: status.optional(),
  event: eventName.refine(isEvent, violates("selected")).optional(),
  include: z.literal("payload").optional(),
})

export const ReadDelivery = z.object({ include: z.literal("payload").optional() })

const moment = z.string().nullable()

export const DeliveryResource = z
  .object({
    id: z.int(),
    endpoint_id: z.int(),
    event_id: z.string(),
    event: z.string(),
    tenant_id: z.string().nullable(),
    attempt: z.int(),
    status,
    response_status: z.int().nullable(),
    response_excerpt: z.string().nullable(),
    error: z.string().nullable(),
    error_hint: z.string().nullable(),
    next_attempt_at: moment,
    waiting_for: z.int().nullable(),
    delivered_at: moment,
    created_at: z.string(),
    updated_at: z.string(),
    payload: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "WebhookDelivery" })

/**
 * @param locale the language of the hint
 * @param payload the event's stored payload, if the response includes it
 */
export const deliveryResource = (
  row: Delivery & { waitingFor?: number | null },
  locale: Locale,
  payload?: string | null,
): z.input<typeof DeliveryResource> => ({
  id: row.id,
  endpoint_id: row.endpointId,
  event_id: row.eventId,
  event: row.event,
  tenant_id: row.storeId,
  attempt: row.attempt,
  status: row.status,
  response_status: row.responseStatus,
  response_excerpt: row.responseExcerpt,
  error: row.error,
  error_hint: getErrorHint(row.error, locale),
  // The time of one that waits for another is not known.
  next_attempt_at: row.waitingFor ? null : formatTimestamp(row.nextAttemptAt),
  waiting_for: row.waitingFor ?? null,
  delivered_at: formatTimestamp(row.deliveredAt),
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
  ...(payload && { payload: JSON.parse(payload) }),
})

export const AttemptResource = z
  .object({
    number: z.int(),
    kind: z.enum(["first", "retry", "manual"]),
    started_at: z.string(),
    duration_ms: z.int(),
    response_status: z.int().nullable(),
    error: z.string().nullable(),
    error_hint: z.string().nullable(),
    retry_after_seconds: z.int().nullable(),
  })
  .meta({ id: "WebhookAttempt" })

export const attemptResource = (row: RecordedAttempt, locale: Locale): z.input<typeof AttemptResource> => ({
  number: row.number,
  kind: row.kind,
  started_at: formatTimestamp(new Date(row.startedAt)),
  duration_ms: row.durationMs,
  response_status: row.responseStatus,
  error: row.error,
  error_hint: getErrorHint(row.error, locale),
  retry_after_seconds: row.retryAfterMs === undefined ? null : Math.ceil(row.retryAfterMs / SECOND),
})
