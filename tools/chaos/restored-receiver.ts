// A receiver of webhooks that is restored from a backup, and reports the newest event that it still has with
// `webhook-cursor`.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Inbox, Receiver } from "./receiver.ts"

const HOUR_MS = 3_600_000

export interface RestoredReceiver {
  url: string
  inbox: Inbox
  /** The number of events that the receiver lost when it was restored; 0 before. */
  lostCount(): number
  /**
   * Restores the receiver to an hour ago: it loses the newer half of its events. The platform must not run, because its
   * clock is advanced by making everything that it delivered an hour older.
   * @param stateDirectory data directory of `wrangler dev`
   */
  restoreBackup(stateDirectory: string): void
}

/** Opens the path of the receiver. */
export function openRestoredReceiver(receiver: Receiver): RestoredReceiver {
  let lost = 0
  const newest = (): string | undefined => [...inbox.receivedCounts.keys()].sort().at(-1)
  const { url, inbox } = receiver.open("/restored", () => 200, newest)
  return {
    url,
    inbox,
    lostCount: () => lost,
    restoreBackup(stateDirectory) {
      const ids = [...inbox.receivedCounts.keys()].sort()
      for (const id of ids.slice(ids.length / 2)) {
        inbox.receivedCounts.delete(id)
        lost += 1
      }
      for (const file of listDatabases(stateDirectory)) {
        const database = new DatabaseSync(file)
        const table = database.prepare("select 1 from sqlite_master where name = 'webhook_deliveries'").get()
        if (table)
          database.exec(
            `update webhook_deliveries set delivered_at = delivered_at - ${HOUR_MS} where delivered_at is not null`,
          )
        database.close()
      }
    },
  }
}

/** Lists the files of the local D1 databases. */
function listDatabases(stateDirectory: string): string[] {
  const directory = join(stateDirectory, "v3", "d1")
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sqlite") && !name.includes("metadata"))
    .map((name) => join(directory, name))
}
