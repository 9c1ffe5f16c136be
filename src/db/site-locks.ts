// What holds a site in a site database while it is moved; see `schema/sites/held.ts`.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { heldSites } from "./schema/sites/site-locks"

/**
 * For work that goes over all sites of a database: the rows that it may change.
 * @param siteId the column of the site
 */
export const isNotLocked = (siteId: SQLWrapper): SQL => sql`${siteId} not in (select ${heldSites.siteId} from ${heldSites})`
