// Checks that the manifests match the code: paths and tables. `npm run lint` compares them with the migrations.
import { describe, expect, test } from "vitest"
import { availableApps } from "../../src/apps/registry"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { siteTableNames } from "../../src/db/site-tables"
import { siteRows } from "../support/rows"

const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true })

/** Themes, which list the apps that they require, examples of fields, and the console's pages of what apps hold. */
const ALLOWED_SOURCES = /src\/themes\/|\.docs\.ts$|src\/console\/pages\/(shop|site-page)\.tsx$/

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
    const claimed = [...siteTableNames(), ...availableApps.flatMap(({ tables: own }) => Object.keys(own))]
    expect(claimed.toSorted()).toEqual(tables.toSorted())
  })
})
