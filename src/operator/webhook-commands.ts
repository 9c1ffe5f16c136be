// CLI commands for outbound webhooks: deliveries, events, recovery and dead letters.
import * as z from "zod"
import { shortText, withLookups } from "../core/http/validation"
import { deadLetterResource, listDeadLetters, rerunDeadLetter } from "../core/queue/dead-letters"
import { TEST_EVENTS } from "../core/write/event-types"
import { diagnoseDeliveries } from "../platform/system/doctor"
import { deliveryResource } from "../webhooks/deliveries/schemas"
import { tailDeliveries } from "../webhooks/deliveries/service"
import { listSubscribedEndpoints, readEndpoint } from "../webhooks/endpoints/list"
import { testEndpoint } from "../webhooks/endpoints/service"
import { encodeCursor } from "../webhooks/events/cursor"
import { ListEvents } from "../webhooks/events/schemas"
import { readFeed } from "../webhooks/events/service"
import { isReceiving } from "../webhooks/receiving-condition"
import { RecoverEndpoint, recoveryResource } from "../webhooks/recovery/schemas"
import { recoverEndpoint } from "../webhooks/recovery/service"
import { rehomeEndpoint } from "../webhooks/rehoming/service"
import { DEFAULT_LIMIT, runSweep } from "../webhooks/sweep/sweep"
import { type Command, command } from "./command"

const Deliver = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(DEFAULT_LIMIT)
    .describe("Maximum number of deliveries to enqueue"),
  endpoint: z.coerce.number().int().positive().optional().describe("Only deliveries to this endpoint ID"),
})

const endpoint = z.coerce.number().int().positive().describe("Endpoint ID")

export const webhookCommands: Record<string, Command> = {
  "dead-letters:list": command("List queue messages that failed permanently", z.object({}), async (ctx) =>
    (await listDeadLetters(ctx)).map(deadLetterResource),
  ),
  "dead-letters:run": command(
    "Retry a queue message that failed permanently",
    z.object({ id: z.coerce.number().int().positive().describe("Dead letter ID") }),
    async (ctx, { id }) => deadLetterResource(await rerunDeadLetter(ctx, id)),
  ),
  "tenancy:webhooks-deliver": command(
    "Send due webhook deliveries now instead of waiting for the next minute",
    Deliver,
    runSweep,
  ),
  "events:list": command("List events from the event log", ListEvents, async (ctx, input) => {
    const feed = await readFeed(ctx, input)
    const events = feed.payloads.map((payload) => ({ id: JSON.parse(payload).id as string, payload }))
    return { events, next_cursor: encodeCursor(feed.next), has_more: feed.hasMore }
  }),
  trigger: command(
    "Send a test event: trigger <event>",
    z.object({
      event: z.enum(TEST_EVENTS).describe("Event type"),
      endpoint: endpoint.optional().describe("Only send to this endpoint ID; all subscribed endpoints by default"),
    }),
    async (ctx, input) => {
      const ids = input.endpoint === undefined ? await listSubscribedEndpoints(ctx, input.event) : [input.endpoint]
      const sent = []
      // lint: each delivery is attempted
      for (const id of ids) sent.push(await testEndpoint(ctx, id, input.event))
      return sent.map((delivery) => ({
        delivery: delivery.id,
        endpoint: delivery.endpointId,
        status: delivery.status,
        response_status: delivery.responseStatus,
        error: delivery.error,
      }))
    },
  ),
  "delivery:doctor": command(
    "Show which deliveries are late, since when and why, and what to do",
    z.object({
      endpoint: endpoint.optional().describe("Only deliveries to this endpoint ID"),
      store: z.string().min(1).max(63).optional().describe("Only events of this store ID"),
    }),
    diagnoseDeliveries,
  ),
  "deliveries:tail": command(
    "Tail deliveries as they are created and updated",
    z.object({
      endpoint: endpoint.optional().describe("Only deliveries to this endpoint ID"),
      after: z.coerce
        .string()
        .max(500)
        .regex(/^\d{1,16}(,\d{1,16})*$/)
        .optional()
        .describe("Only deliveries with a higher ID; `last` of the previous response"),
      open: z.string().max(2_000).optional().describe("Comma-separated IDs of earlier deliveries to include"),
    }),
    async (ctx, input) => {
      const { endpoint: id, after } = input
      const open = (input.open ?? "").split(",").map(Number).filter(Number.isSafeInteger)
      const { deliveries, last } = await tailDeliveries(ctx, {
        ...(id !== undefined && { endpoint: id }),
        ...(after !== undefined && { after: after.split(",").map(Number) }),
        open,
      })
      return { deliveries: deliveries.map((delivery) => deliveryResource(delivery, "en")), last: last.join(",") }
    },
  ),
  "endpoints:rehome": command(
    "Move an endpoint's deliveries to another delivery database, or show how far it is; it is paused while they are copied",
    withLookups(z.object({ id: endpoint, to: shortText(63).describe("Binding of the delivery database") }), "to"),
    async (ctx, input) => rehomeEndpoint(ctx, input.require("id"), input),
  ),
  "webhooks:recover": command(
    "Resend failed or missed events to an endpoint, in order",
    z.object({
      endpoint,
      since: RecoverEndpoint.shape.since.describe("Start of the time range, such as 2026-09-02T10:15:00Z"),
      until: RecoverEndpoint.shape.until.describe("End of the time range; now by default"),
      events: z
        .string()
        .max(2_000)
        .transform((text) => text.split(",").map((name) => name.trim()))
        .pipe(RecoverEndpoint.shape.events.unwrap().unwrap())
        .optional()
        .describe("Comma-separated event types; all by default"),
      mode: RecoverEndpoint.shape.mode.default("all").describe("Events to resend"),
    }),
    async (ctx, { endpoint: id, ...params }) => ({ queued: await recoverEndpoint(ctx, id, params) }),
  ),
  "webhooks:progress": command(
    "Show the progress of an endpoint's latest recovery",
    z.object({ endpoint }),
    async (ctx, input) => {
      const found = await readEndpoint(ctx, input.endpoint)
      return found.recovery && { ...recoveryResource(found.recovery), is_receiving: isReceiving(found) }
    },
  ),
}
