// Nocturne theme: dark and editorial, with a large high-contrast masthead, a lead story and ruled lists.
import { fonts } from "./fonts"
import type { ThemeSource } from "./theme"

export const nocturne: ThemeSource = {
  slug: "nocturne",
  name: "Nocturne",
  description: "Dark and editorial: large letters, and lists ruled like a magazine.",
  requires: [],
  published: true,
  presets: [
    {
      slug: "ember",
      name: "Ember",
      tokens: {
        scheme: "dark",
        ground: "#100e0c",
        surface: "#1d1915",
        ink: "#f4ede2",
        muted: "#a99e90",
        line: "#38312a",
        accent: "#eda14f",
        onAccent: "#1a1008",
        art: ["#1f1914", "#5e3019", "#a8572a", "#e0a365", "#f5dcae"],
        display: fonts.didone,
        text: fonts.transitional,
      },
    },
    {
      slug: "midnight",
      name: "Midnight",
      tokens: {
        scheme: "dark",
        ground: "#0a1020",
        surface: "#141d33",
        ink: "#eaf0fb",
        muted: "#98a6c2",
        line: "#27334f",
        accent: "#8fc3ff",
        onAccent: "#07162b",
        art: ["#131d36", "#243d75", "#4c77c4", "#9dc0ef", "#f3e7c4"],
        display: fonts.humanist,
        text: fonts.system,
      },
    },
    {
      slug: "velvet",
      name: "Velvet",
      tokens: {
        scheme: "dark",
        ground: "#190d17",
        surface: "#281726",
        ink: "#fbeef3",
        muted: "#bd9fb2",
        line: "#46293f",
        accent: "#f39bb4",
        onAccent: "#2b0c1b",
        art: ["#2a1526", "#6f2350", "#b3476f", "#eb9aa6", "#f6d9c3"],
        display: fonts.bookish,
        text: fonts.humanist,
      },
    },
  ],
  layout: `
:root { --tracking: -.025em }
.masthead { border-bottom: 1px solid var(--line) }
.menu a { font-size: .9375rem }
.hero .shell { padding-top: clamp(2.25rem, 5vw, 4.5rem) }
.hero h1 { font-size: clamp(3.25rem, 1rem + 11.5vw, 11rem); line-height: .92; letter-spacing: -.04em; margin-inline-start: -.03em }
.hero-text { display: grid; gap: 0 3rem }
.hero .button { justify-self: start; background: none; color: var(--accent); border: 1px solid; border-radius: 99px }
.hero .button:hover { background: var(--accent); color: var(--on-accent); filter: none }
.hero-picture { --ratio: 3/2; margin-top: clamp(2rem, 4.5vw, 4rem) }
@media (min-width: 52rem) {
  .hero-picture { --ratio: 21/9 }
  .hero-text { grid-template-columns: minmax(0, 1fr) auto; align-items: end }
  .hero-text h1 { grid-column: 1/-1 }
}
.section-head { border-bottom: 1px solid var(--line); padding-bottom: 1rem }
.section-head h2 { font-size: clamp(1.9rem, 1.3rem + 2.6vw, 3.4rem) }
.product .name { font-size: 1.2rem }
/* The first of many products is enlarged, and the last one fills the rest of its row. */
@media (min-width: 60rem) {
  .lead.of-4 a { display: flex; flex-direction: column; height: 100% }
  .lead.of-4 > :first-child { grid-area: span 2/span 2 }
  .lead.of-4 > :is(:first-child, :last-child) .frame { position: relative; flex: 1; aspect-ratio: auto }
  .lead.of-4 > :is(:first-child, :last-child) .frame > * { position: absolute; inset: 0 }
  .lead.of-4 > :first-child .name { font-size: 1.6rem }
  .lead.of-4 > :nth-child(4n):last-child { grid-column: span 2 }
  .lead.of-4 > :nth-child(4n+3):last-child { grid-column: span 3 }
  .lead.of-4 > :nth-child(4n+2):last-child { grid-column: span 4 }
  .lead.of-4 > :nth-child(4n+2):last-child .frame { flex: none; aspect-ratio: 3/1 }
}
.grid.posts { display: block }
.post { border-bottom: 1px solid var(--line) }
.posts .post a { display: grid; grid-template-columns: minmax(0, 1fr) clamp(5rem, 18vw, 11rem); grid-template-rows: auto auto 1fr; gap: .4rem clamp(1.25rem, 4vw, 4rem); padding-block: clamp(1.25rem, 2.6vw, 2.25rem) }
.posts .post a > * { grid-column: 1; grid-row: auto; margin: 0 }
.posts .post a > .frame { --ratio: 1; grid-column: 2; grid-row: 1/4; align-self: start }
.post .name { font-size: clamp(1.35rem, 1.1rem + 1.6vw, 2.25rem) }
@media (min-width: 60rem) {
  .posts .post a { grid-template-columns: 10rem minmax(0, 1fr) 11rem; grid-template-rows: auto 1fr }
  .posts .post a > .frame { --ratio: 3/2; grid-column: 3; grid-row: 1/3 }
  .posts .post a > time { grid-row: 1; padding-top: .5em }
  .posts .post a > :is(.name, p) { grid-column: 2 }
}
.article h1 { font-size: clamp(2.5rem, 1.6rem + 4.4vw, 5rem) }
`,
}
