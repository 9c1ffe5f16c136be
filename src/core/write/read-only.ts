// Creates contexts that cannot change the central database.
import { requestCentralDatabase } from "../../db/client"
import { deferWritesUntil } from "../../db/deferred-writes"
import type { Ctx } from "../context"

/** Returns a context that refuses every write to the central database, for pages that show what a form would do. */
export function withoutWrites(ctx: Ctx): Ctx {
  const db = requestCentralDatabase(ctx.env)
  deferWritesUntil(db, Promise.reject(new Error("A read-only context must not write")))
  return { ...ctx, db, isDryRun: true }
}
