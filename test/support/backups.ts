// Runs backups of stores like the queue and the cron do, and reads what they store.
import { env } from "cloudflare:workers"
import { runBackup } from "../../src/platform/backups/service"
import { run, sendOperatorCommand } from "./app"
import { rows } from "./rows"

/** Runs all steps of a store's running backup. */
export async function finishBackup(store: string): Promise<void> {
  for (let step = 0; step < 50; step++) {
    const [backup] = await rows("select id from store_backups where store_id = ? and due_at is not null", store)
    if (!backup) return
    await env.DB.exec("delete from locks")
    await run((ctx) => runBackup(ctx, store, { backup: String(backup.id) }))
  }
  throw new Error("the backup does not end")
}

/** Backs up a store and returns the id of the backup. */
export async function makeBackup(store: string): Promise<string> {
  const { body } = await sendOperatorCommand("stores:export", { store })
  await finishBackup(store)
  return body.data.id
}

/** Lists the keys in the bucket of backups. */
export const listBackupKeys = async (prefix = ""): Promise<string[]> =>
  (await env.BACKUPS.list({ prefix })).objects.map(({ key }) => key)
