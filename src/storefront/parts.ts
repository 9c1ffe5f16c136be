// The parts that a store's storefront is made of: those of the apps that are on, then the journal.
import { plugins } from "../apps/registry"
import { findTheme } from "../themes/catalog"
import { journal } from "./journal/part"
import type { StorefrontPart } from "./part"

const loading = new Map<string, Promise<StorefrontPart>>()

/**
 * @param apps slugs of the apps that are on
 * @param theme slug of the store's theme; what its required apps show comes first
 * @returns in the order of the menu. An app's part is loaded the first time a store of this isolate has the app on.
 */
export async function partsOf(apps: readonly string[], theme: string): Promise<StorefrontPart[]> {
  const first = findTheme(theme)?.requires ?? []
  const enabled = plugins.filter(({ slug }) => apps.includes(slug))
  const ordered = [
    ...enabled.filter(({ slug }) => first.includes(slug)),
    ...enabled.filter(({ slug }) => !first.includes(slug)),
  ]
  const parts = ordered.flatMap(({ slug, storefront }) => {
    if (!storefront) return []
    const part = loading.get(slug) ?? storefront()
    loading.set(slug, part)
    return [part]
  })
  return [...(await Promise.all(parts)), journal]
}
