// What stands above an item. A folder that is trashed or deleted takes everything in it out of sight by a mark on its own row
// alone, so whether an item can be seen is asked of the folders above it.
import { type Placeholder, type SQL, sql } from "drizzle-orm"

/** Folders in folders, at most. */
export const MAX_DEPTH = 30

/** The folder of the row at hand, as an argument of the conditions below. */
export const FOLDER_OF_FILE = sql`media_files.folder_id`
export const PARENT_OF_FOLDER = sql`media_folders.parent_id`

/**
 * A folder and all above it, one row each.
 * @param folder its id. The tables are renamed in here, so that an expression over `media_folders` means the row outside.
 */
const line = (siteId: string | Placeholder, folder: SQL | number): SQL => sql`
  with recursive line (id, parent_id, trashed, removed) as (
    select first.id, first.parent_id, first.trashed_at is not null, first.removed_at is not null
    from media_folders first where first.site_id = ${siteId} and first.id = ${folder}
    union
    select above.id, above.parent_id, above.trashed_at is not null, above.removed_at is not null
    from media_folders above join line on above.id = line.parent_id where above.site_id = ${siteId}
  )`

/** Whether a folder is there for everyone: neither it nor any above it is in the trash or deleted. The root (0) always is. */
export const isLive = (siteId: string | Placeholder, folder: SQL | number): SQL<number> =>
  sql<number>`(${folder} = 0 or coalesce((${line(siteId, folder)} select min(parent_id) = 0 and max(trashed + removed) = 0 from line), 0))`

/** Whether a folder exists, in the trash or not: neither it nor any above it is deleted. The root (0) always does. */
export const isKept = (siteId: string | Placeholder, folder: SQL | number): SQL<number> =>
  sql<number>`(${folder} = 0 or coalesce((${line(siteId, folder)} select min(parent_id) = 0 and max(removed) = 0 from line), 0))`

/** How deep a folder lies; 0 for the root. */
export const depthOf = (siteId: string, folder: SQL | number): SQL<number> =>
  sql<number>`(${line(siteId, folder)} select count(*) from line)`

/** Whether a folder is `ancestor`, or lies anywhere in it. */
export const isWithin = (siteId: string, folder: SQL | number, ancestor: number): SQL<number> =>
  sql<number>`exists (${line(siteId, folder)} select 1 from line where id = ${ancestor})`

/** The ids of a folder and of all above it. */
export const idsOfLine = (siteId: string, folder: number): SQL => sql`(${line(siteId, folder)} select id from line)`
