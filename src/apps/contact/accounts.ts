// Deletes the messages of an account that is deleted, and exports those of a customer.
import { and, eq, sql } from "drizzle-orm"
import { inSite } from "../../db/site-scope"
import type { AccountWrites } from "../definition"
import { messageResource } from "./schemas"
import { contactMessages } from "./tables"

export const contactAccounts: AccountWrites = {
  erase: (siteId, userId) => [
    inSite(siteId)
      .remove(contactMessages)
      // The second condition is that of the partial index.
      .where(and(eq(contactMessages.userId, userId), sql`${contactMessages.userId} <> 0`)),
  ],
  async export({ db }, userId) {
    const rows = await db
      .select()
      .from(contactMessages)
      .where(and(eq(contactMessages.userId, userId), sql`${contactMessages.userId} <> 0`))
    return { messages: rows.map(messageResource) }
  },
}
