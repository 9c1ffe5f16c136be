// SQL condition that excludes sites locked for a migration; see `schema/sites/site-locks.ts`.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { siteLocks } from "./schema/sites/site-locks"

/**
 * Condition for jobs that change rows of all sites in a database.
 * @param siteId the site column of the table
 */
export const isNotLocked = (siteId: SQLWrapper): SQL =>
  sql`${siteId} not in (select ${siteLocks.siteId} from ${siteLocks})`
