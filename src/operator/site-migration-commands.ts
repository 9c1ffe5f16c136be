// Commands about moving stores between site databases.
import * as z from "zod"
import { shortText } from "../core/http/validation"
import { timestamp } from "../lib/time"
import { beginMove, cancelMove, listMoves, type StoreMove } from "../platform/site-migration/service"
import { type Command, command } from "./command"

const site = shortText(63).describe("a store's id")

const moveResource = ({ storeId, source, target, phase, emptied, createdAt }: StoreMove) => ({
  site: storeId,
  from: source,
  to: target,
  state: phase === "copying" ? "copying" : emptied === source ? "moved" : "cancelled",
  begun_at: timestamp(createdAt),
})

export const moveCommands: Record<string, Command> = {
  "site-moves:create": command(
    "Move a store to another site database; it takes no writes while it is copied",
    z.object({ site, to: shortText(63).describe("the binding of the site database") }),
    async (ctx, { site: id, to }) => moveResource(await beginMove(ctx, id, to)),
  ),
  "site-moves:cancel": command(
    "Leave a store where it is, and remove what was copied of it",
    z.object({ site }),
    async (ctx, { site: id }) => moveResource(await cancelMove(ctx, id)),
  ),
  "site-moves:list": command("List the moves of which something is left to do", z.object({}), async (ctx) =>
    (await listMoves(ctx)).map(({ copied, compared, tables, ...move }) => ({
      ...moveResource(move),
      tables_copied: copied,
      tables_compared: compared,
      tables,
    })),
  ),
}
