// CLI commands for the archives of logs.
import * as z from "zod"
import { type VerifyPosition, verifyArchive } from "../core/archive/verify"
import type { Ctx } from "../core/context"
import type { ArchivedLog } from "../db/schema/central/archives"
import { ExportEvents, exportEvents } from "../webhooks/events/export"
import { type Command, command } from "./command"

/** The `next` of a page: shard, number, verified objects and entries. */
const verifyPosition = z
  .string()
  .regex(/^[0-9a-z]{1,8}(-\d{1,15}){3}$/)
  .transform((text): VerifyPosition => {
    const [shard = "", ...numbers] = text.split("-")
    const [number = 0, objects = 0, entries = 0] = numbers.map(Number)
    return { shard, number, objects, entries }
  })
  .optional()
  .describe("Where to continue; the command line does so by itself")

const formatPosition = ({ shard, number, objects, entries }: VerifyPosition): string =>
  [shard, number, objects, entries].join("-")

async function verify(ctx: Ctx, log: ArchivedLog, after: VerifyPosition | undefined) {
  const { problems, position, isLast } = await verifyArchive(ctx, log, after ?? null)
  return {
    log,
    objects: position.objects,
    entries: position.entries,
    problems,
    next: isLast ? null : formatPosition(position),
  }
}

export const archiveCommands: Record<string, Command> = {
  "audit:verify": command(
    "Verify the archive of the audit log; names every object that was changed, removed or exchanged",
    z.object({ after: verifyPosition }),
    (ctx, { after }) => verify(ctx, "audit", after),
  ),
  "events:verify": command(
    "Verify the archive of events, like audit:verify",
    z.object({ after: verifyPosition }),
    (ctx, { after }) => verify(ctx, "events", after),
  ),
  "events:export": command(
    "Print events as lines of JSON, in commit order, from the archive and the database",
    ExportEvents,
    exportEvents,
  ),
}
