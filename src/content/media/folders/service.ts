// Operations on media folders. Every write checks its conditions in its own statement, so names stay unique and folders
// stay a tree under concurrent writes. When nothing was written, a second query finds the condition that failed.
import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, type Placeholder, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Input } from "../../../core/http/input"
import { Refusal } from "../../../core/http/refusal"
import { retryOnConflict, WriteConflict } from "../../../core/write/commit"
import { batch, read } from "../../../db/client"
import { param, prepareSiteRead } from "../../../db/prepared"
import { mediaFolders } from "../../../db/schema/sites/media"
import { inSite } from "../../../db/site-scope"
import { slugify } from "../../../lib/slug"
import { foldCase } from "../../case-folding"
import type { MediaCtx } from "../../site"
import { depthOf, isLive, isNotDeleted, isWithin, levelsBelow, MAX_DEPTH, PARENT_OF_FOLDER } from "../ancestors"
import { commitMedia, MAX_AUDITED_IDS } from "../commit"
import type { FileRow } from "../files/schemas"
import { selectFiles, selectIsLive } from "../files/service"
import { firstAvailableName, nameCandidates } from "../names"
import { requestSweep } from "../sweep"
import type { CreateFolder, ListFolders, UpdateFolder } from "./schemas"

type Folder = typeof mediaFolders.$inferSelect

const columns = getTableColumns(mediaFolders)

/** Files in the response of a single folder; the list of files has the rest. */
const MAX_LISTED_FILES = 1000

/**
 * Lists the direct subfolders of a folder by name, or the trash, most recently trashed first.
 * @throws Refusal `not_found` for a folder that does not exist
 */
export async function listFolders(ctx: MediaCtx, input: z.output<typeof ListFolders>): Promise<Folder[]> {
  const { db, id } = ctx.site
  const values = { site: id, folder: input.folder_id }
  if (input.trashed) return read(db, selectTrashedFolders(values))
  const [[parent], folders] = await batch(db, [selectIsLive(values), selectSubfolders(values)])
  if (!parent?.live) throw new Refusal("not_found")
  return folders
}

/** Parameters of a query for one folder. */
interface FolderKey {
  site: string
  folder: number
}

const selectTrashedFolders = prepareSiteRead<Folder, FolderKey>((db) =>
  db
    .select(columns)
    .from(mediaFolders)
    .where(and(isNotNull(mediaFolders.trashedAt), isExisting(param("site"))))
    .orderBy(desc(mediaFolders.trashedAt), desc(mediaFolders.id)),
)

const selectSubfolders = prepareSiteRead<Folder, FolderKey>((db) =>
  db
    .select(columns)
    .from(mediaFolders)
    .where(and(eq(mediaFolders.parentId, param("folder")), isVisible))
    .orderBy(asc(mediaFolders.nameKey)),
)

const selectLiveFolder = prepareSiteRead<Folder, FolderKey>((db) =>
  db
    .select(columns)
    .from(mediaFolders)
    .where(and(eq(mediaFolders.id, param("folder")), isLive(param("site"), sql`${param("folder")}`))),
)

/**
 * Reads a folder with its newest files.
 * @throws Refusal `not_found`
 */
export async function readFolder(ctx: MediaCtx, folderId: number): Promise<{ folder: Folder; files: FileRow[] }> {
  const { db, id } = ctx.site
  const [[folder], files] = await batch(db, [
    selectLiveFolder({ site: id, folder: folderId }),
    selectFiles({ site: id, folder: folderId, limit: MAX_LISTED_FILES, offset: 0 }),
  ])
  if (!folder) throw new Refusal("not_found")
  return { folder, files }
}

/**
 * Creates a folder.
 * @throws Refusal `validation_failed` for a parent that does not exist or is too deep, or for a name that is taken
 */
