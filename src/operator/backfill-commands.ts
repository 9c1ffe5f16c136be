// CLI commands for backfills.
import * as z from "zod"
import { BACKFILLS, listBackfills, runBackfill } from "../platform/backfills/service"
import { type Command, command } from "./command"

export const backfillCommands: Record<string, Command> = {
  "backfill:run": command(
    "Run or resume a backfill, which changes existing rows in small steps",
    z.object({
      name: z.enum(Object.keys(BACKFILLS)).describe("Backfill"),
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(20_000)
        .default(2_000)
        .describe("Maximum number of rows to check per request"),
    }),
    (ctx, { name, limit }) => runBackfill(ctx, name, limit),
  ),
  "backfill:list": command("List the backfills and their progress", z.object({}), async (ctx) =>
    (await listBackfills(ctx)).map(({ progress, ...backfill }) => ({ ...backfill, ...progress })),
  ),
}
