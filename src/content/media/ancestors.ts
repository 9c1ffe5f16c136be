// SQL conditions on the ancestors of a folder. Trashing or deleting a folder only marks its own row, so the visibility
// of an item depends on all of its ancestors.
import { type Placeholder, type SQL, sql } from "drizzle-orm"

/** Maximum nesting depth of folders. */
export const MAX_DEPTH = 30

/** Column that holds the row's folder, as an argument for the conditions below. */
export const FOLDER_OF_FILE = sql`media_files.folder_id`
export const PARENT_OF_FOLDER = sql`media_folders.parent_id`

/**
 * Common table expression with a folder and its ancestors, one row each.
 * @param folder id of the folder. The CTE aliases its tables, so an expression over `media_folders` refers to the outer
 *   row.
 */
const ancestorsCte = (siteId: string | Placeholder, folder: SQL | number): SQL => sql`
  with recursive ancestors (id, parent_id, trashed, removed) as (
    select first.id, first.parent_id, first.trashed_at is not null, first.removed_at is not null
    from media_folders first where first.site_id = ${siteId} and first.id = ${folder}
    union
    select parent.id, parent.parent_id, parent.trashed_at is not null, parent.removed_at is not null
    from media_folders parent join ancestors on parent.id = ancestors.parent_id where parent.site_id = ${siteId}
  )`

/** Whether a folder is live: neither it nor any ancestor is trashed or deleted. The root (0) is always live. */
export const isLive = (siteId: string | Placeholder, folder: SQL | number): SQL<number> =>
  sql<number>`(${folder} = 0 or coalesce((${ancestorsCte(siteId, folder)} select min(parent_id) = 0 and max(trashed + removed) = 0 from ancestors), 0))`

/** Whether neither a folder nor any ancestor is deleted; the folder may be trashed. True for the root (0). */
export const isNotDeleted = (siteId: string | Placeholder, folder: SQL | number): SQL<number> =>
  sql<number>`(${folder} = 0 or coalesce((${ancestorsCte(siteId, folder)} select min(parent_id) = 0 and max(removed) = 0 from ancestors), 0))`

/** Depth of a folder; 0 for the root. */
export const depthOf = (siteId: string, folder: SQL | number): SQL<number> =>
  sql<number>`(${ancestorsCte(siteId, folder)} select count(*) from ancestors)`

/** Levels of folders below a folder: 0 for one without subfolders. Trashed folders count, because they can be restored. */
export const levelsBelow = (siteId: string, folder: number): SQL<number> =>
  sql<number>`(
    with recursive descendants (id, level) as (
      select first.id, 0 from media_folders first where first.site_id = ${siteId} and first.id = ${folder}
      union
      select child.id, descendants.level + 1 from media_folders child
      join descendants on child.parent_id = descendants.id
      where child.site_id = ${siteId} and child.removed_at is null and descendants.level < ${MAX_DEPTH}
    ) select max(level) from descendants)`

/** Whether a folder is `ancestor` or one of its descendants. */
export const isWithin = (siteId: string, folder: SQL | number, ancestor: number): SQL<number> =>
  sql<number>`exists (${ancestorsCte(siteId, folder)} select 1 from ancestors where id = ${ancestor})`

/** Ids of a folder and its ancestors. */
export const ancestorIds = (siteId: string, folder: number): SQL =>
  sql`(${ancestorsCte(siteId, folder)} select id from ancestors)`
