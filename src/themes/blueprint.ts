// Blueprint theme: an unfinished drawing-board design. It is installed for previews, but stores cannot choose it.
import { fonts } from "./fonts"
import type { ThemeSource } from "./theme"

export const blueprint: ThemeSource = {
  slug: "blueprint",
  name: "Blueprint",
  description: "White lines on drafting blue. In preparation.",
  requires: [],
  published: false,
  presets: [
    {
      slug: "draft",
      name: "Draft",
      tokens: {
        scheme: "dark",
        ground: "#12386b",
        surface: "#194680",
        ink: "#f3f8ff",
        muted: "#b9cdea",
        line: "#41689d",
        accent: "#ffe27a",
        onAccent: "#1b2a10",
        art: ["#194680", "#0d2b54", "#5d8ac4", "#b9d3f2", "#ffe27a"],
        display: fonts.mono,
        text: fonts.mono,
      },
    },
  ],
  layout: `
body { background: linear-gradient(var(--line) 1px, #0000 1px) 0 0/100% 2.5rem, linear-gradient(90deg, var(--line) 1px, #0000 1px) 0 0/2.5rem 100%, var(--ground) }
.masthead, .hero .shell, .foot { background: var(--ground) }
.hero .shell { display: grid; gap: 2rem; padding-block: 3rem }
.frame { border: 1px solid var(--ink) }
`,
}
