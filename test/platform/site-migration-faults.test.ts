// A site migration copies everything once, whichever round trip of it fails.
import { beforeEach, expect, test } from "vitest"
import { listCopiedTables } from "../../src/platform/site-migration/rows"
import { sendOperatorCommand } from "../support/app"
import { makeSecondDatabase } from "../support/second-database"
import {
  type DatabaseName,
  finishMigration,
  makeSiteWithData,
  readDatabase,
  readSiteRows,
} from "../support/site-migration"

beforeEach(makeSecondDatabase)

test("resumes after a failure before or after any round trip, and copies everything once", async () => {
  const site = await makeSiteWithData()
  const before = await readSiteRows("SITES_1", site.store)
  let from: DatabaseName = "SITES_1"
  let to: DatabaseName = "SITES_2"
  let trips = 0
  for (const fault of ["before", "after"] as const) {
    for (let at = 0; at === 0 || at < trips; at++) {
      await sendOperatorCommand("site-moves:create", { site: site.store, to })
      let madeTrips = 0
      await finishMigration(site.store, () => (madeTrips++ === at ? fault : null))
      trips = madeTrips
      const [targetRows, remaining] = [
        await readSiteRows(to, site.store),
        await readSiteRows(from, site.store, [...listCopiedTables(), "held_sites"]),
      ]
      expect([await readDatabase(site.store), remaining], `${fault} ${at}`).toEqual([to, {}])
      expect(targetRows, `${fault} ${at}`).toEqual(before)
      ;[from, to] = [to, from]
    }
  }
  expect(trips).toBeGreaterThan(60)
}, 900_000)
