// CLI commands for the backups of stores.
import * as z from "zod"
import { shortText } from "../core/http/validation"
import type { StoreBackup, StoreRestore } from "../db/schema/central/backups"
import { formatTimestamp } from "../lib/time"
import { listRestores, startRestore } from "../platform/backups/restore"
import { listBackups, startBackup } from "../platform/backups/service"
import { subdomain } from "../platform/stores/schemas"
import { type Command, command, flag } from "./command"

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

const restoreResource = (restore: StoreRestore) => ({
  id: restore.id,
  backup: restore.backupId,
  store: restore.storeId,
  dry_run: restore.isDryRun,
  state: restore.phase,
  differences: restore.differences,
  error: restore.error,
  created_at: formatTimestamp(restore.createdAt),
  completed_at: formatTimestamp(restore.completedAt),
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
  "stores:restore": command(
    "Restore a store from a backup: in place, or as a new store with --to",
    z.object({
      store: store.describe("ID of the store that was backed up"),
      at: shortText(40).optional().describe("Backup ID, or the time up to which to take the newest one"),
      to: subdomain.optional().describe("ID of the new store"),
      "dry-run": flag.optional().describe("Only list the differences (restores:list shows them)"),
    }),
    async (ctx, { "dry-run": dryRun = false, ...input }) =>
      restoreResource(await startRestore(ctx, { ...input, dryRun })),
  ),
  "restores:list": command(
    "List the restores of a store, newest first, with their progress and differences",
    z.object({ store: store.describe("ID of the restored store") }),
    async (ctx, input) => (await listRestores(ctx, input.store)).map(restoreResource),
  ),
}
