// Base styles: reset, typography, focus rings and shared utility classes.

export const foundation = `
:root {
  --gutter: clamp(1.25rem, 4.5vw, 3.5rem);
  --space: clamp(3.25rem, 8vw, 7rem);
  --gap: clamp(1rem, 2.4vw, 2rem);
  --wide: 78rem;
  --radius: 0;
  --weight: 400;
  --tracking: -.015em;
  --ratio: 4/5;
}
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 2rem }
body {
  margin: 0; min-height: 100vh; min-height: 100svh; display: flex; flex-direction: column;
  background: var(--ground); color: var(--ink);
  font: 400 1.0625rem/1.6 var(--text); overflow-wrap: anywhere;
  -webkit-font-smoothing: antialiased;
}
main { flex: 1 }
h1, h2, h3, h4, h5, h6 {
  margin: 0; font-family: var(--display); font-weight: var(--weight);
  letter-spacing: var(--tracking); line-height: 1.12; text-wrap: balance;
}
h1 { font-size: clamp(2.25rem, 1.5rem + 3.6vw, 4.25rem) }
h2 { font-size: clamp(1.5rem, 1.2rem + 1.4vw, 2.25rem) }
h3 { font-size: 1.0625rem; line-height: 1.3 }
p, ul, ol, dl, dd, figure { margin: 0 }
p { text-wrap: pretty }
ul, ol { padding: 0; list-style: none }
img, svg { display: block; max-width: 100% }
a { color: inherit; text-decoration: none }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px }
::selection { background: var(--accent); color: var(--on-accent) }

.shell { width: min(100% - 2 * var(--gutter), var(--wide)); margin-inline: auto }
.narrow { --wide: 42rem }
.section { padding-block: var(--space) }
.section + .section { padding-top: 0 }
.section-head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: .5rem 2rem; margin-bottom: clamp(1.5rem, 3vw, 2.75rem) }
.lede { color: var(--muted); font-size: clamp(1.0625rem, 1rem + .4vw, 1.3rem); line-height: 1.5; max-width: 36em }
.quiet { color: var(--muted) }
.more { color: var(--accent); text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: .3em }
.more:hover { text-decoration-thickness: 2px }
.button {
  display: inline-block; padding: .8em 1.6em; background: var(--accent); color: var(--on-accent);
  border-radius: var(--radius); font-weight: 500; line-height: 1.25;
}
.button:hover { filter: brightness(1.08) }
.frame { overflow: hidden; aspect-ratio: var(--ratio); background: var(--art-0); border-radius: var(--radius) }
.frame > * { width: 100%; height: 100%; object-fit: cover }
.t0 { fill: var(--art-0) } .t1 { fill: var(--art-1) } .t2 { fill: var(--art-2) } .t3 { fill: var(--art-3) } .t4 { fill: var(--art-4) }

/* Letter spacing breaks up cursive scripts such as Arabic. */
html[dir=rtl] body * { letter-spacing: normal }

.skip { position: absolute; inset-inline-start: 1rem; top: -6rem; z-index: 9; padding: .75rem 1.25rem; background: var(--accent); color: var(--on-accent) }
.skip:focus { top: 1rem }

@media (prefers-reduced-motion: no-preference) {
  @view-transition { navigation: auto }
  .frame > * { transition: transform .8s cubic-bezier(.2, .7, .2, 1) }
  a:hover > .frame > * { transform: scale(1.035) }
}
@media print {
  .masthead nav, .foot, .pager, .hero-picture { display: none }
}
`
