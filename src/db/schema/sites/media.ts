// Tables for the media library: folders, files, and R2 objects without a file.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"
import { siteTable } from "../site-table"

export const mediaFolders = siteTable(
  "media_folders",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** The folder it is in; 0 for the root. */
    parentId: integer("parent_id").notNull(),
    name: text("name").notNull(),
    /** The case-folded name, unique within the parent folder. */
    nameKey: text("name_key").notNull(),
    slug: text("slug").notNull(),
    /** When it was moved to the trash, which hides its contents too. */
    trashedAt: timestamp("trashed_at"),
    /** When it was deleted; the row stays until its contents have been deleted too. */
    removedAt: timestamp("removed_at"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
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

export const mediaFiles = siteTable(
  "media_files",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** The folder it is in; 0 for the root. */
    folderId: integer("folder_id").notNull(),
    name: text("name").notNull(),
    /** The case-folded name, unique within the folder. */
    nameKey: text("name_key").notNull(),
    /** The object key below the site's prefix, and the URL path below `/media/`. Immutable. */
    path: text("path").notNull(),
    size: integer("size").notNull(),
    mimeType: text("mime_type").notNull(),
    /** The quoted entity tag. */
    etag: text("etag").notNull(),
    /** Describes a picture to readers who cannot see it. */
    alt: text("alt"),
    trashedAt: timestamp("trashed_at"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("media_files_path").on(t.siteId, t.path),
    uniqueIndex("media_files_name").on(t.siteId, t.folderId, t.nameKey).where(sql`trashed_at is null`),
    index("media_files_folder").on(t.siteId, t.folderId, t.trashedAt),
    index("media_files_trashed").on(t.siteId, t.trashedAt).where(sql`trashed_at is not null`),
  ],
)

/** R2 objects without a file: running uploads and deleted files. */
export const mediaOrphans = siteTable(
  "media_orphans",
  {
    siteId: text("site_id").notNull(),
    path: text("path").notNull(),
    /** When the sweep may delete the object. */
    dueAt: timestamp("due_at").notNull(),
    /** Set when a sweep has claimed the object; an upload can no longer claim it. */
    sweptAt: timestamp("swept_at"),
    /** Bytes reserved for a running upload, when the site's plan limits storage. */
    reservedBytes: integer("reserved_bytes"),
  },
  (t) => [
    primaryKey({ columns: [t.siteId, t.path] }),
    index("media_orphans_due").on(t.dueAt),
    index("media_orphans_reserved").on(t.siteId, t.reservedBytes).where(sql`reserved_bytes > 0`),
  ],
)
