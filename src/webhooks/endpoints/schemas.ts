// API schemas of webhook endpoints; the signing secret is never part of the resource.

import * as z from "zod"
import { pageQuery } from "../../core/http/pagination"
import { listOf, queryText, shortText, text, timestampInput, violates, withLookups } from "../../core/http/validation"
import { isSubscription, TEST_EVENTS } from "../../core/write/event-types"
import { DISABLED_REASONS, FILTER_OPS, PAYLOAD_FORMATS } from "../../db/schema/central/webhooks"
import { currentMs } from "../../lib/clock"
import type { Complete, PublishedColumns } from "../../lib/every-field"
import { formatTimestamp } from "../../lib/time"
import { subscription } from "../fields"
import { type Endpoint, isReceiving } from "../receiving-condition"
import { RecoveryResource, recoveryResource } from "../recovery/schemas"
import { filter } from "./filter"
import { headers, maskHeaders } from "./headers"

const url = shortText(2048).min(1).meta({ format: "uri", pattern: "^https://[^\\s\\\\]+$" })
const events = listOf(subscription, { min: 1, max: 100 })
  .refine((names) => names.every(isSubscription), violates("selected"))
  .refine((names) => new Set(names).size === names.length, violates("duplicate"))
/** A blank description is stored as null. */
const description = z.preprocess(
  (value) => (typeof value === "string" && value.trim() === "" ? null : value),
  text({ max: 255 }).nullish(),
)

/** Filter: only events of these stores are sent; null removes the filter. */
const stores = z
  .array(z.string().min(1).max(63))
  .min(1)
  .max(100)
  .refine((ids) => new Set(ids).size === ids.length, violates("duplicate"))
  .nullish()

/** The payload format of events; null restores the default. */
const payload = z
  .enum(PAYLOAD_FORMATS)
  .nullish()
  .transform((format) => (format === null ? "full" : format))

/** Attempts per second; null for no limit. */
const maxPerSecond = z.int().min(1).max(1_000).nullish()

/** An option that is off by default; null restores that. */
const offByDefault = () =>
  z
    .boolean()
    .nullish()
    .transform((value) => (value === null ? false : value))

/** Whether the events of each store are delivered one after another. */
const ordered = offByDefault()

/** Whether events are sent again that the receiver reports to lack. */
const reconcile = offByDefault()

/** Fields that select and shape what is sent. */
const options = { stores, filter, payload, headers, max_per_second: maxPerSecond, ordered, reconcile }

export const CreateEndpoint = withLookups(z.object({ url, events, description, ...options }), "url", "stores")

export const UpdateEndpoint = withLookups(
  z.object({
    url: url.optional(),
    events: events.optional(),
    description,
    ...options,
    is_active: z.boolean().optional(),
  }),
  "url",
  "stores",
)

/** An endpoint of a store, which only gets the events of that store. */
export const CreateStoreEndpoint = withLookups(CreateEndpoint.omit({ stores: true }), "url")

export const UpdateStoreEndpoint = withLookups(UpdateEndpoint.omit({ stores: true }), "url")

/** `grace_seconds`: seconds for which the old secret still signs next to the new one; 0 by default. */
export const RotateSecret = z.object({ grace_seconds: z.int().min(0).max(86_400).nullish() })

/** `event`: the example to send; a ping by default. */
export const TestEndpoint = z.object({ event: z.enum(TEST_EVENTS).nullish() })

/** The list of a store's own endpoints. */
export const ListStoreEndpoints = z.object({ ...pageQuery, updated_since: timestampInput.optional() })

/** `store_id`: only endpoints that the staff of this store created. */
export const ListEndpoints = ListStoreEndpoints.extend({ store_id: queryText })

const moment = z.string().nullable()

const filterValue = z.union([z.string(), z.number(), z.boolean()])

/** Columns that the resource does not contain. */
type InternalColumn =
  | "storeSeq"
  | "lockedAt"
  | "storeSeqs"
  | "payloadFormat"
  | "secret"
  | "previousSecret"
  | "previousSecretUntil"
  | "noticedAt"
  | "failureSeq"
  | "failureLevel"
  | "receiverSeq"
  | "gapSeq"
  | "behindNoticedAt"
  | "reconciledAt"
  | "laneUntil"
  | "createdAtSeq"
  | "database"
  | "deletedAt"
  | "version"

export const FilterResource = z
  .object({
    path: z.string(),
    op: z.enum(FILTER_OPS),
    value: z.union([filterValue, z.array(filterValue)]).optional(),
  })
  .meta({ id: "WebhookFilterCondition" })

export const EndpointResource = z
  .object({
    id: z.int(),
    store_id: z.string().nullable(),
    url: z.string(),
    events: z.array(z.string()),
    description: z.string().nullable(),
    stores: z.array(z.string()).nullable(),
    filter: z.array(FilterResource).nullable(),
    payload: z.enum(PAYLOAD_FORMATS),
    headers: z.record(z.string(), z.string()).nullable(),
    max_per_second: z.int().nullable(),
    ordered: z.boolean(),
    reconcile: z.boolean(),
    receiver_cursor: z.string().nullable(),
    behind_since: moment,
    is_active: z.boolean(),
    is_receiving: z.boolean(),
    consecutive_failures: z.int(),
    disabled_at: moment,
    disabled_reason: z.enum(DISABLED_REASONS).nullable(),
    last_success_at: moment,
    last_failure_at: moment,
    previous_secret_valid_until: moment,
    recovery: RecoveryResource.nullable(),
    created_by_name: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  } satisfies PublishedColumns<Endpoint, InternalColumn>)
  .meta({ id: "WebhookEndpoint" })

export const endpointResource = (
  row: Endpoint & { lastSuccessAt: Date | null },
): Complete<z.input<typeof EndpointResource>> => ({
  id: row.id,
  store_id: row.storeId,
  url: row.url,
  events: row.events,
  description: row.description,
  stores: row.stores,
  filter: row.filter,
  payload: row.payloadFormat,
  headers: maskHeaders(row.headers),
  max_per_second: row.maxPerSecond,
  ordered: row.ordered,
  reconcile: row.reconcile,
  receiver_cursor: row.receiverCursor,
  behind_since: formatTimestamp(row.behindSince),
  is_active: row.isActive,
  is_receiving: isReceiving(row),
  consecutive_failures: row.consecutiveFailures,
  disabled_at: formatTimestamp(row.disabledAt),
  disabled_reason: row.disabledAt && (row.disabledReason ?? "failures"),
  last_success_at: formatTimestamp(row.lastSuccessAt),
  last_failure_at: formatTimestamp(row.lastFailureAt),
  previous_secret_valid_until: formatTimestamp(getPreviousSecretExpiry(row)),
  recovery: row.recovery && recoveryResource(row.recovery),
  created_by_name: row.createdByName,
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
})

/** Returns when the previous secret stops signing; null if it no longer signs. */
const getPreviousSecretExpiry = ({ previousSecretUntil }: Endpoint): Date | null =>
  previousSecretUntil && previousSecretUntil.getTime() > currentMs() ? previousSecretUntil : null
