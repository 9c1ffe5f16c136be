// What a manifest says is so: its paths, tables, counters and migrations are those of the routes and of the database.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { plugins } from "../../src/apps/registry"
import { contentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { siteTableNames } from "../../src/db/site-tables"
import { siteRows } from "../support/rows"

const migrations = env.TEST_MIGRATIONS_SITES.map(({ name, queries }) => ({ name, sql: queries.join(";\n") }))
const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true })

/** Where tables are described, some of which have the name of an app. */
const TABLES = /src\/db\/schema\/sites\//

describe("manifests", () => {
  test("are where an app is named, and nothing outside of its folder is", () => {
    for (const { slug } of plugins) {
      const elsewhere = Object.entries(sources).filter(([path]) => !path.startsWith(`../../src/apps/${slug}/`))
      const naming = elsewhere.filter(([path, source]) => !TABLES.test(path) && String(source).includes(`"${slug}"`))
      expect
        .soft(
          naming.map(([path]) => path),
          slug,
        )
        .toEqual([])
    }
  })

  test("share no path, and every route of an app is below one of its paths", async () => {
    const paths = plugins.flatMap(({ api }) => Object.keys(api.paths))
    expect(new Set(paths).size).toBe(paths.length)
    const own = routeTable(await contentRoutes()).filter(({ path }) => !paths.includes(path.split("/")[3] ?? ""))
    expect(own.length).toBeGreaterThan(40)
    for (const { slug, api } of plugins) {
      const below = (await api.routes()).flatMap(({ routes }) => routes.map(({ path }) => path.split("/")[1] ?? ""))
      expect.soft([...new Set(below)].sort(), slug).toEqual(Object.keys(api.paths).sort())
    }
  })

  test("name every table of a site database that is not the platform's, and each table has a site", async () => {
    const tables = (
      await siteRows("select m.name from sqlite_master m where m.type = 'table' and m.sql like '%`site_id`%'")
    ).map(({ name }) => String(name))
    const claimed = [...siteTableNames(), ...plugins.flatMap(({ tables: own }) => own)]
    expect(claimed.toSorted()).toEqual(tables.toSorted())
  })

  test("name the migrations that touch their tables, and no others", () => {
    for (const { slug, tables, migrations: named } of plugins) {
      const touching = migrations.filter(({ sql }) => tables.some((table) => sql.includes(`\`${table}\``)))
      expect.soft([...named], slug).toEqual(touching.map(({ name }) => name))
    }
  })

  test("name counters that triggers keep, as the platform's lists are", () => {
    const sql = migrations.map((migration) => migration.sql).join("\n")
    const lists = [
      "posts",
      "categories",
      "tags",
      "pages",
      "media_bytes",
      "avatar_bytes",
      ...plugins.flatMap((p) => p.counters?.site ?? []),
    ]
    for (const list of lists) expect.soft(sql, list).toContain(`(NEW.\`site_id\`, '${list}', `)
    const rows = ["inbox", ...plugins.flatMap((p) => p.counters?.row ?? [])]
    for (const list of rows) expect.soft(sql, list).toContain(`(NEW.\`site_id\`, '${list}:' || NEW.`)
  })

  test("count usage by a counter of their own", () => {
    for (const { slug, usage = {}, counters } of plugins) {
      for (const { counter } of Object.values(usage)) expect.soft(counters?.site ?? [], slug).toContain(counter)
    }
  })
})
