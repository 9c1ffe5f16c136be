// Operations on the guestbook: every user reads and signs it.
import { eq } from "drizzle-orm"
import { authenticate, type UserCtx, writeAsUser } from "../../../src/content/user"
import { prepareSiteRead } from "../../../src/db/prepared"
import { inSite } from "../../../src/db/site-scope"
import { guestbookEntries } from "./tables"

export interface Entry {
  id: number
  name: string
}

export const selectEntries = prepareSiteRead<Entry, { site: string }>((db) =>
  db
    .select({ id: guestbookEntries.id, name: guestbookEntries.name })
    .from(guestbookEntries)
    .where(eq(guestbookEntries.status, "published"))
    .orderBy(guestbookEntries.id),
)

/**
 * Lists all entries.
 * @throws Refusal `unauthenticated`
 */
export async function listEntries(ctx: UserCtx): Promise<Entry[]> {
  const { results } = await authenticate(ctx, () => [selectEntries({ site: ctx.site.id })])
  return results[0]
}

/**
 * Adds an entry.
 * @throws Refusal `unauthenticated`
 */
export async function sign(ctx: UserCtx, name: string): Promise<Entry> {
  await authenticate(ctx)
  const [[entry]] = await writeAsUser(ctx, () => [
    inSite(ctx.site.id).insert(guestbookEntries).values({ name, status: "published" }).returning(),
  ])
  if (!entry) throw new Error("The entry was not stored")
  return { id: entry.id, name: entry.name }
}
