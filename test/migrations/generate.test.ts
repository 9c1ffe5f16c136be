// Generating migrations: the triggers of an app's tables come from its manifest.
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { root } from "../../tools/lib/project"
import { findFormatErrors } from "../../tools/lint/migration-rules"
import { getScratchDirectory } from "../../tools/local/scratch"
import { findAppViolations, type LoadedApp } from "../../tools/migrations/app-triggers"
import { type Migration, readMigrations } from "../../tools/migrations/existing"
import { findUncountedTables, generateMigration } from "../../tools/migrations/generate"
import { loadApps } from "../../tools/migrations/load-apps"
import { guestbook } from "../apps/guestbook/manifest"
import * as guestbookTables from "../apps/guestbook/tables"

const GUESTBOOK: LoadedApp = { manifest: guestbook, tables: guestbookTables }
const SCHEMA = "./{src/db/schema/sites/*,src/apps/*/tables,test/apps/*/tables}.ts"

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(getScratchDirectory(), "tenancy-generate-"))
  cpSync(join(root, "migrations/sites"), directory, { recursive: true })
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const generate = (apps: LoadedApp[]) => generateMigration({ directory, schema: SCHEMA, name: "guestbook", apps })

/** Returns an app whose tables have other definitions. */
const withTables = ({ manifest, tables }: LoadedApp, changed: object): LoadedApp => ({
  manifest: { ...manifest, tables: { ...manifest.tables, ...changed } },
  tables,
})

describe("generating a migration", () => {
  test("writes the tables and all triggers of a new app, which the tests of the app use", async () => {
    const file = generate([...(await loadApps()), GUESTBOOK])
    const sql = readFileSync(join(directory, file ?? ""), "utf8")
    await expect(sql).toMatchFileSnapshot("../apps/guestbook/migration.sql")
    expect(findFormatErrors(sql)).toEqual([])
    expect(generate([...(await loadApps()), GUESTBOOK])).toBeNull()
    expect(findUncountedTables(directory, file ?? "")).toEqual([])
  }, 60_000)

  test("replaces the triggers of a changed definition, and reports totals without the existing rows", () => {
    generate([GUESTBOOK])
    const counted = withTables(GUESTBOOK, {
      guestbook_entries: { visibility: { publicColumns: ["name"] }, counters: [{ list: "guestbook" }] },
    })
    const file = generate([counted])
    const sql = readFileSync(join(directory, file ?? ""), "utf8")
    expect(sql).toContain("DROP TRIGGER `guestbook_entries_version_update`;")
    expect(sql).toContain("AFTER UPDATE OF `name` ON `guestbook_entries`")
    expect(sql).not.toContain("held")
    expect(findUncountedTables(directory, file ?? "")).toEqual(["guestbook_entries"])
  }, 60_000)
})

describe("comparing manifests with migrations", () => {
  const find = (apps: LoadedApp[], migrations: Migration[] = readMigrations(directory)) =>
    findAppViolations(apps, migrations).map(({ message }) => message)

  test("finds no difference in the installed apps", async () => {
    expect((await loadApps()).length).toBeGreaterThanOrEqual(4)
    expect(find(await loadApps())).toEqual([])
  })

  test("finds every trigger that a table without migrations lacks", () => {
    const missing = find([GUESTBOOK]).flatMap((message) => message.match(/lack the trigger (\w+)/)?.[1] ?? [])
    expect(missing).toEqual(
      ["held", "version", "count"].flatMap((purpose) =>
        ["insert", "update", "delete"].map((event) => `guestbook_entries_${purpose}_${event}`),
      ),
    )
  })

  test("finds a trigger with another text, an undeclared trigger, and a custom trigger that does not exist", async () => {
    const [ecommerce, ...others] = await loadApps()
    const changed = withTables(ecommerce as LoadedApp, {
      products: { visibility: "public", counters: [{ list: "products", by: "status" }], customTriggers: ["absent"] },
    })
    expect(find([changed, ...others])).toEqual([
      "the migrations lack the trigger products_version_update; run npm run db:generate -- sites <name>",
      "the migrations lack the custom trigger absent",
      ...["delete", "insert", "update"].map(
        (event) => `the trigger products_search_${event} in the migrations is not declared`,
      ),
    ])
  })

  test("finds migrations that a manifest lacks or lists without reason, and usage of another app's counter", async () => {
    const [ecommerce, ...others] = await loadApps()
    const { manifest, tables } = ecommerce as LoadedApp
    const [first, ...rest] = manifest.migrations
    const changed = {
      manifest: {
        ...manifest,
        migrations: [...rest, "0099_other.sql"],
        usage: { pages: { counter: "pages" } } as const,
      },
      tables,
    }
    expect(find([changed, ...others])).toEqual([
      `\`migrations\` lacks ${first}`,
      "0099_other.sql does not touch the app's tables",
      "`usage` has the counter pages, which no table of the app has",
    ])
  })
})
