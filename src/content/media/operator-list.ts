// Lists a site's media library for operators, in every state of the site: a page of a folder or of the trash.

import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { isRoutable } from "../../core/http/store-access"
import { queryFlag, queryNumber } from "../../core/http/validation"
import { batch, siteDatabase } from "../../db/client"
import { aliasedColumns, nullIfUnmatched } from "../../db/join-columns"
import { domains } from "../../db/schema/central/domains"
import { stores } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { mediaFiles, mediaFolders } from "../../db/schema/sites/media"
import { foundById } from "../../db/site-scope"
import { getFallbackHost } from "../../env"
import { CENTRAL_SITE, type MediaSite } from "../site"
import { ancestorIds, FOLDER_OF_FILE, isLive, isNotDeleted, PARENT_OF_FOLDER } from "./ancestors"
import { queryFolderId } from "./ids"

/** Maximum folders, and maximum files, per page. */
export const MEDIA_PAGE_SIZE = 50

export const ListMedia = z.object({
  /** Folder to list; 0 is the root. */
  folder_id: queryFolderId,
  /** Lists the trash instead. */
  trashed: queryFlag.default(false),
  page: queryNumber(100_000).default(1),
})

type Folder = typeof mediaFolders.$inferSelect
type PathEntry = Pick<Folder, "id" | "name" | "parentId">
type File = typeof mediaFiles.$inferSelect

export interface MediaListing {
  /** Folders from the root down to the listed one, inclusive; empty at the root. */
  path: PathEntry[]
  folders: Folder[]
  files: File[]
  /** Whether there is a next page. */
  hasMore: boolean
}

/**
 * Resolves the site whose library is listed.
 * @param id id of a store, or `central`
 * @throws Refusal `not_found` for an unknown store, `store_unavailable` when it has no database yet
 */
export async function getMediaSite(ctx: Ctx, id: string): Promise<MediaSite> {
  if (id === CENTRAL_SITE) {
    const [database = ""] = ctx.settings.SITE_DATABASES
    const db = siteDatabase(ctx.env, database, id)
    return { id, store: null, database, db, subscription: null, hostname: ctx.settings.CENTRAL_DOMAIN }
  }
  const [row] = await ctx.db
    .select({
      seq: stores.seq,
      database: stores.database,
      subscription: aliasedColumns(subscriptions),
      domain: aliasedColumns(domains),
    })
    .from(stores)
    .leftJoin(subscriptions, eq(subscriptions.storeId, stores.id))
    .leftJoin(domains, and(eq(domains.storeId, stores.id), eq(domains.isPrimary, true)))
    .where(eq(stores.id, id))
  if (!row || (ctx.pinned?.id === id && ctx.pinned.seq !== row.seq)) throw new Refusal("not_found")
  if (!row.database) throw new Refusal("store_unavailable")
  const primary = nullIfUnmatched(row.domain)
  const hostname = primary && isRoutable(primary) ? primary.domain : getFallbackHost(ctx.settings, id)
  const db = siteDatabase(ctx.env, row.database, id)
  const { seq, database } = row
  return { id, store: { seq }, database, db, subscription: nullIfUnmatched(row.subscription), hostname }
}

/**
 * Lists a page of a folder, folders by name and files newest first; or of the trash, most recently trashed first.
 * @throws Refusal `not_found` for a folder that does not exist
 */
export async function listMedia({ db, id }: MediaSite, input: z.output<typeof ListMedia>): Promise<MediaListing> {
  const { folder_id: folder, trashed } = input
  const paging = { limit: MEDIA_PAGE_SIZE + 1, offset: (input.page - 1) * MEDIA_PAGE_SIZE }
  const inTrash = (trashedAt: SQL, isNotDeletedItem: SQL) => and(isNotNull(trashedAt), isNotDeletedItem)
  const [[folderState], ancestors, folders, files] = await batch(db, [
    db.select({ live: isLive(id, trashed ? 0 : folder).as("live") }).from(sql`(select 1)`),
    db
      .select({ id: mediaFolders.id, name: mediaFolders.name, parentId: mediaFolders.parentId })
      .from(foundById(mediaFolders))
      .where(sql`${mediaFolders.id} in ${ancestorIds(id, trashed ? 0 : folder)}`),
    db
      .select(getTableColumns(mediaFolders))
      .from(mediaFolders)
      .where(
        and(
          isNull(mediaFolders.removedAt),
          trashed
            ? inTrash(sql`${mediaFolders.trashedAt}`, isNotDeleted(id, PARENT_OF_FOLDER))
            : and(eq(mediaFolders.parentId, folder), isNull(mediaFolders.trashedAt)),
        ),
      )
      .orderBy(trashed ? desc(mediaFolders.trashedAt) : asc(mediaFolders.nameKey))
      .limit(paging.limit)
      .offset(paging.offset),
    db
      .select(getTableColumns(mediaFiles))
      .from(mediaFiles)
      .where(
        trashed
          ? inTrash(sql`${mediaFiles.trashedAt}`, isNotDeleted(id, FOLDER_OF_FILE))
          : and(eq(mediaFiles.folderId, folder), isNull(mediaFiles.trashedAt)),
      )
      .orderBy(trashed ? desc(mediaFiles.trashedAt) : desc(mediaFiles.id))
      .limit(paging.limit)
      .offset(paging.offset),
  ])
  if (!folderState?.live) throw new Refusal("not_found")
  return {
    path: buildPath(ancestors, trashed ? 0 : folder),
    folders: folders.slice(0, MEDIA_PAGE_SIZE),
    files: files.slice(0, MEDIA_PAGE_SIZE),
    hasMore: folders.length > MEDIA_PAGE_SIZE || files.length > MEDIA_PAGE_SIZE,
  }
}

/** Orders nested folders from the root down to the folder with the given id. */
function buildPath(folders: readonly PathEntry[], id: number): PathEntry[] {
  const find = (targetId: number | undefined) => folders.find((folder) => folder.id === targetId)
  const path: PathEntry[] = []
  for (let folder = find(id); folder; folder = find(folder.parentId)) path.unshift(folder)
  return path
}
