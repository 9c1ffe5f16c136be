// Assembles the parts of a storefront: the parts of the enabled apps, then the journal.
import type { AppDefinition } from "../apps/definition"
import { availableApps } from "../apps/registry"
import { memoize } from "../lib/memo"
import { findTheme } from "../themes/catalog"
import type { Shop } from "./data"
import { journal } from "./journal/part"
import type { StorefrontPart } from "./part"

/** Imports the part of an app, once per isolate. */
const loadPart = memoize((app: AppDefinition) => app.storefront?.())

/**
 * Lists the links of the enabled apps in the footer.
 * @param apps slugs of the enabled apps
 */
export const listFooterLinks = (apps: readonly string[]): NonNullable<Shop["footerLinks"]> =>
  availableApps.flatMap(({ slug, visitorPages }) => (apps.includes(slug) ? (visitorPages?.footerLinks ?? []) : []))

/**
 * Returns the storefront parts of a store in menu order. Imports an app's part on first use.
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
  const parts = await Promise.all(ordered.map(loadPart))
  return [...parts.filter((part) => part !== undefined), journal]
}
