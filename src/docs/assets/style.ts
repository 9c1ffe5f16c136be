// The documentation's stylesheet.
import { css } from "./css"

export const style = css`
:root {
  --ground: var(--brand-ground);
  --raised: var(--brand-card);
  --line: var(--brand-line);
  --ink: var(--brand-ink);
  --soft: var(--brand-soft);
  --accent: var(--brand-accent);
  --tint: var(--brand-tint);
  --code: var(--brand-faint);
  --dark: #10151d;
  --get: var(--brand-success);
  --post: light-dark(#0b5fd0, #6cb0ff);
  --change: var(--brand-warning);
  --delete: var(--brand-error);
  --sans: var(--brand-font);
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
* { box-sizing: border-box }
html { scroll-padding-top: 5rem; -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 var(--sans); text-rendering: optimizeLegibility }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 3px }
a:hover { text-decoration-thickness: 2px }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px }
code, pre { font-family: var(--mono); font-size: .86em; font-variant-ligatures: none }
:not(pre) > code { background: var(--raised); border: 1px solid var(--line); border-radius: 5px; padding: .1em .35em; overflow-wrap: anywhere }
a > code { color: inherit }
h1, h2, h3, h4 { line-height: 1.25; letter-spacing: -.012em; text-wrap: balance; margin: 0 }
h1 { font-size: clamp(1.8rem, 1.4rem + 1.6vw, 2.5rem); letter-spacing: -.025em }
h2 { font-size: 1.45rem; margin: 3rem 0 1rem }
h3 { font-size: 1.1rem; margin: 2rem 0 .6rem }
h4 { font-size: .78rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 1.75rem 0 .5rem }
p { margin: 0 0 1rem; text-wrap: pretty }
ul, ol { padding-left: 1.25rem; margin: 0 0 1rem }
li { margin: .25rem 0 }
.skip { position: absolute; left: -999px }
.skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .5rem 1rem; z-index: 20 }

header.top { position: sticky; top: 0; z-index: 10; display: flex; align-items: center; gap: 1.5rem; height: 3.75rem; padding: 0 1.5rem;
  background: color-mix(in srgb, var(--ground) 88%, transparent); backdrop-filter: blur(12px); border-bottom: 1px solid var(--line) }
.brand { display: flex; align-items: center; gap: .6rem; color: var(--ink); font-weight: 650; letter-spacing: -.01em; text-decoration: none; white-space: nowrap }
.brand svg { width: 1.5rem; height: 1.5rem; display: block }
.brand span { color: var(--soft); font-weight: 450 }
header.top nav { display: flex; gap: 1.25rem; margin-right: auto }
header.top nav a { color: var(--soft); text-decoration: none; font-size: .92rem; white-space: nowrap }
header.top nav a:hover, header.top nav a[aria-current] { color: var(--ink) }
header.top nav a[aria-current] { font-weight: 600 }
search { position: relative; width: min(20rem, 34vw) }
search form { margin: 0 }
search input { width: 100%; height: 2.25rem; padding: 0 2.25rem 0 .8rem; border: 1px solid var(--line); border-radius: 8px; background: var(--raised);
  color: inherit; font: inherit; font-size: .9rem }
search kbd { position: absolute; right: .6rem; top: .5rem; font: .75rem var(--mono); color: var(--soft); border: 1px solid var(--line); border-radius: 4px;
  padding: 0 .35rem; pointer-events: none }
#results { position: absolute; right: 0; top: calc(100% + .5rem); width: min(30rem, 90vw); max-height: 70vh; overflow: auto; background: var(--ground);
  border: 1px solid var(--line); border-radius: 10px; box-shadow: 0 12px 40px rgb(0 0 0 / .18); padding: .35rem }
#results a, .results a { display: flex; flex-direction: column; gap: .1rem; padding: .5rem .7rem; border-radius: 7px; color: var(--soft); text-decoration: none; font-size: .9rem }
#results a:hover, #results a:focus, .results a:hover { background: var(--tint) }
.results a { overflow-wrap: anywhere }
#results code, .results code { background: none; border: 0; padding: 0; color: var(--ink); font-weight: 600 }

.columns { display: grid; grid-template-columns: 16.5rem minmax(0, 1fr); max-width: 100rem; margin: 0 auto }
nav.side { position: sticky; top: 3.75rem; height: calc(100dvh - 3.75rem); overflow: auto; padding: 1.75rem 1rem 3rem 1.5rem; border-right: 1px solid var(--line);
  font-size: .9rem; scrollbar-width: thin }
nav.side h2 { font-size: .74rem; text-transform: uppercase; letter-spacing: .07em; color: var(--soft); margin: 1.5rem 0 .35rem; font-weight: 600 }
nav.side h2:first-child { margin-top: 0 }
nav.side ul { list-style: none; margin: 0; padding: 0 }
nav.side li { margin: 0 }
nav.side a { display: flex; gap: .5rem; align-items: baseline; justify-content: space-between; padding: .22rem .6rem; margin-left: -.6rem; border-radius: 6px; color: var(--soft);
  text-decoration: none }
nav.side a:hover { color: var(--ink); background: var(--raised) }
nav.side a[aria-current] { color: var(--accent); background: var(--tint); font-weight: 550 }
nav.side .method { font-size: .62rem }
main { padding: 3rem clamp(1.25rem, 4vw, 4rem) 6rem; min-width: 0 }
.prose { max-width: 46rem }
.lead { font-size: 1.15rem; color: var(--soft); max-width: 44rem; margin: 1rem 0 2rem }

.method { font: 650 .7rem/1 var(--mono); letter-spacing: .03em; color: var(--soft) }
.method.GET { color: var(--get) } .method.POST { color: var(--post) } .method.PUT, .method.PATCH { color: var(--change) } .method.DELETE { color: var(--delete) }
.operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); gap: 2.5rem clamp(1.5rem, 3vw, 3.5rem); padding: 2.75rem 0; border-top: 1px solid var(--line) }
.operation > div { min-width: 0 }
.operation > .samples { position: sticky; top: 5rem; align-self: start; max-height: calc(100dvh - 6rem); overflow: auto; scrollbar-width: thin }
.operation :is(h2, h3) { margin: 0 0 .5rem; font-size: 1.25rem }
.operation :is(h2, h3) a { color: inherit; text-decoration: none }
.operation :is(h2, h3) a:hover::after { content: " #"; color: var(--accent) }
.endpoint { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem; margin-bottom: 1rem; font-family: var(--mono); font-size: .84rem; overflow-wrap: anywhere }
.endpoint .path { color: var(--soft) }
.pill { display: inline-block; font: 500 .72rem/1 var(--sans); color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: .3rem .55rem }
.deprecated { color: var(--delete) }
.tag { padding: 3rem 0 1rem; margin: 0; font-size: 1.7rem }
.tag::first-letter, nav.side h2::first-letter { text-transform: uppercase }
section.group > p { color: var(--soft); max-width: 44rem }

dl.fields { margin: 0; border-top: 1px solid var(--line) }
dl.fields > div { padding: .65rem 0; border-bottom: 1px solid var(--line) }
dl.fields dt { display: flex; flex-wrap: wrap; gap: .25rem .6rem; align-items: baseline }
dl.fields dt code { background: none; border: 0; padding: 0; font-weight: 650 }
dl.fields dt span { font-size: .8rem; color: var(--soft); overflow-wrap: anywhere }
dl.fields dt em { font: 600 .72rem var(--sans); color: var(--change) }
dl.fields dd { margin: .15rem 0 0; font-size: .9rem; color: var(--soft) }
.errors { list-style: none; padding: 0; margin: 0; font-size: .88rem }
.errors li { display: grid; grid-template-columns: 2.6rem minmax(0, 1fr); gap: .5rem; padding: .3rem 0; margin: 0 }
.errors .status { color: var(--soft); font: .8rem/1.7 var(--mono) }
.errors a { text-decoration: none } .errors a:hover { text-decoration: underline }
.errors span { color: var(--soft) }
details > summary { cursor: pointer; color: var(--accent); font-size: .9rem; padding: .35rem 0 }
details[open] > summary { margin-bottom: .35rem }

figure.code { position: relative; margin: 0 0 1.25rem; background: var(--dark); color: #e3e8f0; border: 1px solid light-dark(transparent, var(--line)); border-radius: 10px; overflow: hidden }
figure.code figcaption { font-size: .76rem; font-weight: 550; color: #97a3b6; padding: .6rem 1rem; border-bottom: 1px solid #232b37 }
figure.code pre { margin: 0; padding: .95rem 1rem; overflow: auto; font-size: .8rem; line-height: 1.6; max-height: 30rem; scrollbar-width: thin; scrollbar-color: #3a4556 transparent; tab-size: 2 }
figure.code code { font-size: inherit }
figure.code button { position: absolute; right: .5rem; top: .4rem; border: 1px solid #303a49; border-radius: 6px; background: #1a212c; color: #b9c4d4; font: 500 .72rem var(--sans); padding: .25rem .55rem; cursor: pointer }
figure.code button:hover { color: #fff; border-color: #56657b }
figure.code i { font-style: normal }
.tab-bar { display: flex; flex-wrap: wrap; gap: .3rem; margin: 0 0 .5rem }
.tab-bar button { border: 1px solid var(--line); border-radius: 6px; background: transparent; color: inherit; font: 500 .78rem var(--sans); padding: .25rem .65rem; cursor: pointer }
.tab-bar button[aria-pressed="true"] { background: var(--dark); border-color: var(--dark); color: #fff }
i.s { color: #9ad8a8 } i.n { color: #f2b97c } i.k { color: #c9a8ff } i.c { color: #7f8b9d }

.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: 1rem; margin: 0 0 2rem; padding: 0; list-style: none }
.cards li { margin: 0 }
.cards a { display: block; height: 100%; padding: 1.2rem 1.3rem; border: 1px solid var(--line); border-radius: 12px; background: var(--raised); color: var(--soft); text-decoration: none; font-size: .93rem }
.cards a:hover { border-color: var(--accent); background: var(--tint) }
.cards strong { display: block; color: var(--ink); font-size: 1.02rem; margin-bottom: .25rem; letter-spacing: -.01em }
.directory { columns: 3 20rem; column-gap: 2.5rem; margin-bottom: 2rem }
.directory section { break-inside: avoid; margin-bottom: 1.5rem }
.directory h3 { margin: 0 0 .4rem; font-size: 1rem }
.directory ul { list-style: none; padding: 0; margin: 0; font-size: .9rem }
.directory li a { display: grid; grid-template-columns: 3.2rem minmax(0, 1fr); gap: .4rem; color: var(--soft); text-decoration: none; padding: .1rem 0 }
.directory li a:hover { color: var(--accent) }
.codes > div { padding: 1.1rem 0; border-top: 1px solid var(--line); display: grid; grid-template-columns: minmax(0, 17rem) minmax(0, 1fr); gap: .35rem 1.5rem }
.codes h2 { margin: 0; font-size: 1rem; overflow-wrap: anywhere } .codes p { margin: 0 0 .25rem }
.codes h2 code { background: none; border: 0; padding: 0 }
.codes .next { color: var(--soft) }
:target { scroll-margin-top: 5rem }
.codes > div:target, .operation:target :is(h2, h3) { background: var(--tint); box-shadow: 0 0 0 .4rem var(--tint); border-radius: 2px }
.scroll { overflow-x: auto; margin: 0 0 1.25rem }
table { border-collapse: collapse; width: 100%; font-size: .92rem }
th, td { text-align: left; vertical-align: top; padding: .55rem .8rem .55rem 0; border-bottom: 1px solid var(--line) }
th { font-weight: 600; color: var(--soft); font-size: .82rem }
.foot { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin-top: 4rem; padding-top: 1.5rem; border-top: 1px solid var(--line); font-size: .88rem; color: var(--soft) }
.foot a { color: inherit }
.menu { display: none }

@media (max-width: 75rem) {
  .operation { grid-template-columns: minmax(0, 1fr) }
  .operation > .samples { position: static; max-height: none }
}
@media (max-width: 56rem) {
  header.top { gap: 1rem; padding: 0 1rem; height: auto; min-height: 3.5rem; flex-wrap: wrap; padding-block: .6rem }
  header.top nav { order: 3; width: 100%; overflow-x: auto; scrollbar-width: none; gap: 1.1rem; padding-bottom: .1rem }
  search { flex: 1; width: auto; max-width: none }
  search kbd { display: none }
  .brand span { display: none }
  .columns { display: block }
  nav.side { display: none }
  .menu { display: block; border-bottom: 1px solid var(--line); padding: .4rem 1.25rem; background: var(--raised) }
  .menu h2 { font-size: .74rem; text-transform: uppercase; letter-spacing: .07em; color: var(--soft); margin: 1rem 0 .35rem }
  .menu ul { list-style: none; padding: 0; margin: 0 0 1rem; columns: 2; font-size: .88rem }
  .menu li { margin: 0; padding: .25rem 0; break-inside: avoid }
  .menu a { color: var(--soft); text-decoration: none; overflow-wrap: anywhere }
  main { padding: 1.75rem 1.25rem 4rem }
  html { scroll-padding-top: 7rem }
  .codes > div { grid-template-columns: minmax(0, 1fr) }
}
@media print { header.top, nav.side, .menu, figure.code button { display: none } .columns { display: block } }
`
