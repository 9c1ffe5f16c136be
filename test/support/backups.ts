// Runs backups of stores like the queue and the cron do, and reads what they store.
import { env } from "cloudflare:workers"
import { isTransient } from "../../src/db/errors"
import { runRestore } from "../../src/platform/backups/restore-steps"
import { runBackup } from "../../src/platform/backups/service"
import { run, sendOperatorCommand } from "./app"
import { type Fault, failRoundTrips } from "./faults"
import { rows } from "./rows"

/** Runs all steps of a store's running backup. */
export async function finishBackup(store: string): Promise<void> {
  for (let step = 0; step < 50; step++) {
    const [backup] = await rows("select id from store_backups where store_id = ? and due_at is not null", store)
    if (!backup) return
    await env.DB.exec("delete from locks")
    await run((ctx) => runBackup(ctx, store, String(backup.id)))
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

/** Starts a restore and runs all its steps. */
export async function restore(input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { status, body } = await sendOperatorCommand("stores:restore", input)
  if (status !== 200) throw new Error(JSON.stringify(body))
  await finishRestore(body.data.store)
  return (await sendOperatorCommand("restores:list", { store: body.data.store })).body.data[0]
}

/**
 * Runs all steps of a store's running restore.
 * @param decide makes round trips of the steps fail
 */
export async function finishRestore(
  store: string,
  decide: (statements: string[]) => Fault = () => null,
): Promise<void> {
  for (let step = 0; step < 80; step++) {
    const [row] = await rows("select id from store_restores where store_id = ? and due_at is not null", store)
    if (!row) return
    await env.DB.exec("delete from locks")
    const faults = failRoundTrips(decide)
    await run((ctx) => runRestore(ctx, store, String(row.id))).catch((cause) => {
      if (!isTransient(cause)) throw cause
    })
    faults.mockRestore()
  }
  throw new Error("the restore does not end")
}
