// API schemas of the event feed. An event is exactly the payload that its webhooks carry.
import * as z from "zod"
import { commaList, violates } from "../../core/http/validation"
import { isSubscription } from "../../core/write/event-types"
import { DeliveryResource } from "../deliveries/schemas"
import { subscription } from "../fields"
import { parsePosition } from "./cursor"

const types = commaList(subscription, { min: 1, max: 100 }).refine(
  (names) => names.every(isSubscription),
  violates("selected"),
)

const after = z
  .string()
  .max(64)
  .transform((text) => parsePosition(text))
  .refine((position) => position !== null, violates("cursor"))
  .meta({ pattern: "^(now|ev1_(0|[1-9a-z][0-9a-z]{0,9})|[0-9A-HJKMNP-TV-Z]{26})$" })

const limit = z
  .string()
  .refine((value) => /^\d{1,9}$/.test(value), { ...violates("integer"), abort: true })
  .transform(Number)

export const ListEvents = z.object({
  after: after.optional(),
  order: z.enum(["asc", "desc"]).default("asc"),
  types: types.optional(),
  store: z.string().min(1).max(63).optional(),
  limit: limit.pipe(z.number().min(1).max(100)).default(30),
  wait: limit.pipe(z.number().min(0).max(25)).default(0),
})

export const EventResource = z
  .object({
    id: z.string(),
    type: z.string(),
    created_at: z.string(),
    api_version: z.string(),
    data: z.record(z.string(), z.unknown()),
    meta: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "Event" })

export const FeedResponse = z.object({
  data: z.array(EventResource),
  meta: z.object({ next_cursor: z.string(), has_more: z.boolean() }),
})

export const EventResponse = z.object({
  data: EventResource,
  meta: z.object({ deliveries: z.array(DeliveryResource) }),
})
