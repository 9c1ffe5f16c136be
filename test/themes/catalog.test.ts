// The theme catalog.
import { describe, expect, it } from "vitest"
import { findApp } from "../../src/apps/registry"
import { defaultPreset, findTheme, themes } from "../../src/themes/catalog"

describe("theme catalog", () => {
  it("the theme catalog publishes atelier, nocturne, bazaar and vitrine, each with two or three presets", () => {
    const published = themes.filter((theme) => theme.published)
    expect(published.map((theme) => theme.slug)).toEqual(["atelier", "nocturne", "bazaar", "vitrine"])
    for (const theme of published) expect([2, 3]).toContain(theme.presets.length)
  })

  it("the theme catalog has a default theme that every store can use", () => {
    expect(findTheme("atelier")).toMatchObject({ published: true, requires: [] })
  })

  it("the theme catalog lists the apps that a theme requires", () => {
    expect(findTheme("bazaar")?.requires).toEqual(["ecommerce"])
    expect(findTheme("vitrine")?.requires).toEqual(["galleries"])
  })

  it("themes require only installed apps", () => {
    const required = themes.flatMap((theme) => theme.requires)
    expect(required.filter((slug) => !findApp(slug))).toEqual([])
  })

  it("the theme catalog contains an installed theme that is not published", () => {
    expect(findTheme("blueprint")).toMatchObject({ published: false })
  })

  it("the theme catalog has unique, URL-safe slugs", () => {
    const slugs = themes.map((theme) => theme.slug)
    expect(new Set(slugs).size).toBe(slugs.length)
    for (const theme of themes) {
      const presets = theme.presets.map((preset) => preset.slug)
      expect(new Set(presets).size).toBe(presets.length)
      for (const slug of [theme.slug, ...presets]) expect(slug).toMatch(/^[a-z][a-z0-9-]*$/)
    }
  })

  it("the theme catalog lists entries without their styles", () => {
    for (const theme of themes) {
      expect(Object.keys(theme).sort()).toEqual([
        "description",
        "hasAssets",
        "name",
        "presets",
        "published",
        "requires",
        "slug",
      ])
      for (const preset of theme.presets) expect(Object.keys(preset).sort()).toEqual(["name", "slug"])
    }
  })

  it("the theme catalog defaults to a theme's first preset", () => {
    expect(themes.map(defaultPreset)).toEqual(["linen", "ember", "saffron", "daylight", "draft"])
  })

  it("the theme catalog does not find unknown themes", () => {
    for (const slug of ["", "Atelier", "unknown", "__proto__", "constructor"])
      expect.soft(findTheme(slug), slug).toBeUndefined()
  })
})
