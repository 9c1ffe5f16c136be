// Every counted list has a trigger that maintains its total.
import { expect, test } from "vitest"
import { COUNTED_LISTS, COUNTED_ROW_LISTS } from "../../src/db/schema/central/counters"
import type { RowCounter, SiteCounter } from "../../src/db/schema/sites/counters"
import { rows, siteRows } from "../support/rows"

const TRIGGERS = "select sql from sqlite_master where type = 'trigger'"
const listTriggers = async () => (await rows(TRIGGERS)).map(({ sql }) => String(sql))
const listSiteTriggers = async () => (await siteRows(TRIGGERS)).map(({ sql }) => String(sql))

/** Finds the triggers that maintain the total of a list. */
const findCounterTriggers = (triggers: string[], name: string) =>
  triggers.filter((sql) => /INSERT INTO .counters./.test(sql) && sql.includes(`'${name}'`))

test.each(COUNTED_LISTS)("maintains the total of %s with a trigger", async (name) => {
  expect(findCounterTriggers(await listTriggers(), name)).not.toEqual([])
})

test.each(COUNTED_ROW_LISTS)("maintains the totals per row of %s with a trigger", async (name) => {
  expect(findCounterTriggers(await listTriggers(), `${name}:`)).not.toEqual([])
})

/** The lists of a site and of its apps. They are a type, so the compiler requires each of them. */
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

test.each(Object.keys(SITE_LISTS))("maintains the total of a site's %s with a trigger", async (name) => {
  expect(findCounterTriggers(await listSiteTriggers(), name)).not.toEqual([])
})

test.each(Object.keys(SITE_ROW_LISTS))("maintains the totals per row of a site's %s with a trigger", async (name) => {
  expect(findCounterTriggers(await listSiteTriggers(), `${name}:`)).not.toEqual([])
})

test("finds a list without a trigger", async () => {
  expect(findCounterTriggers(await listTriggers(), "plans")).toEqual([])
})