export async function createFolder(ctx: MediaCtx, input: Input<typeof CreateFolder>): Promise<Folder> {
  const { id } = ctx.site
  const { name, parent_id: parentId } = await input.completeBeforeCommit(({ name, parent_id: parent = 0 }) =>
    findFolderErrors(ctx, {
      isTaken: sql<number>`exists (${foldersWithSameName(id, parent, foldCase(name ?? ""))})`,
      acceptsParent: acceptsSubfolder(id, parent),
    }),
  )
  const newName = nameColumns(name)
  const isTaken = sql<number>`exists (${foldersWithSameName(id, parentId, newName.nameKey)})`
  const acceptsParent = acceptsSubfolder(id, parentId)
  const isAllowed = and(acceptsParent, sql`not ${isTaken}`)
  const addFolder = inSite(id)
    .insertSelect(
      mediaFolders,
      { parentId, ...newName, createdAt: ctx.now, updatedAt: ctx.now },
      sql`where ${isAllowed}`,
    )
    .returning(columns)
  const entry = {
    subject: "folder",
    id: sql`last_insert_rowid()`,
    action: "created",
    after: { name: newName.name },
  } as const
  const [folder] = (await commitMedia(ctx, addFolder, entry)) ?? []
  if (folder) return folder
  const errors = await findFolderErrors(ctx, { isTaken, acceptsParent })
  throw errors.parent_id ? input.reject("parent_id", errors.parent_id) : input.reject("name", "duplicate")
}

/** Finds the errors of a folder's new name and parent. The name is only compared with those in a valid parent. */
async function findFolderErrors(ctx: MediaCtx, conditions: Record<"isTaken" | "acceptsParent", SQL<number>>) {
  const [state] = await selectConditions(ctx, conditions)
  return {
    name: state?.acceptsParent && state.isTaken ? "duplicate" : null,
    parent_id: state?.acceptsParent ? null : "selected",
  } as const
}

/**
 * Renames a folder, moves it, or both.
 * @throws Refusal `not_found`; `validation_failed` for a name that is taken, or for a parent that does not exist or is
 *   inside the folder itself or so deep that the folder's subfolders would be too deep
 */
export async function updateFolder(
  ctx: MediaCtx,
  folderId: number,
  changes: Input<typeof UpdateFolder>,
): Promise<Folder> {
  const { id } = ctx.site
  const input = changes.valid
  const parent = input.parent_id ?? sql`(select parent_id from media_folders where ${isFolder(id, folderId)})`
  const nameKey = input.name
    ? foldCase(input.name)
    : sql`(select name_key from media_folders where ${isFolder(id, folderId)})`
  const acceptsMove = input.parent_id === undefined ? undefined : acceptsSubfolder(id, input.parent_id, folderId)
  const isCircular = isWithin(id, parent, folderId)
  const isTaken = sql<number>`exists (${foldersWithSameName(id, parent, nameKey)} and id <> ${folderId})`
  const isPresent = isLive(id, folderId)
  const acceptsParent = sql<number>`(not ${isCircular} and ${acceptsMove ?? sql`1`})`
  await changes.completeBeforeCommit(async () => {
    const [folder] = await selectConditions(ctx, { isPresent })
    if (!folder?.isPresent) throw new Refusal("not_found")
    return findFolderErrors(ctx, { isTaken, acceptsParent })
  })
  const changeFolder = inSite(id)
    .update(mediaFolders)
    .set({
      ...(input.name && nameColumns(input.name)),
      ...(input.parent_id !== undefined && { parentId: input.parent_id }),
      updatedAt: ctx.now,
    })
    .where(and(eq(mediaFolders.id, folderId), isPresent, acceptsMove, sql`not ${isCircular}`, sql`not ${isTaken}`))
    .returning(columns)
  const after = { name: input.name, parent_id: input.parent_id }
  const [folder] =
    (await commitMedia(ctx, changeFolder, { subject: "folder", id: folderId, action: "changed", after })) ?? []
  if (folder) return folder
  const [state] = await selectConditions(ctx, { isPresent, acceptsParent })
  if (!state?.isPresent) throw new Refusal("not_found")
  throw state.acceptsParent ? changes.reject("name", "duplicate") : changes.reject("parent_id", "selected")
}

/**
 * Moves a folder to the trash, which also hides its contents.
 * @throws Refusal `not_found`
 */
export async function trashFolder(ctx: MediaCtx, folderId: number): Promise<void> {
  const { id } = ctx.site
  const trash = inSite(id)
    .update(mediaFolders)
    .set({ trashedAt: sql`coalesce(${mediaFolders.trashedAt}, ${ctx.now.getTime()})` })
    .where(and(eq(mediaFolders.id, folderId), isExisting(id)))
  const entry = { subject: "folder", id: folderId, action: "trashed" } as const
  if (!(await commitMedia(ctx, trash, entry))) throw new Refusal("not_found")
}

/**
 * Restores a folder from the trash to its parent, or to the root when that is gone. When the name is taken, the folder
 * gets a numbered variant. Does nothing for a folder that is not in the trash.
 * @throws Refusal `not_found`
 */
