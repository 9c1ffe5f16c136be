// CLI commands for the backups of stores.
import * as z from "zod"
import { shortText } from "../core/http/validation"
import type { StoreBackup } from "../db/schema/central/backups"
import { formatTimestamp } from "../lib/time"
import { listBackups, startBackup } from "../platform/backups/service"
import { type Command, command } from "./command"

const store = shortText(63).describe("Store ID")

/** The state of each phase. */
const STATES = { files: "running", rows: "running", done: "done", failed: "failed" } as const

const backupResource = (backup: StoreBackup) => ({
  id: backup.id,
  store: backup.storeId,
  state: STATES[backup.phase],
  rows: backup.rows,
  files: backup.files,
  bytes: backup.bytes,
  error: backup.error,
  created_at: formatTimestamp(backup.createdAt),
  completed_at: formatTimestamp(backup.completedAt),
  store_deleted_at: formatTimestamp(backup.storeDeletedAt),
})

export const backupCommands: Record<string, Command> = {
  "stores:export": command(
    "Back up a store's rows and files; its writes are refused while its rows are copied",
    z.object({ store }),
    async (ctx, input) => backupResource(await startBackup(ctx, input.store)),
  ),
  "backups:list": command(
    "List a store's backups, newest first, also those of a deleted store",
    z.object({ store }),
    async (ctx, input) => (await listBackups(ctx, input.store)).map(backupResource),
  ),
}
