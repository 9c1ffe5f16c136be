// Queries for rejected license requests.
import { eq, getTableColumns } from "drizzle-orm"
import type { CentralDatabase } from "../../db/client"
import { licenseRejections, licenses } from "../../db/schema/central/licenses"
import { type LicenseRef, matchesLicenseRef } from "../licenses/queries"

/** A reference can match two licenses, and each has at most one row per reason. */
const MAX_ROWS = 24

/**
 * Selects the rejections of every license that the reference may match; the caller filters by the license it resolves
 * to.
 */
export const selectRejections = (db: CentralDatabase, name: LicenseRef) =>
  db
    .select(getTableColumns(licenseRejections))
    .from(licenses)
    .innerJoin(licenseRejections, eq(licenseRejections.licenseId, licenses.id))
    .where(matchesLicenseRef(name))
    .limit(MAX_ROWS)
