// Compares the triggers that the manifests declare with the migrations, and writes the missing ones.
import { getTableName, is } from "drizzle-orm"
import { SQLiteTable } from "drizzle-orm/sqlite-core"
import type { AppDefinition } from "../../src/apps/definition.ts"
import { type ExistingTrigger, findTriggers, inOneLine, type Migration } from "./existing.ts"
import { type Trigger, writeTriggers } from "./triggers.ts"

/** An app with its module `tables.ts`. */
export interface LoadedApp {
  manifest: AppDefinition
  tables: Readonly<Record<string, unknown>>
}

/** Writes the triggers that an app's manifest declares, except custom ones. */
const writeAppTriggers = ({ manifest, tables }: LoadedApp): Trigger[] =>
  Object.values(tables)
    .filter((value) => is(value, SQLiteTable))
    .flatMap((table) => {
      const definition = manifest.tables[getTableName(table)]
      return definition ? writeTriggers(table, definition) : []
    })

/** Differences between the triggers that an app declares and those in the migrations. */
interface Differences {
  /** Missing triggers, and those with another text. */
  missing: Trigger[]
  /** Custom triggers that do not exist. */
  missingCustom: string[]
  /** Names of triggers that the manifest neither declares nor lists as custom. */
  undeclared: string[]
}

function compareTriggers(app: LoadedApp, existing: ReadonlyMap<string, ExistingTrigger>): Differences {
  const declared = writeAppTriggers(app)
  const custom = Object.values(app.manifest.tables).flatMap(({ customTriggers = [] }) => customTriggers)
  const known = new Set([...declared.map(({ name }) => name), ...custom])
  return {
    missing: declared.filter(({ name, sql }) => existing.get(name)?.sql !== inOneLine(sql)),
    missingCustom: custom.filter((name) => !existing.has(name)),
    undeclared: [...existing].flatMap(([name, { table }]) =>
      table in app.manifest.tables && !known.has(name) ? [name] : [],
    ),
  }
}

/**
 * Writes the statements that create the triggers which the migrations lack, and replace those that changed.
 * @returns one text per statement
 */
export function writeMissingTriggers(apps: readonly LoadedApp[], migrations: readonly Migration[]): string[] {
  const existing = findTriggers(migrations)
  return apps
    .flatMap((app) => compareTriggers(app, existing).missing)
    .flatMap(({ name, sql }) => (existing.has(name) ? [`DROP TRIGGER \`${name}\`;`, sql] : [sql]))
}

/** A difference between an app's folder and the rest of the project. */
export interface AppViolation {
  file: string
  message: string
}

/** Finds the differences between the manifests and the migrations of the site databases. */
export function findAppViolations(apps: readonly LoadedApp[], migrations: readonly Migration[]): AppViolation[] {
  const existing = findTriggers(migrations)
  // A trigger of one app may belong to the table of another, such as a cascade.
  const declaredByAnyApp = new Set(apps.flatMap((app) => writeAppTriggers(app).map(({ name }) => name)))
  return apps.flatMap((app) => {
    const { slug, tables, usage = {}, migrations: listed } = app.manifest
    const { missing, missingCustom, undeclared } = compareTriggers(app, existing)
    const touching = migrations.flatMap(({ name, sql }) =>
      Object.keys(tables).some((table) => sql.includes(`\`${table}\``)) ? [name] : [],
    )
    const counters = Object.values(tables).flatMap((table) => table.counters.map(({ list }) => list))
    const messages = [
      ...missing.map(({ name }) => `the migrations lack the trigger ${name}; run npm run db:generate -- sites <name>`),
      ...missingCustom.map((name) => `the migrations lack the custom trigger ${name}`),
      ...undeclared
        .filter((name) => !declaredByAnyApp.has(name))
        .map((name) => `the trigger ${name} in the migrations is not declared`),
      ...touching.filter((name) => !listed.includes(name)).map((name) => `\`migrations\` lacks ${name}`),
      ...listed.filter((name) => !touching.includes(name)).map((name) => `${name} does not touch the app's tables`),
      ...Object.values(usage)
        .filter(({ counter }) => !counters.includes(counter))
        .map(({ counter }) => `\`usage\` has the counter ${counter}, which no table of the app has`),
    ]
    return messages.map((message) => ({ file: `src/apps/${slug}/manifest.ts`, message }))
  })
}
