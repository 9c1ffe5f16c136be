// Operations on media files, except the upload (upload.ts).
import { and, desc, eq, getTableColumns, isNotNull, isNull, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Input } from "../../../core/http/input"
import { Refusal } from "../../../core/http/refusal"
import { batch, read } from "../../../db/client"
import { param, prepareSiteRead } from "../../../db/prepared"
import { mediaFiles, mediaOrphans } from "../../../db/schema/sites/media"
import { inSite } from "../../../db/site-scope"
import type { MediaCtx } from "../../site"
import { FOLDER_OF_FILE, isLive, isNotDeleted } from "../ancestors"
import { commitMedia, MAX_AUDITED_IDS } from "../commit"
import { firstAvailableName, nameCandidates } from "../names"
import { requestSweep } from "../sweep"
import type { FileRow, ListFiles, UpdateFile } from "./schemas"

const columns = getTableColumns(mediaFiles)

/**
 * Lists a page of a folder's files, newest first; or of the trash, most recently trashed first.
 * @throws Refusal `not_found` for a folder that does not exist
 */
export async function listFiles(ctx: MediaCtx, input: z.output<typeof ListFiles>): Promise<FileRow[]> {
  const { db, id } = ctx.site
  const { limit, folder_id: folder } = input
  const values = { site: id, folder, limit, offset: (input.page - 1) * limit }
  if (input.trashed) return read(db, selectTrashedFiles(values))
  const [[state], files] = await batch(db, [selectIsLive(values), selectFiles(values)])
  if (!state?.live) throw new Refusal("not_found")
  return files
}

/** Parameters of a query for a page of a folder. */
interface FolderSlice {
  site: string
  folder: number
  limit: number
  offset: number
}

const selectTrashedFiles = prepareSiteRead<FileRow, FolderSlice>((db) =>
  db
    .select(columns)
    .from(mediaFiles)
    .where(and(isNotNull(mediaFiles.trashedAt), isNotDeleted(param("site"), FOLDER_OF_FILE)))
    .orderBy(desc(mediaFiles.trashedAt), desc(mediaFiles.id))
    .limit(param("limit"))
    .offset(param("offset")),
)

/** Selects a page of a folder's files, newest first. */
export const selectFiles = prepareSiteRead<FileRow, FolderSlice>((db) =>
  db
    .select(columns)
    .from(mediaFiles)
    .where(and(eq(mediaFiles.folderId, param("folder")), isNull(mediaFiles.trashedAt)))
    .orderBy(desc(mediaFiles.id))
    .limit(param("limit"))
    .offset(param("offset")),
)

/** Selects whether a folder is live. */
export const selectIsLive = prepareSiteRead<{ live: number }, { site: string; folder: number }>((db) =>
  db.select({ live: isLive(param("site"), sql`${param("folder")}`).as("live") }).from(sql`(select 1)`),
)

/**
 * Renames, moves or describes a file. Its URL does not change. When the name is taken, the file gets a numbered
 * variant.
 * @throws Refusal `not_found`, `validation_failed` for a folder that does not exist
 */
export async function updateFile(ctx: MediaCtx, fileId: number, input: Input<typeof UpdateFile>): Promise<FileRow> {
  const { id } = ctx.site
  const isUntrashed = isNull(mediaFiles.trashedAt)
  const current = await getFile(ctx, fileId, and(isUntrashed, isLive(id, FOLDER_OF_FILE)))
  const fields = await input.completeBeforeCommit(async ({ folder_id: folder }) => ({
    folder_id: folder === undefined || (await isFolderLive(ctx, folder)) ? null : "selected",
  }))
  const { alt = current.alt } = fields
  const to = { folderId: fields.folder_id ?? current.folderId, name: fields.name ?? current.name, alt }
  const row = await placeFile(ctx, current, to, "changed", isUntrashed)
  if (row) return row
  throw (await isFolderLive(ctx, to.folderId)) ? new Refusal("not_found") : input.reject("folder_id", "selected")
}

/**
 * Moves a file to the trash.
 * @throws Refusal `not_found`
 */
export async function trashFile(ctx: MediaCtx, fileId: number): Promise<void> {
  const { id } = ctx.site
  const trash = inSite(id)
    .update(mediaFiles)
    .set({ trashedAt: sql`coalesce(${mediaFiles.trashedAt}, ${ctx.now.getTime()})` })
    .where(and(eq(mediaFiles.id, fileId), isNotInDeletedFolder(id)))
  if (!(await commitMedia(ctx, trash, { subject: "file", id: fileId, action: "trashed" })))
    throw new Refusal("not_found")
}

