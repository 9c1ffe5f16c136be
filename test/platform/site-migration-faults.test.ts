// A site migration copies everything once, whichever round trip of it fails.
import { beforeEach, expect, test } from "vitest"
import { listCopiedTables } from "../../src/platform/site-migration/rows"
import { sendOperatorCommand } from "../support/app"
import { failEachKindOfRoundTrip } from "../support/faults"
import { makeSecondDatabase } from "../support/second-database"
import {
  type DatabaseName,
  finishMigration,
  makeSiteWithData,
  readDatabase,
  readSiteRows,
} from "../support/site-migration"

beforeEach(makeSecondDatabase)

test("resumes after a failure before or after any kind of round trip, and copies everything once", async () => {
  const site = await makeSiteWithData()
  const before = await readSiteRows("SITES_1", site.store)
  let from: DatabaseName = "SITES_1"
  let to: DatabaseName = "SITES_2"
  const kinds = await failEachKindOfRoundTrip(async (decide, label) => {
    await sendOperatorCommand("site-moves:create", { site: site.store, to })
    await finishMigration(site.store, decide)
    const [targetRows, remaining] = [
      await readSiteRows(to, site.store),
      await readSiteRows(from, site.store, [...listCopiedTables(), "held_sites"]),
    ]
    expect([await readDatabase(site.store), remaining], label).toEqual([to, {}])
    expect(targetRows, label).toEqual(before)
    ;[from, to] = [to, from]
  })
  expect(kinds).toBeGreaterThan(15)
}, 900_000)
