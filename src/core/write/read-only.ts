// Creates contexts that cannot change a database, for pages that show what a form would do.
import { bookmarkedSiteDatabase, requestCentralDatabase, type SiteDatabase } from "../../db/client"
import { deferWritesUntil } from "../../db/deferred-writes"
import type { Ctx } from "../context"
import { Refusal } from "../http/refusal"

/** The error of a write. A route that writes before it renders has no page that could show the form. */
const refused = () => Promise.reject(new Refusal("not_found"))

/** Returns a context in which every write to the central database throws the Refusal `not_found`. */
export function withoutWrites<C extends Ctx>(ctx: C): C {
  const db = requestCentralDatabase(ctx.env)
  deferWritesUntil(db, refused())
  return { ...ctx, db, isDryRun: true }
}

/** Returns a context in which every write to the central database, or to that of its site, throws `not_found`. */
export function withoutSiteWrites<C extends Ctx & { site: { id: string; database: string; db: SiteDatabase } }>(
  ctx: C,
): C {
  const { db } = bookmarkedSiteDatabase(ctx.env, ctx.site.database, ctx.site.id)
  deferWritesUntil(db, refused())
  return { ...withoutWrites(ctx), site: { ...ctx.site, db } }
}