/**
 * Restores a file from the trash to its folder, or to the root when that is gone. When the name is taken, the file gets
 * a numbered variant. Does nothing for a file that is not in the trash.
 * @throws Refusal `not_found`
 */
export async function restoreFile(ctx: MediaCtx, fileId: number): Promise<FileRow> {
  const current = await getFile(ctx, fileId, isNotInDeletedFolder(ctx.site.id))
  if (!current.trashedAt) return current
  const to = { folderId: current.live ? current.folderId : 0, name: current.name, alt: current.alt }
  const row = await placeFile(ctx, current, to, "restored")
  if (!row) throw new Refusal("not_found")
  return row
}

/**
 * Deletes files. Their URLs stop working immediately; their bytes are deleted in the background.
 * @param fileIds distinct ids; all of them or none are deleted
 * @returns whether all of them existed
 */
export async function deleteFiles(ctx: MediaCtx, fileIds: number[]): Promise<boolean> {
  const { id } = ctx.site
  const listed = sql`${mediaFiles.id} in (select value from json_each(${JSON.stringify(fileIds)}))`
  const existing = and(eq(mediaFiles.siteId, id), listed, isNotInDeletedFolder(id))
  const areAllFound = sql`(select count(*) from ${mediaFiles} where ${existing}) = ${fileIds.length}`
  const addOrphans = inSite(id).insertSelect(
    mediaOrphans,
    { path: sql`${mediaFiles.path}`, dueAt: ctx.now },
    sql`from ${mediaFiles} where ${and(existing, areAllFound)}`,
  )
  const [first = 0] = fileIds
  const entry = {
    subject: "file",
    id: first,
    action: "deleted",
    data: { files: fileIds.slice(0, MAX_AUDITED_IDS), count: fileIds.length },
  } as const
  if (!(await commitMedia(ctx, addOrphans, entry, [inSite(id).remove(mediaFiles).where(listed)]))) return false
  requestSweep(ctx, ctx.site.database)
  return true
}

/** Condition: no ancestor of the file is deleted. */
const isNotInDeletedFolder = (siteId: string): SQL => isNotDeleted(siteId, FOLDER_OF_FILE)

/**
 * Reads a file, also one in the trash.
 * @throws Refusal `not_found`
 */
export const readFile = (ctx: MediaCtx, fileId: number): Promise<FileRow> =>
  getFile(ctx, fileId, isNotInDeletedFolder(ctx.site.id))

/** Reads a file that meets a condition, and whether its folder is live. */
async function getFile(ctx: MediaCtx, fileId: number, condition: SQL | undefined): Promise<FileRow & { live: number }> {
  const { db, id } = ctx.site
  const [file] = await db
    .select({ ...columns, live: isLive(id, FOLDER_OF_FILE) })
    .from(mediaFiles)
    .where(and(eq(mediaFiles.id, fileId), condition))
  if (!file) throw new Refusal("not_found")
  return file
}

/**
 * Places a file in a folder, outside the trash, under an available variant of a name.
 * @param condition must still be true when the write runs
 * @returns undefined when it is not, or the folder is gone
 */
async function placeFile(
  ctx: MediaCtx,
  file: FileRow,
  { folderId, name, alt }: Pick<FileRow, "folderId" | "name" | "alt">,
  action: "changed" | "restored",
  condition?: SQL,
): Promise<FileRow | undefined> {
  const { id } = ctx.site
  const others = sql`${filesWithSameName(id, folderId)} and id <> ${file.id}`
  const available = firstAvailableName(nameCandidates(name, ctx.now), others)
  const place = inSite(id)
    .update(mediaFiles)
    .set({
      folderId,
      name: sql`(select name from ${available})`,
      nameKey: sql`(select key from ${available})`,
      alt,
      trashedAt: null,
      updatedAt: ctx.now,
    })
    .where(and(eq(mediaFiles.id, file.id), condition, isLive(id, folderId)))
    .returning(columns)
  const before = { name: file.name, folder_id: file.folderId, alt: file.alt }
  const after = { name, folder_id: folderId, alt }
  const [row] = (await commitMedia(ctx, place, { subject: "file", id: file.id, action, before, after })) ?? []
  return row
}

/** Whether a folder exists and neither it nor an ancestor is trashed or deleted. */
export async function isFolderLive({ site: { db, id } }: MediaCtx, folder: number): Promise<boolean> {
  const [row] = await db.select({ live: isLive(id, folder) }).from(sql`(select 1)`)
  return Boolean(row?.live)
}

/** Selects the untrashed files of a folder that have the name of a candidate. */
export const filesWithSameName = (siteId: string, folderId: number): SQL =>
  sql`select 1 from media_files where site_id = ${siteId} and folder_id = ${folderId}
    and name_key = candidate.value ->> 1 and trashed_at is null`
