// The themes a store can have, as the control plane lists and checks them.
import { atelier } from "./atelier"
import { bazaar } from "./bazaar"
import { blueprint } from "./blueprint"
import { nocturne } from "./nocturne"
import type { Theme, ThemeSource } from "./theme"
import { vitrine } from "./vitrine"

export type { Theme } from "./theme"

/** Every theme with its styles, in the order of the catalog; for the stylesheet composer. */
export const themeSources: readonly ThemeSource[] = [atelier, nocturne, bazaar, vitrine, blueprint]

/** A theme's entry in the catalog. */
export const toTheme = ({ slug, name, description, presets, requires, published, layout }: ThemeSource): Theme => ({
  slug,
  name,
  description,
  presets: presets.map((preset) => ({ slug: preset.slug, name: preset.name })),
  requires: [...requires],
  published,
  hasAssets: layout !== null,
})

/** Every theme, published or not, in the order of the catalog. */
export const themes: readonly Theme[] = themeSources.map(toTheme)

/**
 * @param slug as stored with the store or asked for by a client
 * @returns the installed theme, published or not; undefined when there is none of that name
 */
export function findTheme(slug: string): Theme | undefined {
  return themes.find((theme) => theme.slug === slug)
}

/**
 * @param theme a theme of the catalog
 * @returns the slug of the look that a store gets when it names none: the theme's first preset
 */
export function defaultPreset(theme: Theme): string {
  const [first] = theme.presets
  if (!first) throw new Error(`Theme ${theme.slug} has no preset`)
  return first.slug
}
