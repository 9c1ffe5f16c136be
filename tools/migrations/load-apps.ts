// Loads the installed apps with their tables, in Node.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import "../lib/worker-imports.ts"
import { root } from "../lib/project.ts"
import type { LoadedApp } from "./app-triggers.ts"

/** Loads every app of the registry with its module `tables.ts`. */
export async function loadApps(): Promise<LoadedApp[]> {
  const { availableApps } = (await importSource("registry")) as typeof import("../../src/apps/registry.ts")
  return Promise.all(
    availableApps.map(async (manifest) => ({ manifest, tables: await importSource(`${manifest.slug}/tables`) })),
  )
}

/** Lists the folders in `src/apps` that have a manifest, but are not in the registry. */
export const listUnregisteredFolders = (apps: readonly LoadedApp[]): string[] =>
  readdirSync(join(root, "src/apps"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !apps.some(({ manifest }) => manifest.slug === entry.name))
    .map(({ name }) => name)

const importSource = async (path: string): Promise<Record<string, unknown>> =>
  import(pathToFileURL(join(root, "src/apps", `${path}.ts`)).href)
