// Loads the installed apps with their tables, in Node.
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

const importSource = async (path: string): Promise<Record<string, unknown>> =>
  import(pathToFileURL(join(root, "src/apps", `${path}.ts`)).href)
