// The query for the entries of a sitemap.
import { asc, desc, type SQL, sql } from "drizzle-orm"
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import type { SelectPublished } from "../list"
import type { SitemapEntry } from "./sitemap"

/** A table of pages with slugs. */
type SlugTable = SQLiteTable & { slug: AnySQLiteColumn<{ data: string; notNull: true }> }

/**
 * Creates the query for a slice of a part's pages, newest first.
 * @param updatedAt null where a page shows more than its row
 * @param isPublished by default, all rows are
 * @param order columns that grow with every new row
 */
export const selectSitemapEntries =
  (
    table: SlugTable,
    updatedAt: AnySQLiteColumn<{ data: Date; notNull: true }> | null,
    isPublished: SQL | undefined,
    ...order: AnySQLiteColumn[]
  ): SelectPublished<SitemapEntry> =>
  (db, { limit, offset }, direction) =>
    db
      .select({ slug: table.slug, updatedAt: updatedAt ?? sql<null>`null`.as("updated_at") })
      .from(table)
      .where(isPublished)
      .orderBy(...order.map(direction === "backward" ? asc : desc))
      .limit(limit)
      .offset(offset)
