// Lists the tables of a site database, including the apps' tables.

import { availableApps } from "../../apps/registry"
import { siteTableNames } from "../../db/site-tables"

/**
 * Returns every table with site rows. `held_sites` comes first: once the lock's row is deleted, the other rows can be
 * written again.
 */
export const listSiteTables = (): string[] =>
  [...siteTableNames(), ...availableApps.flatMap(({ tables }) => Object.keys(tables))].sort(
    (a, b) => Number(b === "held_sites") - Number(a === "held_sites"),
  )
