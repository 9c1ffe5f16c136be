// Atelier theme: quiet and light, with paper tones, hairlines, an old-style serif and generous white space.
import { fonts } from "./fonts"
import type { ThemeSource } from "./theme"

export const atelier: ThemeSource = {
  slug: "atelier",
  name: "Atelier",
  description: "Quiet and light: paper tones, a serif typeface and space around few things.",
  requires: [],
  published: true,
  presets: [
    {
      slug: "linen",
      name: "Linen",
      tokens: {
        scheme: "light",
        ground: "#faf7f2",
        surface: "#f1ebe1",
        ink: "#26211c",
        muted: "#6b6258",
        line: "#dfd6c9",
        accent: "#9a4526",
        onAccent: "#fffaf4",
        art: ["#eae0d1", "#7d4a34", "#c88d6a", "#ddc3a5", "#b5522b"],
        display: fonts.oldStyle,
        text: fonts.system,
      },
    },
    {
      slug: "sage",
      name: "Sage",
      tokens: {
        scheme: "light",
        ground: "#f5f7f2",
        surface: "#e7ece1",
        ink: "#1d261f",
        muted: "#56635a",
        line: "#cfd8cc",
        accent: "#2f5d46",
        onAccent: "#f6faf5",
        art: ["#dde5d6", "#2f5040", "#7d9a7e", "#b7c9ac", "#d9a441"],
        display: fonts.bookish,
        text: fonts.humanist,
      },
    },
    {
      slug: "porcelain",
      name: "Porcelain",
      tokens: {
        scheme: "light",
        ground: "#ffffff",
        surface: "#f0f3f7",
        ink: "#141b26",
        muted: "#5a6575",
        line: "#dbe1e9",
        accent: "#1f4fa3",
        onAccent: "#ffffff",
        art: ["#e6ecf4", "#1f3f7d", "#6e93cf", "#b5c9e6", "#e2725b"],
        display: fonts.grotesque,
        text: fonts.grotesque,
      },
    },
  ],
  layout: `
.masthead { border-bottom: 1px solid var(--line) }
.hero .shell { display: grid; gap: 2.25rem clamp(2rem, 6vw, 6rem); padding-block: clamp(2rem, 5vw, 5rem) }
.hero .button { padding: .2rem 0 .35rem; background: none; color: var(--accent); border-bottom: 1px solid }
.hero-picture { --ratio: 5/4 }
@media (min-width: 52rem) {
  .hero .shell { grid-template-columns: minmax(0, 6fr) minmax(0, 5fr); align-items: end }
  .hero-picture { --ratio: 4/5; order: 1 }
  .hero-text { padding-bottom: clamp(0rem, 3vw, 3rem) }
}
.section-head { padding-top: 1.1rem; border-top: 1px solid var(--line) }
`,
}
