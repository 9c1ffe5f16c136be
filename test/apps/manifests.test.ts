// Checks that the manifests match the code: paths, tables, counters and migrations.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { availableApps } from "../../src/apps/registry"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { siteTableNames } from "../../src/db/site-tables"
import { siteRows } from "../support/rows"

const migrations = env.TEST_MIGRATIONS_SITES.map(({ name, queries }) => ({ name, sql: queries.join(";\n") }))
const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true })

/** Themes, which list the apps that they require, and examples of fields. */
const ALLOWED_SOURCES = /src\/themes\/|\.docs\.ts$/

describe("manifests", () => {
  test("manifests are the only sources outside of an app's folder that contain its slug", () => {
    for (const { slug } of availableApps) {
      const otherSources = Object.entries(sources).filter(
        ([path]) => !path.startsWith(`../../src/apps/${slug}/`) && !ALLOWED_SOURCES.test(path),
      )
      const offenders = otherSources.flatMap(([path, source]) => (String(source).includes(`"${slug}"`) ? [path] : []))
      expect.soft(offenders, slug).toEqual([])
    }
  })

  test("manifests declare distinct paths, and every route of an app is below one of them", async () => {
    const paths = availableApps.flatMap(({ api }) => Object.keys(api.paths))
    expect(new Set(paths).size).toBe(paths.length)
    const own = routeTable(await loadContentRoutes()).filter(({ path }) => !paths.includes(path.split("/")[3] ?? ""))
    expect(own.length).toBeGreaterThan(40)
    for (const { slug, api } of availableApps) {
      const below = (await api.routes()).flatMap(({ routes }) => routes.map(({ path }) => path.split("/")[1] ?? ""))
      expect.soft([...new Set(below)].sort(), slug).toEqual(Object.keys(api.paths).sort())
    }
  })

  test("manifests declare every table of a site database that is not the platform's", async () => {
    const tables = (
      await siteRows("select m.name from sqlite_master m where m.type = 'table' and m.sql like '%`site_id`%'")
    ).map(({ name }) => String(name))
    const claimed = [...siteTableNames(), ...availableApps.flatMap(({ tables: own }) => own)]
    expect(claimed.toSorted()).toEqual(tables.toSorted())
  })

  test("manifests declare exactly the migrations that touch their tables", () => {
    for (const { slug, tables, migrations: named } of availableApps) {
      const touching = migrations.filter(({ sql }) => tables.some((table) => sql.includes(`\`${table}\``)))
      expect.soft([...named], slug).toEqual(touching.map(({ name }) => name))
    }
  })

  test("manifests declare only counters that triggers maintain", () => {
    const sql = migrations.map((migration) => migration.sql).join("\n")
    const lists = [
      "posts",
      "categories",
      "tags",
      "pages",
      "media_bytes",
      "avatar_bytes",
      ...availableApps.flatMap((p) => p.counters?.site ?? []),
    ]
    for (const list of lists) expect.soft(sql, list).toContain(`(NEW.\`site_id\`, '${list}', `)
    const rows = ["inbox", ...availableApps.flatMap((p) => p.counters?.row ?? [])]
    for (const list of rows) expect.soft(sql, list).toContain(`(NEW.\`site_id\`, '${list}:' || NEW.`)
  })

  test("manifests report usage only from their own counters", () => {
    for (const { slug, usage = {}, counters } of availableApps) {
      for (const { counter } of Object.values(usage)) expect.soft(counters?.site ?? [], slug).toContain(counter)
    }
  })
})
