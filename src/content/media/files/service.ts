// The verbs of a media file, but for the upload, which has a file of its own.
import { and, desc, eq, getTableColumns, isNotNull, isNull, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { invalid, Refusal } from "../../../core/http/refusal"
import { batch, read } from "../../../db/client"
import { compiled, given } from "../../../db/prepared"
import { mediaFiles, mediaOrphans } from "../../../db/schema/sites/media"
import { insertSelect, remove, update } from "../../../db/write"
import type { MediaCtx } from "../../site"
import { FOLDER_OF_FILE, isKept, isLive } from "../ancestors"
import { commitMedia } from "../commit"
import { firstFree, variants } from "../names"
import { requestSweep } from "../sweep"
import type { FileRow, ListFiles, UpdateFile } from "./schemas"

const columns = getTableColumns(mediaFiles)

/**
 * A page of a folder's files, the newest first; or of those in the trash, the last one first.
 * @throws Refusal `not_found` for a folder that is not there
 */
export async function listFiles(ctx: MediaCtx, input: z.output<typeof ListFiles>): Promise<FileRow[]> {
  const { db, id } = ctx.site
  const { limit, folder_id: folder } = input
  const values = { site: id, folder, limit, start: (input.page - 1) * limit }
  if (input.trashed) return read(db, trashedFiles(values))
  const [[found], files] = await batch(db, [liveFolder(values), filesOf(values)])
  if (!found?.live) throw new Refusal("not_found")
  return files
}

/** A slice of a folder at a site. */
interface InFolder {
  site: string
  folder: number
  limit: number
  start: number
}

const trashedFiles = compiled<FileRow, InFolder>((db) =>
  db
    .select(columns)
    .from(mediaFiles)
    .where(
      and(eq(mediaFiles.siteId, given("site")), isNotNull(mediaFiles.trashedAt), isKept(given("site"), FOLDER_OF_FILE)),
    )
    .orderBy(desc(mediaFiles.trashedAt), desc(mediaFiles.id))
    .limit(given("limit"))
    .offset(given("start")),
)

/** The statement that reads the newest files of a folder. */
export const filesOf = compiled<FileRow, InFolder>((db) =>
  db
    .select(columns)
    .from(mediaFiles)
    .where(
      and(eq(mediaFiles.siteId, given("site")), eq(mediaFiles.folderId, given("folder")), isNull(mediaFiles.trashedAt)),
    )
    .orderBy(desc(mediaFiles.id))
    .limit(given("limit"))
    .offset(given("start")),
)

/** The statement that tells whether a folder is there for everyone. */
export const liveFolder = compiled<{ live: number }, { site: string; folder: number }>((db) =>
  db.select({ live: isLive(given("site"), sql`${given("folder")}`).as("live") }).from(sql`(select 1)`),
)

/**
 * Renames a file, moves it, or both. Its address stays. Where a neighbour has the name, it gets the next free variant.
 * @throws Refusal `not_found`, `validation_failed` for a folder that is not there
 */
export async function updateFile(ctx: MediaCtx, fileId: number, input: z.output<typeof UpdateFile>): Promise<FileRow> {
  const { id } = ctx.site
  const shown = isNull(mediaFiles.trashedAt)
  const known = await find(ctx, fileId, and(shown, isLive(id, FOLDER_OF_FILE)))
  const to = { folderId: input.folder_id ?? known.folderId, name: input.name ?? known.name }
  return place(ctx, known, to, "changed", shown)
}

/**
 * Puts a file into the trash.
 * @throws Refusal `not_found`
 */
export async function trashFile(ctx: MediaCtx, fileId: number): Promise<void> {
  const { id } = ctx.site
  const trashed = update(mediaFiles)
    .set({ trashedAt: sql`coalesce(${mediaFiles.trashedAt}, ${ctx.now.getTime()})` })
    .where(and(theFile(id, fileId), existing(id)))
  if (!(await commitMedia(ctx, trashed, { subject: "file", id: fileId, deed: "trashed" })))
    throw new Refusal("not_found")
}

/**
 * Takes a file out of the trash: to the folder it was in, or to the root when that is no longer there; under its name, or the
 * next free variant of it. One that is not in the trash is left as it is.
 * @throws Refusal `not_found`
 */
export async function restoreFile(ctx: MediaCtx, fileId: number): Promise<FileRow> {
  const known = await find(ctx, fileId, existing(ctx.site.id))
  if (!known.trashedAt) return known
  return place(ctx, known, { folderId: known.live ? known.folderId : 0, name: known.name }, "restored")
}

/**
 * Deletes files. Their addresses stop answering at once; their bytes go behind the answer.
 * @param fileIds different ones; all of them or none are deleted
 * @returns whether all of them were there
 */
export async function deleteFiles(ctx: MediaCtx, fileIds: number[]): Promise<boolean> {
  const { id } = ctx.site
  const listed = and(
    eq(mediaFiles.siteId, id),
    sql`${mediaFiles.id} in (select value from json_each(${JSON.stringify(fileIds)}))`,
  )
  const wanted = and(listed, existing(id))
  const all = sql`(select count(*) from ${mediaFiles} where ${wanted}) = ${fileIds.length}`
  const orphaned = insertSelect(
    mediaOrphans,
    { siteId: sql`${mediaFiles.siteId}`, path: sql`${mediaFiles.path}`, dueAt: ctx.now },
    sql`from ${mediaFiles} where ${and(wanted, all)}`,
  )
  const [first = 0] = fileIds
  const entry = {
    subject: "file",
    id: first,
    deed: "deleted",
    data: { files: fileIds.slice(0, MOST_TOLD), count: fileIds.length },
  } as const
  if (!(await commitMedia(ctx, orphaned, entry, [remove(mediaFiles).where(listed)]))) return false
  requestSweep(ctx, ctx.site.database)
  return true
}

/** Ids that an entry of the trail names. */
const MOST_TOLD = 100

const theFile = (siteId: string, fileId: number): SQL | undefined =>
  and(eq(mediaFiles.siteId, siteId), eq(mediaFiles.id, fileId))

/** In no folder that was deleted. */
const existing = (siteId: string): SQL => isKept(siteId, FOLDER_OF_FILE)

/** The file, if it meets a condition, and whether its folder is there for everyone. */
async function find(ctx: MediaCtx, fileId: number, condition: SQL | undefined): Promise<FileRow & { live: number }> {
  const { db, id } = ctx.site
  const [file] = await db
    .select({ ...columns, live: isLive(id, FOLDER_OF_FILE) })
    .from(mediaFiles)
    .where(and(theFile(id, fileId), condition))
  if (!file) throw new Refusal("not_found")
  return file
}

/**
 * Puts a file into a folder under a free variant of a name, and out of the trash.
 * @param condition what must still hold of it at that moment
 */
async function place(
  ctx: MediaCtx,
  file: FileRow,
  { folderId, name }: { folderId: number; name: string },
  deed: "changed" | "restored",
  condition?: SQL,
): Promise<FileRow> {
  const { db, id } = ctx.site
  const others = sql`${namesakes(id, folderId)} and id <> ${file.id}`
  const free = firstFree(variants(name, ctx.now), others)
  const placed = update(mediaFiles)
    .set({
      folderId,
      name: sql`(select name from ${free})`,
      nameKey: sql`(select key from ${free})`,
      trashedAt: null,
      updatedAt: ctx.now,
    })
    .where(and(theFile(id, file.id), condition, isLive(id, folderId)))
    .returning(columns)
  const before = { name: file.name, folder_id: file.folderId }
  const after = { name, folder_id: folderId }
  const [row] = (await commitMedia(ctx, placed, { subject: "file", id: file.id, deed, before, after })) ?? []
  if (row) return row
  const [folder] = await db.select({ live: isLive(id, folderId) }).from(sql`(select 1)`)
  throw folder?.live ? new Refusal("not_found") : invalid("folder_id", "selected")
}

/** Selects the visible files of a folder that have the name of a candidate. */
export const namesakes = (siteId: string, folderId: number): SQL =>
  sql`select 1 from media_files where site_id = ${siteId} and folder_id = ${folderId}
    and name_key = candidate.value ->> 1 and trashed_at is null`
