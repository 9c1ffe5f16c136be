// Checks the apps of the project: their triggers, migrations and folders.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { root } from "../lib/project.ts"
import { type AppViolation, findAppViolations } from "./app-triggers.ts"
import { readMigrations } from "./existing.ts"
import { loadApps } from "./load-apps.ts"

/** Finds everything that an app of the project lacks. */
export async function checkApps(): Promise<AppViolation[]> {
  const apps = await loadApps()
  const slugs = apps.map(({ manifest }) => manifest.slug)
  const folders = readdirSync(join(root, "src/apps"), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const unregistered = folders.filter(({ name }) => !slugs.includes(name))
  const untested = slugs.filter((slug) => !existsSync(join(root, `test/apps/${slug}/requests.ts`)))
  return [
    ...findAppViolations(apps, readMigrations(join(root, "migrations/sites"))),
    ...unregistered.map(({ name }) => ({
      file: `src/apps/${name}`,
      message: "the app is not in src/apps/registry.ts",
    })),
    ...untested.map((slug) => ({ file: `src/apps/${slug}`, message: `test/apps/${slug}/requests.ts is missing` })),
  ]
}
