// Operator commands of outbound webhooks.
import * as z from "zod"
import { DEFAULT_LIMIT, sweep } from "../webhooks/sweep/sweep"
import { type Command, command } from "./command"

const Deliver = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(DEFAULT_LIMIT).describe("deliveries to attempt at most"),
  endpoint: z.coerce.number().int().positive().optional().describe("only those of the endpoint with this id"),
})

export const webhookCommands: Record<string, Command> = {
  "tenancy:webhooks-deliver": command(
    "Attempt the webhook deliveries that are due, as the cron run of every minute does",
    Deliver,
    sweep,
  ),
}
