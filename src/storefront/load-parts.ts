// Assembles the parts of a storefront: the parts of the enabled apps, then the journal.
import { availableApps } from "../apps/registry"
import { findTheme } from "../themes/catalog"
import { journal } from "./journal/part"
import type { StorefrontPart } from "./part"

const loading = new Map<string, Promise<StorefrontPart>>()

/**
 * Returns the storefront parts of a store in menu order. Imports an app's part once per isolate, on first use.
 * @param apps slugs of the enabled apps
 * @param theme slug of the store's theme; the parts of the apps it requires come first
 */
export async function loadParts(apps: readonly string[], theme: string): Promise<StorefrontPart[]> {
  const requiredApps = findTheme(theme)?.requires ?? []
  const enabled = availableApps.filter(({ slug }) => apps.includes(slug))
  const ordered = [
    ...enabled.filter(({ slug }) => requiredApps.includes(slug)),
    ...enabled.filter(({ slug }) => !requiredApps.includes(slug)),
  ]
  const parts = ordered.flatMap(({ slug, storefront }) => {
    if (!storefront) return []
    const part = loading.get(slug) ?? storefront()
    loading.set(slug, part)
    return [part]
  })
  return [...(await Promise.all(parts)), journal]
}
