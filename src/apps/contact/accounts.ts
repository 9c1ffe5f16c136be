// Deletes the messages of an account that is deleted.
import { and, eq, sql } from "drizzle-orm"
import { inSite } from "../../db/site-scope"
import type { AccountWrites } from "../definition"
import { contactMessages } from "./tables"

export const contactAccounts: AccountWrites = {
  erase: (siteId, userId) => [
    inSite(siteId)
      .remove(contactMessages)
      // The second condition is that of the partial index.
      .where(and(eq(contactMessages.userId, userId), sql`${contactMessages.userId} <> 0`)),
  ],
}
