// CLI commands for migrating stores between site databases.
import * as z from "zod"
import { shortText, withLookups } from "../core/http/validation"
import { formatTimestamp } from "../lib/time"
import {
  cancelSiteMigration,
  listSiteMigrations,
  type SiteMigration,
  startSiteMigration,
} from "../platform/site-migration/service"
import { type Command, command } from "./command"

const site = shortText(63).describe("Store ID")

const siteMoveResource = ({ storeId, source, target, phase, emptied, createdAt }: SiteMigration) => ({
  site: storeId,
  from: source,
  to: target,
  state: phase === "copying" ? "copying" : emptied === source ? "moved" : "cancelled",
  begun_at: formatTimestamp(createdAt),
})

export const siteMigrationCommands: Record<string, Command> = {
  "site-moves:create": command(
    "Move a store to another site database; the store is read-only while it is copied",
    withLookups(z.object({ site, to: shortText(63).describe("Binding of the target site database") }), "to"),
    async (ctx, input) => siteMoveResource(await startSiteMigration(ctx, input.require("site"), input)),
  ),
  "site-moves:cancel": command(
    "Cancel a store's move and delete the copied data",
    z.object({ site }),
    async (ctx, { site: id }) => siteMoveResource(await cancelSiteMigration(ctx, id)),
  ),
  "site-moves:list": command("List unfinished moves", z.object({}), async (ctx) =>
    (await listSiteMigrations(ctx)).map(({ copied, compared, tables, ...move }) => ({
      ...siteMoveResource(move),
      tables_copied: copied,
      tables_compared: compared,
      tables,
    })),
  ),
}
