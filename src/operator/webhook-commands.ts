// Operator commands of outbound webhooks.
import * as z from "zod"
import { deadLetterResource, listDeadLetters, rerunDeadLetter } from "../core/queue/dead-letters"
import { TEST_EVENTS } from "../core/write/event-types"
import { deliveryResource } from "../webhooks/deliveries/schemas"
import { tailDeliveries } from "../webhooks/deliveries/service"
import { listeners, readEndpoint, testEndpoint } from "../webhooks/endpoints/service"
import { cursorOf } from "../webhooks/events/cursor"
import { FollowEvents } from "../webhooks/events/schemas"
import { readFeed } from "../webhooks/events/service"
import { RecoverEndpoint, recoveryResource } from "../webhooks/recovery/schemas"
import { recoverEndpoint } from "../webhooks/recovery/service"
import { DEFAULT_LIMIT, sweep } from "../webhooks/sweep/sweep"
import { type Command, command } from "./command"

const Deliver = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(DEFAULT_LIMIT).describe("deliveries to hand on at most"),
  endpoint: z.coerce.number().int().positive().optional().describe("only those of the endpoint with this id"),
})

const endpoint = z.coerce.number().int().positive()

export const webhookCommands: Record<string, Command> = {
  "dead-letters:list": command("List the queue messages that were given up", z.object({}), async (ctx) =>
    (await listDeadLetters(ctx)).map(deadLetterResource),
  ),
  "dead-letters:run": command(
    "Send a message that was given up once more",
    z.object({ id: z.coerce.number().int().positive() }),
    async (ctx, { id }) => deadLetterResource(await rerunDeadLetter(ctx, id)),
  ),
  "tenancy:webhooks-deliver": command(
    "Have the webhook deliveries that are due attempted, as the cron run of every minute does",
    Deliver,
    sweep,
  ),
  "events:list": command("Read the log of events", FollowEvents, async (ctx, input) => {
    const feed = await readFeed(ctx, input)
    const events = feed.payloads.map((payload) => ({ id: JSON.parse(payload).id as string, payload }))
    return { events, next_cursor: cursorOf(feed.next), has_more: feed.hasMore }
  }),
  trigger: command(
    "Send an example of an event: trigger <event>",
    z.object({
      event: z.enum(TEST_EVENTS).describe("which"),
      endpoint: endpoint.optional().describe("to the endpoint with this id; otherwise to all that listen to it"),
    }),
    async (ctx, input) => {
      const ids = input.endpoint === undefined ? await listeners(ctx, input.event) : [input.endpoint]
      const sent = []
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
  "deliveries:tail": command(
    "Watch deliveries as they are opened and as they change",
    z.object({
      endpoint: endpoint.optional().describe("only those of the endpoint with this id"),
      after: z.coerce.number().int().min(0).optional().describe("only those with a higher id"),
      open: z.string().max(2_000).optional().describe("and those with these ids"),
    }),
    async (ctx, input) => {
      const open = (input.open ?? "").split(",").map(Number).filter(Number.isSafeInteger)
      const { deliveries, last } = await tailDeliveries(ctx, { ...input, open })
      return { deliveries: deliveries.map((delivery) => deliveryResource(delivery)), last }
    },
  ),
  "webhooks:recover": command(
    "Send an endpoint what failed or what it missed, in the order of the events",
    z.object({
      endpoint,
      since: RecoverEndpoint.shape.since.describe("from when on, such as 2026-09-02T10:15:00Z"),
      until: RecoverEndpoint.shape.until.describe("until when; now unless said otherwise"),
      events: z
        .string()
        .max(2_000)
        .transform((text) => text.split(",").map((name) => name.trim()))
        .pipe(RecoverEndpoint.shape.events.unwrap().unwrap())
        .optional()
        .describe("which, comma separated"),
      mode: RecoverEndpoint.shape.mode.default("all").describe("failed, missed or all"),
    }),
    async (ctx, { endpoint: id, ...span }) => ({ queued: await recoverEndpoint(ctx, id, span) }),
  ),
  "webhooks:progress": command(
    "Say how far the last recovery of an endpoint is",
    z.object({ endpoint }),
    async (ctx, input) => {
      const { recovery } = await readEndpoint(ctx, input.endpoint)
      return recovery && recoveryResource(recovery)
    },
  ),
}
