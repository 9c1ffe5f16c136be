// Reads of refused tries.
import { eq, getTableColumns } from "drizzle-orm"
import type { CentralDatabase } from "../../db/client"
import { licenseRefusedTries, licenses } from "../../db/schema/central/licenses"
import { type LicenseName, mayBe } from "../licenses/queries"

/** Rows of two licenses at most, each with one for every reason there is. */
const MOST = 24

/** The statement that reads the refused tries of the license that is meant, and of the one that may be meant as well. */
export const selectTries = (db: CentralDatabase, name: LicenseName) =>
  db
    .select(getTableColumns(licenseRefusedTries))
    .from(licenses)
    .innerJoin(licenseRefusedTries, eq(licenseRefusedTries.licenseId, licenses.id))
    .where(mayBe(name))
    .limit(MOST)
