// Totals that triggers keep: every list that is asked for by name is one that a trigger counts.
import { expect, test } from "vitest"
import { COUNTED_LISTS, COUNTED_ROW_LISTS } from "../../src/db/schema/central/counters"
import type { RowCounter, SiteCounter } from "../../src/db/schema/sites/counters"
import { rows, siteRows } from "../support/rows"

const TRIGGERS = "select sql from sqlite_master where type = 'trigger'"
const triggers = async () => (await rows(TRIGGERS)).map(({ sql }) => String(sql))
const siteTriggers = async () => (await siteRows(TRIGGERS)).map(({ sql }) => String(sql))

/** What a trigger says when it counts a list. */
const counting = (triggers: string[], name: string) =>
  triggers.filter((sql) => /INSERT INTO .counters./.test(sql) && sql.includes(`'${name}'`))

test.each(COUNTED_LISTS)("%s is counted by a trigger", async (name) => {
  expect(counting(await triggers(), name)).not.toEqual([])
})

test.each(COUNTED_ROW_LISTS)("%s are counted by a trigger, row by row", async (name) => {
  expect(counting(await triggers(), `${name}:`)).not.toEqual([])
})

/** The lists of a site and of its apps, which are a type: the compiler asks for each of them. The made-up app of a test has none. */
const SITE_LISTS: Record<Exclude<SiteCounter, "guestbook">, true> = {
  avatar_bytes: true,
  categories: true,
  contact: true,
  galleries: true,
  media_bytes: true,
  orders: true,
  pages: true,
  posts: true,
  products: true,
  tags: true,
  version: true,
}
const SITE_ROW_LISTS: Record<RowCounter, true> = {
  orders: true,
  reviews: true,
}

test.each(Object.keys(SITE_LISTS))("%s of a site are counted by a trigger", async (name) => {
  expect(counting(await siteTriggers(), name)).not.toEqual([])
})

test.each(Object.keys(SITE_ROW_LISTS))("%s of a site are counted by a trigger, row by row", async (name) => {
  expect(counting(await siteTriggers(), `${name}:`)).not.toEqual([])
})

test("a list that no trigger counts would be found", async () => {
  expect(counting(await triggers(), "plans")).toEqual([])
})
