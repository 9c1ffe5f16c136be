// Operator commands of outbound webhooks.
import * as z from "zod"
import { deadLetterResource, listDeadLetters, rerunDeadLetter } from "../core/dead-letters"
import { DEFAULT_LIMIT, sweep } from "../webhooks/sweep/sweep"
import { type Command, command } from "./command"

const Deliver = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(DEFAULT_LIMIT).describe("deliveries to hand on at most"),
  endpoint: z.coerce.number().int().positive().optional().describe("only those of the endpoint with this id"),
})

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
}
