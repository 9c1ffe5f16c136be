// The table of forms that arrived after their session had expired.
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

export const formDrafts = sqliteTable(
  "form_drafts",
  {
    /** SHA-256 of the token in the link to the draft, in hex. */
    hash: text("hash").primaryKey(),
    /** Who may read it: `operator:<id>`, or `user:<site>:<id>` with the store's incarnation. */
    owner: text("owner").notNull(),
    /** The path that the form was sent to. */
    path: text("path").notNull(),
    /** The fields, encrypted with the token, which is not stored. */
    content: text("content").notNull(),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [index("form_drafts_owner").on(t.owner, t.createdAt), index("form_drafts_created").on(t.createdAt)],
)