export const restoreFolder = (ctx: MediaCtx, folderId: number): Promise<Folder> =>
  retryOnConflict(async () => {
    const { db, id } = ctx.site
    const [current] = await db
      .select({ ...columns, live: isLive(id, PARENT_OF_FOLDER) })
      .from(mediaFolders)
      .where(and(eq(mediaFolders.id, folderId), isExisting(id)))
    if (!current) throw new Refusal("not_found")
    if (!current.trashedAt) return current
    const parentId = current.live ? current.parentId : 0
    const taken = foldersWithSameName(id, parentId, sql`candidate.value ->> 1`)
    const available = firstAvailableName(nameCandidates(current.name, ctx.now), taken)
    const restore = inSite(id)
      .update(mediaFolders)
      .set({
        trashedAt: null,
        parentId,
        name: sql`(select name from ${available})`,
        nameKey: sql`(select key from ${available})`,
        updatedAt: ctx.now,
      })
      .where(
        and(
          eq(mediaFolders.id, folderId),
          isExisting(id),
          isLive(id, parentId),
          // Restored again, it would be renamed, because its own name is taken.
          isNotNull(mediaFolders.trashedAt),
        ),
      )
      .returning(columns)
    const [folder] = (await commitMedia(ctx, restore, { subject: "folder", id: folderId, action: "restored" })) ?? []
    if (!folder) throw new WriteConflict()
    return folder
  })

/**
 * Deletes folders. They disappear immediately; their contents, including the bytes, are deleted in the background.
 * @param folderIds distinct ids; all of them or none are deleted
 * @returns whether all of them existed
 */
export async function deleteFolders(ctx: MediaCtx, folderIds: number[]): Promise<boolean> {
  const { id } = ctx.site
  const listed = and(
    sql`${mediaFolders.id} in (select value from json_each(${JSON.stringify(folderIds)}))`,
    isExisting(id),
  )
  const areAllFound = sql`(select count(*) from ${mediaFolders} where ${and(eq(mediaFolders.siteId, id), listed)}) = ${folderIds.length}`
  const markRemoved = inSite(id).update(mediaFolders).set({ removedAt: ctx.now }).where(and(listed, areAllFound))
  const [first = 0] = folderIds
  const data = { folders: folderIds.slice(0, MAX_AUDITED_IDS), count: folderIds.length }
  if (!(await commitMedia(ctx, markRemoved, { subject: "folder", id: first, action: "deleted", data }))) return false
  requestSweep(ctx, ctx.site.database)
  return true
}

const isFolder = (siteId: string | Placeholder, folderId: number | Placeholder): SQL | undefined =>
  and(eq(mediaFolders.siteId, siteId), eq(mediaFolders.id, folderId))

/** Condition: the folder itself is neither trashed nor deleted. Ignores its ancestors. */
const isVisible = and(isNull(mediaFolders.trashedAt), isNull(mediaFolders.removedAt))

/** Condition: neither the folder nor any ancestor is deleted. */
const isExisting = (siteId: string | Placeholder): SQL | undefined =>
  and(isNull(mediaFolders.removedAt), isNotDeleted(siteId, PARENT_OF_FOLDER))

/**
 * Whether `parent` is live and may contain another folder.
 * @param moved the folder that moves there with its subfolders; undefined for a new one
 */
function acceptsSubfolder(siteId: string, parent: number, moved?: number): SQL<number> {
  const levels = moved === undefined ? sql`0` : sql`coalesce(${levelsBelow(siteId, moved)}, 0)`
  return sql<number>`(${isLive(siteId, parent)} and ${depthOf(siteId, parent)} + ${levels} < ${MAX_DEPTH})`
}

/** Selects the visible subfolders of a parent that have a name. */
const foldersWithSameName = (siteId: string, parent: SQL | number, key: SQL | string): SQL =>
  sql`select 1 from media_folders where site_id = ${siteId} and parent_id = ${parent} and name_key = ${key}
    and trashed_at is null and removed_at is null`

const nameColumns = (name: string) => ({ name, nameKey: foldCase(name), slug: slugify(name) || "folder" })

/** Selects the values of some conditions in one row, each under its own name. */
const selectConditions = <Name extends string>(ctx: MediaCtx, conditions: Record<Name, SQL<number>>) => {
  const named = Object.entries<SQL<number>>(conditions).map(([name, condition]) => [name, condition.as(name)])
  return ctx.site.db.select(Object.fromEntries(named) as Record<Name, SQL.Aliased<number>>).from(sql`(select 1)`)
}
