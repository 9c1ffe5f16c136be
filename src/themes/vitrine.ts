// Vitrine theme: pictures first, with an edge-to-edge hero, tight grids and small captions.
import { fonts } from "./fonts"
import type { ThemeSource } from "./theme"

export const vitrine: ThemeSource = {
  slug: "vitrine",
  name: "Vitrine",
  description: "Pictures first: a wide image, and galleries next to the products.",
  requires: ["galleries"],
  published: true,
  presets: [
    {
      slug: "daylight",
      name: "Daylight",
      tokens: {
        scheme: "light",
        ground: "#ffffff",
        surface: "#f2f2f0",
        ink: "#0e0e0d",
        muted: "#5f5f5b",
        line: "#e2e2de",
        accent: "#0e0e0d",
        onAccent: "#ffffff",
        art: ["#e6e4de", "#23262b", "#8f8a80", "#c9c4b8", "#e4572e"],
        display: fonts.geometric,
        text: fonts.geometric,
      },
    },
    {
      slug: "darkroom",
      name: "Darkroom",
      tokens: {
        scheme: "dark",
        ground: "#0c0c0d",
        surface: "#19191b",
        ink: "#f2f2f0",
        muted: "#a0a09d",
        line: "#2c2c2f",
        accent: "#ff6b57",
        onAccent: "#1d0602",
        art: ["#1b1c1f", "#3a3d44", "#74787f", "#c3c2bd", "#ff6b57"],
        display: fonts.condensed,
        text: fonts.grotesque,
      },
    },
    {
      slug: "plaster",
      name: "Plaster",
      tokens: {
        scheme: "light",
        ground: "#ece5dc",
        surface: "#f7f2ec",
        ink: "#2a231d",
        muted: "#655a4f",
        line: "#d3c8ba",
        accent: "#7a3b2e",
        onAccent: "#fbf5ef",
        art: ["#d9cdbf", "#5c3a31", "#a5796a", "#efe4d6", "#6f8a7f"],
        display: fonts.didone,
        text: fonts.humanist,
      },
    },
  ],
  layout: `
:root { --wide: 110rem; --gutter: clamp(1rem, 2.5vw, 2.25rem); --gap: clamp(.25rem, .6vw, .5rem); --ratio: 4/5 }
.brand { font-size: 1.125rem; text-transform: uppercase; letter-spacing: .14em }
.menu a { font-size: .9375rem }
.hero { display: grid }
.hero .shell { width: 100%; display: grid; max-width: none }
.hero-picture { --ratio: 4/5; grid-row: 1; max-height: 82vh; width: 100% }
.hero-text { padding: 1.5rem var(--gutter) .5rem }
.hero h1 { font-size: clamp(2.1rem, 1.5rem + 2.8vw, 3.75rem); line-height: 1.05 }
.hero .lede { margin-top: .9rem; font-size: 1.0625rem }
.hero .button { margin-top: 1.4rem }
@media (min-width: 40rem) {
  .hero-picture { --ratio: 2/1; grid-area: 1/1 }
  .hero-text { grid-area: 1/1; place-self: end start; z-index: 1; width: min(100%, 34rem); padding: clamp(1.25rem, 3vw, 2.5rem) clamp(1.25rem, 4vw, 3.5rem) clamp(1rem, 2vw, 1.5rem) var(--gutter); background: var(--ground) }
}
.section { --space: clamp(2.5rem, 5vw, 4.5rem) }
.section-head { margin-bottom: 1.25rem }
.section-head h2 { font-size: 1.25rem; letter-spacing: 0 }
.grid { row-gap: clamp(1.25rem, 2.5vw, 2.25rem) }
.product .name, .product .price { font-size: .9375rem; font-family: var(--text); letter-spacing: 0 }
.product .name { margin-top: .55rem }
.posts { column-gap: clamp(1rem, 2.4vw, 2rem) }
.galleries { --ratio: 1 }
@media (min-width: 60rem) {
  .galleries.of-3 { grid-template-columns: 2fr 1fr 1fr }
  .galleries.of-3 .frame { aspect-ratio: auto; height: 26rem }
  .products.of-3 { --ratio: 1 }
  .detail-grid { grid-template-columns: minmax(0, 2fr) minmax(0, 1fr) }
}
.gallery .name { font-size: 1.0625rem; margin-top: .55rem }
.detail .frame { margin-inline: calc(-1 * var(--gutter)) }
@media (min-width: 52rem) { .detail .frame { margin-inline: calc(-1 * var(--gutter)) 0; --ratio: 1 } }
.detail .thumbnails .frame { margin-inline: 0 }
.detail h1 { font-size: clamp(1.75rem, 1.4rem + 1.4vw, 2.5rem) }
.pictures { columns: 3 20rem }
`,
}
