// Operations on the guestbook: every user reads and signs it.
import { and, eq } from "drizzle-orm"
import { authenticate, type UserCtx, writeAsUser } from "../../../src/content/user"
import { param, prepareRead } from "../../../src/db/prepared"
import { insert } from "../../../src/db/write"
import { guestbookEntries } from "./tables"

export interface Entry {
  id: number
  name: string
}

export const selectEntries = prepareRead<Entry, { site: string }>((db) =>
  db
    .select({ id: guestbookEntries.id, name: guestbookEntries.name })
    .from(guestbookEntries)
    .where(and(eq(guestbookEntries.siteId, param("site")), eq(guestbookEntries.status, "published")))
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
    insert(guestbookEntries).values({ siteId: ctx.site.id, name, status: "published" }).returning(),
  ])
  if (!entry) throw new Error("The entry was not stored")
  return { id: entry.id, name: entry.name }
}
