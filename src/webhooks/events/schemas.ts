// The feed of events as the API takes and shows it. An event is the very text that its webhooks carry.
import * as z from "zod"
import { fault } from "../../core/validation"
import { isSubscription } from "../catalogue"
import { DeliveryResource } from "../deliveries/schemas"
import { readPosition } from "./cursor"

/** Characters of a list of event names: more than all of them take. */
const LONGEST_TYPES = 2_000

const types = z
  .string()
  .max(LONGEST_TYPES)
  .transform((text) => text.split(",").map((name) => name.trim()))
  .refine((names) => names.every(isSubscription), fault("selected"))

const after = z
  .string()
  .max(64)
  .transform((text) => readPosition(text))
  .refine((position) => position !== null, fault("selected"))

const limit = z
  .string()
  .refine((value) => /^\d{1,9}$/.test(value), { ...fault("integer"), abort: true })
  .transform(Number)

export const FollowEvents = z.object({
  after: after.optional(),
  types: types.optional(),
  store: z.string().min(1).max(63).optional(),
  limit: limit.pipe(z.number().min(1).max(100)).default(30),
  wait: limit.pipe(z.number().min(0).max(25)).default(0),
})

const EventResource = z
  .object({
    id: z.string(),
    type: z.string(),
    created_at: z.string(),
    api_version: z.string(),
    data: z.record(z.string(), z.unknown()),
    meta: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "Event" })

export const FeedAnswer = z.object({
  data: z.array(EventResource),
  meta: z.object({ next_cursor: z.string(), has_more: z.boolean() }),
})

export const EventAnswer = z.object({
  data: EventResource,
  meta: z.object({ deliveries: z.array(DeliveryResource) }),
})
