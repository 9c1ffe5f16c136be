// Creates contexts that cannot change a database, for pages that show what a form would do.
import { bookmarkedSiteDatabase, requestCentralDatabase, type SiteDatabase } from "../../db/client"
import { deferWritesUntil } from "../../db/deferred-writes"
import type { Ctx } from "../context"

const refused = () => Promise.reject(new Error("A read-only context must not write"))

/** Returns a context that refuses every write to the central database. */
export function withoutWrites<C extends Ctx>(ctx: C): C {
  const db = requestCentralDatabase(ctx.env)
  deferWritesUntil(db, refused())
  return { ...ctx, db, isDryRun: true }
}

/** Returns a context that refuses every write to the central database and to that of its site. */
export function withoutSiteWrites<C extends Ctx & { site: { id: string; database: string; db: SiteDatabase } }>(
  ctx: C,
): C {
  const { db } = bookmarkedSiteDatabase(ctx.env, ctx.site.database, ctx.site.id)
  deferWritesUntil(db, refused())
  return { ...withoutWrites(ctx), site: { ...ctx.site, db } }
}
