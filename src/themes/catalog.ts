// Theme catalog: the installed themes, as the platform API lists and validates them.
import { atelier } from "./atelier"
import { bazaar } from "./bazaar"
import { blueprint } from "./blueprint"
import { nocturne } from "./nocturne"
import type { Theme, ThemeSource } from "./theme"
import { vitrine } from "./vitrine"

export type { Theme } from "./theme"

/** Sources of all installed themes, in catalog order. */
export const themeSources: readonly ThemeSource[] = [atelier, nocturne, bazaar, vitrine, blueprint]

/** Maps a theme's source to its catalog entry. */
export const toTheme = ({ slug, name, description, presets, requires, published, layout }: ThemeSource): Theme => ({
  slug,
  name,
  description,
  presets: presets.map((preset) => ({ slug: preset.slug, name: preset.name })),
  requires: [...requires],
  published,
  hasAssets: layout !== null,
})

/** All installed themes, published or not, in catalog order. */
export const themes: readonly Theme[] = themeSources.map(toTheme)

/** Finds an installed theme by its slug, published or not. */
export function findTheme(slug: string): Theme | undefined {
  return themes.find((theme) => theme.slug === slug)
}

/** Returns the slug of a theme's default preset, which is its first one. */
export function defaultPreset(theme: Theme): string {
  const [first] = theme.presets
  if (!first) throw new Error(`Theme ${theme.slug} has no preset`)
  return first.slug
}
