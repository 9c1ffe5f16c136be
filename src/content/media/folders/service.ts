// The verbs of a media folder. Each write is one statement that checks its conditions itself, beside a second one that says
// which of them failed: names stay unique and folders a tree, whoever else is writing at that moment.
import { and, asc, desc, eq, getTableColumns, isNotNull, isNull, type Placeholder, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { invalid, Refusal } from "../../../core/http/refusal"
import { batch, read } from "../../../db/client"
import { compiled, given } from "../../../db/prepared"
import { mediaFolders } from "../../../db/schema/sites/media"
import { insertSelect, update } from "../../../db/write"
import { slugify } from "../../../lib/slug"
import { fold } from "../../case-folding"
import type { MediaCtx } from "../../site"
import { depthOf, isKept, isLive, isWithin, MAX_DEPTH, PARENT_OF_FOLDER } from "../ancestors"
import { commitMedia } from "../commit"
import type { FileRow } from "../files/schemas"
import { filesOf, liveFolder } from "../files/service"
import { firstFree, variants } from "../names"
import { requestSweep } from "../sweep"
import type { CreateFolder, ListFolders, UpdateFolder } from "./schemas"

type Folder = typeof mediaFolders.$inferSelect

const columns = getTableColumns(mediaFolders)

/** Files that a folder is shown with; the list of files has the rest. */
const SHOWN_FILES = 1000

/**
 * The folders right under a folder, by name; or those in the trash, the last one first.
 * @throws Refusal `not_found` for a folder that is not there
 */
export async function listFolders(ctx: MediaCtx, input: z.output<typeof ListFolders>): Promise<Folder[]> {
  const { db, id } = ctx.site
  const values = { site: id, folder: input.folder_id }
  if (input.trashed) return read(db, trashedFolders(values))
  const [[parent], folders] = await batch(db, [liveFolder(values), foldersIn(values)])
  if (!parent?.live) throw new Refusal("not_found")
  return folders
}

/** A folder at a site. */
interface AtSite {
  site: string
  folder: number
}

const trashedFolders = compiled<Folder, AtSite>((db) =>
  db
    .select(columns)
    .from(mediaFolders)
    .where(and(eq(mediaFolders.siteId, given("site")), isNotNull(mediaFolders.trashedAt), existing(given("site"))))
    .orderBy(desc(mediaFolders.trashedAt), desc(mediaFolders.id)),
)

const foldersIn = compiled<Folder, AtSite>((db) =>
  db
    .select(columns)
    .from(mediaFolders)
    .where(and(eq(mediaFolders.siteId, given("site")), eq(mediaFolders.parentId, given("folder")), visible))
    .orderBy(asc(mediaFolders.nameKey)),
)

const visibleFolder = compiled<Folder, AtSite>((db) =>
  db
    .select(columns)
    .from(mediaFolders)
    .where(and(theFolder(given("site"), given("folder")), isLive(given("site"), sql`${given("folder")}`))),
)

/**
 * A folder with its newest files.
 * @throws Refusal `not_found`
 */
export async function readFolder(ctx: MediaCtx, folderId: number): Promise<{ folder: Folder; files: FileRow[] }> {
  const { db, id } = ctx.site
  const [[folder], files] = await batch(db, [
    visibleFolder({ site: id, folder: folderId }),
    filesOf({ site: id, folder: folderId, limit: SHOWN_FILES, start: 0 }),
  ])
  if (!folder) throw new Refusal("not_found")
  return { folder, files }
}

/**
 * Creates a folder.
 * @throws Refusal `validation_failed` for a parent that is not there or too deep, or a name that a neighbour has
 */
export async function createFolder(ctx: MediaCtx, input: z.output<typeof CreateFolder>): Promise<Folder> {
  const { id } = ctx.site
  const named = naming(input.name)
  const allowed = and(fits(id, input.parent_id), sql`not exists (${namesakes(id, input.parent_id, named.nameKey)})`)
  const added = insertSelect(
    mediaFolders,
    { siteId: id, parentId: input.parent_id, ...named, createdAt: ctx.now, updatedAt: ctx.now },
    sql`where ${allowed}`,
  ).returning(columns)
  const entry = {
    subject: "folder",
    id: sql`last_insert_rowid()`,
    deed: "created",
    after: { name: named.name },
  } as const
  const [folder] = (await commitMedia(ctx, added, entry)) ?? []
  if (folder) return folder
  const [parent] = await ask(ctx, { fits: fits(id, input.parent_id) })
  throw parent?.fits ? invalid("name", "duplicate") : invalid("parent_id", "selected")
}

/**
 * Renames a folder, moves it, or both.
 * @throws Refusal `not_found`; `validation_failed` for a name that a neighbour has, a parent that is not there, or one that
 *   lies in the folder itself
 */
export async function updateFolder(
  ctx: MediaCtx,
  folderId: number,
  input: z.output<typeof UpdateFolder>,
): Promise<Folder> {
  const { id } = ctx.site
  const parent = input.parent_id ?? sql`(select parent_id from media_folders where ${theFolder(id, folderId)})`
  const key = input.name ? fold(input.name) : sql`(select name_key from media_folders where ${theFolder(id, folderId)})`
  const moves = input.parent_id === undefined ? undefined : fits(id, input.parent_id)
  const circular = isWithin(id, parent, folderId)
  const taken = sql<number>`exists (${namesakes(id, parent, key)} and id <> ${folderId})`
  const there = isLive(id, folderId)
  const changed = update(mediaFolders)
    .set({
      ...(input.name && naming(input.name)),
      ...(input.parent_id !== undefined && { parentId: input.parent_id }),
      updatedAt: ctx.now,
    })
    .where(and(theFolder(id, folderId), there, moves, sql`not ${circular}`, sql`not ${taken}`))
    .returning(columns)
  const after = { name: input.name, parent_id: input.parent_id }
  const [folder] = (await commitMedia(ctx, changed, { subject: "folder", id: folderId, deed: "changed", after })) ?? []
  if (folder) return folder
  const [state] = await ask(ctx, { there, fits: moves ?? sql<number>`1`, circular, taken })
  if (!state?.there) throw new Refusal("not_found")
  if (state.circular || !state.fits) throw invalid("parent_id", "selected")
  throw invalid("name", "duplicate")
}

/**
 * Puts a folder into the trash, and out of sight whatever is in it.
 * @throws Refusal `not_found`
 */
export async function trashFolder(ctx: MediaCtx, folderId: number): Promise<void> {
  const { id } = ctx.site
  const trashed = update(mediaFolders)
    .set({ trashedAt: sql`coalesce(${mediaFolders.trashedAt}, ${ctx.now.getTime()})` })
    .where(and(theFolder(id, folderId), existing(id)))
  const entry = { subject: "folder", id: folderId, deed: "trashed" } as const
  if (!(await commitMedia(ctx, trashed, entry))) throw new Refusal("not_found")
}

/**
 * Takes a folder out of the trash: to where it was, or to the root when that is no longer there; under its name, or the next
 * free variant of it. One that is not in the trash is left as it is.
 * @throws Refusal `not_found`
 */
export async function restoreFolder(ctx: MediaCtx, folderId: number): Promise<Folder> {
  const { db, id } = ctx.site
  const [known] = await db
    .select({ ...columns, live: isLive(id, PARENT_OF_FOLDER) })
    .from(mediaFolders)
    .where(and(theFolder(id, folderId), existing(id)))
  if (!known) throw new Refusal("not_found")
  if (!known.trashedAt) return known
  const parentId = known.live ? known.parentId : 0
  const free = firstFree(variants(known.name, ctx.now), namesakes(id, parentId, sql`candidate.value ->> 1`))
  const restored = update(mediaFolders)
    .set({
      trashedAt: null,
      parentId,
      name: sql`(select name from ${free})`,
      nameKey: sql`(select key from ${free})`,
      updatedAt: ctx.now,
    })
    .where(and(theFolder(id, folderId), existing(id), isLive(id, parentId)))
    .returning(columns)
  const [folder] = (await commitMedia(ctx, restored, { subject: "folder", id: folderId, deed: "restored" })) ?? []
  if (!folder) throw new Refusal("not_found")
  return folder
}

/**
 * Deletes folders with all that is in them. They are gone at once; what was in them is removed, bytes included, behind the answer.
 * @param folderIds different ones; all of them or none are deleted
 * @returns whether all of them were there
 */
export async function deleteFolders(ctx: MediaCtx, folderIds: number[]): Promise<boolean> {
  const { id } = ctx.site
  const listed = and(
    eq(mediaFolders.siteId, id),
    sql`${mediaFolders.id} in (select value from json_each(${JSON.stringify(folderIds)}))`,
    existing(id),
  )
  const all = sql`(select count(*) from ${mediaFolders} where ${listed}) = ${folderIds.length}`
  const removed = update(mediaFolders).set({ removedAt: ctx.now }).where(and(listed, all))
  const [first = 0] = folderIds
  const data = { folders: folderIds.slice(0, MOST_TOLD), count: folderIds.length }
  if (!(await commitMedia(ctx, removed, { subject: "folder", id: first, deed: "deleted", data }))) return false
  requestSweep(ctx, ctx.site.database)
  return true
}

/** Ids that an entry of the trail names. */
const MOST_TOLD = 100

const theFolder = (siteId: string | Placeholder, folderId: number | Placeholder): SQL | undefined =>
  and(eq(mediaFolders.siteId, siteId), eq(mediaFolders.id, folderId))

/** Neither trashed nor deleted itself, whatever is above it. */
const visible = and(isNull(mediaFolders.trashedAt), isNull(mediaFolders.removedAt))

/** Not deleted, neither itself nor with a folder above it. */
const existing = (siteId: string | Placeholder): SQL | undefined =>
  and(isNull(mediaFolders.removedAt), isKept(siteId, PARENT_OF_FOLDER))

/** Whether a folder may be put into `parent`. */
const fits = (siteId: string, parent: number): SQL<number> =>
  sql<number>`(${isLive(siteId, parent)} and ${depthOf(siteId, parent)} < ${MAX_DEPTH})`

/** Selects the visible folders of a parent that have a name. */
const namesakes = (siteId: string, parent: SQL | number, key: SQL | string): SQL =>
  sql`select 1 from media_folders where site_id = ${siteId} and parent_id = ${parent} and name_key = ${key}
    and trashed_at is null and removed_at is null`

const naming = (name: string) => ({ name, nameKey: fold(name), slug: slugify(name) || "folder" })

/**
 * A statement that answers questions about the state that the statement before it left or met. Each answer has a name of its
 * own, because a batch hands rows out by their columns' names.
 */
const ask = <Name extends string>(ctx: MediaCtx, questions: Record<Name, SQL<number>>) => {
  const named = Object.entries<SQL<number>>(questions).map(([name, question]) => [name, question.as(name)])
  return ctx.site.db.select(Object.fromEntries(named) as Record<Name, SQL.Aliased<number>>).from(sql`(select 1)`)
}
