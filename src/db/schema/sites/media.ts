// A site's media library: folders, the files in them, and stored bytes that no file speaks for.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { moment } from "../columns"

export const mediaFolders = sqliteTable(
  "media_folders",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** The folder it is in; 0 for the root. */
    parentId: integer("parent_id").notNull(),
    name: text("name").notNull(),
    /** The name folded to lower case: two folders of one parent never share it. */
    nameKey: text("name_key").notNull(),
    slug: text("slug").notNull(),
    /** In the trash since; what is in a trashed folder is out of sight with it. */
    trashedAt: moment("trashed_at"),
    /** Deleted: gone for every reader, and waiting until what is in it has been removed too. */
    removedAt: moment("removed_at"),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("media_folders_name")
      .on(t.siteId, t.parentId, t.nameKey)
      .where(sql`trashed_at is null and removed_at is null`),
    index("media_folders_parent").on(t.siteId, t.parentId),
    index("media_folders_trashed").on(t.siteId, t.trashedAt).where(sql`trashed_at is not null`),
    index("media_folders_removed").on(t.removedAt).where(sql`removed_at is not null`),
  ],
)

export const mediaFiles = sqliteTable(
  "media_files",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** The folder it is in; 0 for the root. */
    folderId: integer("folder_id").notNull(),
    name: text("name").notNull(),
    /** The name folded to lower case: two files of one folder never share it. */
    nameKey: text("name_key").notNull(),
    /** Where its bytes are, below the site's prefix in the bucket and below `/media/` in its URL. Never changes. */
    path: text("path").notNull(),
    size: integer("size").notNull(),
    mimeType: text("mime_type").notNull(),
    /** The entity tag of the bytes, quoted. */
    etag: text("etag").notNull(),
    trashedAt: moment("trashed_at"),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("media_files_path").on(t.siteId, t.path),
    uniqueIndex("media_files_name").on(t.siteId, t.folderId, t.nameKey).where(sql`trashed_at is null`),
    index("media_files_folder").on(t.siteId, t.folderId, t.trashedAt),
    index("media_files_trashed").on(t.siteId, t.trashedAt).where(sql`trashed_at is not null`),
  ],
)

/** Bytes that are in the bucket without a file: an upload that is still running, or a file that was deleted. */
export const mediaOrphans = sqliteTable(
  "media_orphans",
  {
    siteId: text("site_id").notNull(),
    path: text("path").notNull(),
    /** When they are to be swept up. */
    dueAt: moment("due_at").notNull(),
    /** Set once a sweep took them: from then on an upload can no longer claim them. */
    sweptAt: moment("swept_at"),
    /** Bytes that an upload on its way may come to, where the site's plan limits its storage. */
    reservedBytes: integer("reserved_bytes"),
  },
  (t) => [
    primaryKey({ columns: [t.siteId, t.path] }),
    index("media_orphans_due").on(t.dueAt),
    index("media_orphans_reserved").on(t.siteId, t.reservedBytes).where(sql`reserved_bytes > 0`),
  ],
)
