// A site's media library as an operator looks into it, whatever the site's state: a page of a folder, or of the trash.
import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { isRoutable } from "../../core/http/store-access"
import { queryFlag, queryNumber } from "../../core/http/validation"
import { batch, siteDatabase } from "../../db/client"
import { joined, named } from "../../db/join-columns"
import { domains } from "../../db/schema/central/domains"
import { stores } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { mediaFiles, mediaFolders } from "../../db/schema/sites/media"
import { CENTRAL_SITE, type MediaSite } from "../site"
import { FOLDER_OF_FILE, idsOfLine, isKept, isLive, PARENT_OF_FOLDER } from "./ancestors"
import { queryFolderId } from "./ids"

/** Folders, and files, that one page shows. */
export const MEDIA_PAGE = 50

export const ListMedia = z.object({
  /** The folder to look into; 0 is the root. */
  folder_id: queryFolderId,
  /** Looks into the trash instead. */
  trashed: queryFlag.default(false),
  page: queryNumber(100_000).default(1),
})

type Folder = typeof mediaFolders.$inferSelect
type Placed = Pick<Folder, "id" | "name" | "parentId">
type File = typeof mediaFiles.$inferSelect

export interface MediaListing {
  /** The folders that lead to the one that is shown, and itself at the end; empty at the root. */
  path: Placed[]
  folders: Folder[]
  files: File[]
  /** Whether another page follows. */
  more: boolean
}

/**
 * The library of the site of that id.
 * @param id a store's id, or `central`
 * @throws Refusal `not_found` where there is no such store, `store_unavailable` when it has no database yet
 */
export async function mediaSite(ctx: Ctx, id: string): Promise<MediaSite> {
  if (id === CENTRAL_SITE) {
    const [database = ""] = ctx.settings.SITE_DATABASES
    const db = siteDatabase(ctx.env, database)
    return { id, store: null, database, db, subscription: null, hostname: ctx.settings.CENTRAL_DOMAIN }
  }
  const [row] = await ctx.db
    .select({ seq: stores.seq, database: stores.database, subscription: named(subscriptions), domain: named(domains) })
    .from(stores)
    .leftJoin(subscriptions, eq(subscriptions.storeId, stores.id))
    .leftJoin(domains, and(eq(domains.storeId, stores.id), eq(domains.isPrimary, true)))
    .where(eq(stores.id, id))
  if (!row || (ctx.pinned?.id === id && ctx.pinned.seq !== row.seq)) throw new Refusal("not_found")
  if (!row.database) throw new Refusal("store_unavailable")
  const primary = joined(row.domain)
  const hostname = primary && isRoutable(primary) ? primary.domain : `${id}.${ctx.settings.CENTRAL_DOMAIN}`
  const db = siteDatabase(ctx.env, row.database)
  const { seq, database } = row
  return { id, store: { seq }, database, db, subscription: joined(row.subscription), hostname }
}

/**
 * A page of a folder, folders by name and files the newest first; or of the trash, what went there last first.
 * @throws Refusal `not_found` for a folder that is not there
 */
export async function listMedia({ db, id }: MediaSite, input: z.output<typeof ListMedia>): Promise<MediaListing> {
  const { folder_id: folder, trashed } = input
  const one = { limit: MEDIA_PAGE + 1, offset: (input.page - 1) * MEDIA_PAGE }
  const inTrash = (moment: SQL, kept: SQL) => and(isNotNull(moment), kept)
  const [[place], line, folders, files] = await batch(db, [
    db.select({ live: isLive(id, trashed ? 0 : folder).as("live") }).from(sql`(select 1)`),
    db
      .select({ id: mediaFolders.id, name: mediaFolders.name, parentId: mediaFolders.parentId })
      .from(mediaFolders)
      .where(sql`${mediaFolders.id} in ${idsOfLine(id, trashed ? 0 : folder)}`),
    db
      .select(getTableColumns(mediaFolders))
      .from(mediaFolders)
      .where(
        and(
          eq(mediaFolders.siteId, id),
          isNull(mediaFolders.removedAt),
          trashed
            ? inTrash(sql`${mediaFolders.trashedAt}`, isKept(id, PARENT_OF_FOLDER))
            : and(eq(mediaFolders.parentId, folder), isNull(mediaFolders.trashedAt)),
        ),
      )
      .orderBy(trashed ? desc(mediaFolders.trashedAt) : asc(mediaFolders.nameKey))
      .limit(one.limit)
      .offset(one.offset),
    db
      .select(getTableColumns(mediaFiles))
      .from(mediaFiles)
      .where(
        and(
          eq(mediaFiles.siteId, id),
          trashed
            ? inTrash(sql`${mediaFiles.trashedAt}`, isKept(id, FOLDER_OF_FILE))
            : and(eq(mediaFiles.folderId, folder), isNull(mediaFiles.trashedAt)),
        ),
      )
      .orderBy(trashed ? desc(mediaFiles.trashedAt) : desc(mediaFiles.id))
      .limit(one.limit)
      .offset(one.offset),
  ])
  if (!place?.live) throw new Refusal("not_found")
  return {
    path: inOrder(line, trashed ? 0 : folder),
    folders: folders.slice(0, MEDIA_PAGE),
    files: files.slice(0, MEDIA_PAGE),
    more: folders.length > MEDIA_PAGE || files.length > MEDIA_PAGE,
  }
}

/** Folders that lie in one another, from the root down to the one of that id. */
function inOrder(line: readonly Placed[], id: number): Placed[] {
  const path: Placed[] = []
  for (let at = line.find((one) => one.id === id); at; at = line.find((one) => one.id === at?.parentId))
    path.unshift(at)
  return path
}
