// Totals that triggers keep: every list that is asked for by name is one that a trigger counts.
import { expect, test } from "vitest"
import { COUNTED_LISTS, COUNTED_ROW_LISTS } from "../../src/db/schema/central/counters"
import { rows } from "../support/rows"

const triggers = async () =>
  (await rows("select sql from sqlite_master where type = 'trigger'")).map(({ sql }) => String(sql))

/** What a trigger says when it counts a list. */
const counting = (triggers: string[], name: string) =>
  triggers.filter((sql) => /INSERT INTO .counters./.test(sql) && sql.includes(`'${name}'`))

test.each(COUNTED_LISTS)("%s is counted by a trigger", async (name) => {
  expect(counting(await triggers(), name)).not.toEqual([])
})

test.each(COUNTED_ROW_LISTS)("%s are counted by a trigger, row by row", async (name) => {
  expect(counting(await triggers(), `${name}:`)).not.toEqual([])
})

test("a list that no trigger counts would be found", async () => {
  expect(counting(await triggers(), "plans")).toEqual([])
})
