// Bazaar theme: warm and loud, with a striped awning, outlined cards with hard shadows, and prices on paper tags.
import { fonts } from "./fonts"
import type { ThemeSource } from "./theme"

export const bazaar: ThemeSource = {
  slug: "bazaar",
  name: "Bazaar",
  description: "Warm and colorful: a striped awning, outlined cards and price tags.",
  requires: ["ecommerce"],
  published: true,
  presets: [
    {
      slug: "saffron",
      name: "Saffron",
      tokens: {
        scheme: "light",
        ground: "#fff4dc",
        surface: "#ffffff",
        ink: "#2b1608",
        muted: "#6f4f38",
        line: "#e9cf9f",
        accent: "#b8330f",
        onAccent: "#fff8ea",
        art: ["#ffd67a", "#b8330f", "#f08a24", "#ffebbd", "#1f7a74"],
        display: fonts.rounded,
        text: fonts.rounded,
      },
    },
    {
      slug: "fiesta",
      name: "Fiesta",
      tokens: {
        scheme: "light",
        ground: "#fff0f2",
        surface: "#ffffff",
        ink: "#2a0a26",
        muted: "#75476a",
        line: "#f3c3d3",
        accent: "#b01663",
        onAccent: "#fff5fa",
        art: ["#ffc2d4", "#b01663", "#ff7a59", "#ffe9a8", "#0d9488"],
        display: fonts.slab,
        text: fonts.humanist,
      },
    },
    {
      slug: "citrus",
      name: "Citrus",
      tokens: {
        scheme: "light",
        ground: "#f8fbe0",
        surface: "#ffffff",
        ink: "#12290f",
        muted: "#4b6340",
        line: "#d5e0a0",
        accent: "#20702f",
        onAccent: "#f7ffe9",
        art: ["#e3ee8a", "#20702f", "#8bc34a", "#fff6b8", "#f57c1f"],
        display: fonts.geometric,
        text: fonts.geometric,
      },
    },
  ],
  layout: `
:root { --radius: 1rem; --weight: 700; --tracking: -.02em; --edge: 2px solid var(--ink); --ratio: 1 }
/* Awning: stripes with scalloped edges of the same width. */
.masthead::before {
  content: ""; display: block; height: 1.75rem;
  background: repeating-linear-gradient(90deg, var(--accent) 0 2rem, var(--surface) 2rem 4rem);
  -webkit-mask: radial-gradient(1rem at 1rem .75rem, #000 97%, #0000) 0 0/2rem 100%, linear-gradient(#000 0 0) 0 0/100% .75rem no-repeat;
  mask: radial-gradient(1rem at 1rem .75rem, #000 97%, #0000) 0 0/2rem 100%, linear-gradient(#000 0 0) 0 0/100% .75rem no-repeat;
}
.brand { font-weight: 800; font-size: 1.5rem }
.menu { gap: .4rem }
.menu a { padding: .35rem .9rem; border-radius: 99px; border: 2px solid transparent; color: var(--ink); font-weight: 600 }
.menu a:hover { border-color: var(--ink) }
@media (max-width: 39.99rem) {
  .menu { margin-inline: -.7rem; gap: 0 }
  .menu a { padding-inline: .7rem }
}
.menu [aria-current] { background: var(--ink); color: var(--ground); border-color: var(--ink) }
.button { border: var(--edge); border-radius: 99px; font-weight: 700; box-shadow: .2rem .2rem 0 var(--ink) }
.hero .shell { display: grid; gap: 2rem; padding: clamp(1.75rem, 5vw, 4.5rem); margin-top: .5rem; background: var(--art-0); border: var(--edge); border-radius: 1.75rem; box-shadow: .4rem .4rem 0 var(--ink) }
.hero .lede { color: var(--ink) }
.hero h1 { font-weight: 800; font-size: clamp(2.5rem, 1.6rem + 4.4vw, 5rem) }
.hero-picture { --ratio: 3/2; border: var(--edge); border-radius: 1.25rem; background: var(--surface) }
.hero-picture .t0 { fill: var(--surface) }
@media (min-width: 52rem) {
  .hero .shell { grid-template-columns: minmax(0, 7fr) minmax(0, 5fr); align-items: center }
  .hero-picture { --ratio: 1; rotate: 2deg; border-radius: 50% 50% 1.25rem 1.25rem }
}
.section-head h2 { text-decoration: underline wavy var(--art-4) 3px; text-underline-offset: .35em; line-height: 1.6 }
.more { font-weight: 600 }
.product a, .post a, .gallery a { height: 100%; overflow: hidden; background: var(--surface); border: var(--edge); border-radius: var(--radius); box-shadow: .25rem .25rem 0 var(--ink) }
.grid .frame { border-radius: 0; border-bottom: var(--edge) }
.product { position: relative }
.product .name { padding: .15rem 1rem 1.1rem; font-size: 1.125rem }
.product .price { position: absolute; top: .75rem; inset-inline-end: -.3rem; margin: 0; padding: .2rem .7rem; background: var(--surface); color: var(--ink); font-weight: 700; font-size: .9375rem; border: var(--edge); border-radius: .5rem; rotate: 3deg }
.grid > :nth-child(3n+2) .t0 { fill: var(--surface) }
.post a, .gallery a { padding-bottom: 1.3rem }
.post a > :not(.frame), .gallery a > :not(.frame) { margin-inline: 1.25rem }
.detail .frame, .article .frame { border: var(--edge); box-shadow: .4rem .4rem 0 var(--ink) }
.detail .price { display: inline-block; padding: .15rem .9rem; color: var(--ink); background: var(--art-0); font-weight: 700; border: var(--edge); border-radius: .5rem; rotate: -1deg }
.products.of-1 .price { position: static; justify-self: start; margin: 0 1rem 1rem; rotate: -2deg }
@media (min-width: 40rem) {
  .of-1 .frame { border-bottom: 0; border-inline-end: var(--edge) }
  .grid.of-1 a { padding-bottom: 0 }
}
.prose blockquote { font-weight: 600 }
.foot { margin-top: 2rem; border-top: 0; background: var(--ink); color: var(--ground) }
.foot a:hover { color: inherit }
.foot :focus-visible { outline-color: var(--ground) }
@media (prefers-reduced-motion: no-preference) {
  .button, .grid a { transition: translate .15s, box-shadow .15s }
  .button:hover, .grid a:hover { translate: .1rem .1rem; box-shadow: .1rem .1rem 0 var(--ink) }
}
`,
}
