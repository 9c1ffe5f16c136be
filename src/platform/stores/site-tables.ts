// The tables of a site database, the apps' included.

import { plugins } from "../../apps/registry"
import { siteTableNames } from "../../db/site-tables"

/** Every table that has a site's rows, that which holds the site first: what comes behind it can be written again. */
export const allSiteTables = (): string[] =>
  [...siteTableNames(), ...plugins.flatMap((plugin) => plugin.tables)].sort(
    (a, b) => Number(b === "held_sites") - Number(a === "held_sites"),
  )
