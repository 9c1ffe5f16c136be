// Styles of single pages: hero, product, article, gallery and notices.

export const pages = `
.hero-picture { --ratio: 1 }
.hero h1 { font-size: clamp(2.75rem, 1.6rem + 5.6vw, 6rem); line-height: 1; hyphens: auto }
.hero:last-child { padding-bottom: var(--space) }
.hero .lede { margin-top: 1.4rem }
.hero .lede + .lede { margin-top: .6rem }
.hero .button, .notice .button { margin-top: 2.1rem }

.page-head { padding-top: clamp(1.75rem, 4vw, 3.5rem); padding-bottom: clamp(2rem, 4vw, 3.25rem) }
.page-head .lede { margin-top: 1.1rem }
.page-head + .section { padding-top: 0 }

.detail { padding-top: clamp(1rem, 2.5vw, 2rem) }
.detail-grid { display: grid; gap: 2rem clamp(2rem, 6vw, 6rem) }
.detail h1 { font-size: clamp(2rem, 1.4rem + 2.4vw, 3.25rem) }
.picture { display: block; cursor: zoom-in }
.picture:hover > .frame > * { transform: none }
/* The main picture of a product is not cropped. */
:not(li) > .picture > .frame > * { object-fit: contain }
.thumbnails { display: grid; grid-template-columns: repeat(3, 1fr); gap: .75rem; margin-top: .75rem }
.detail .price { margin-top: .8rem; font-size: 1.3125rem }
.detail .prose { margin-top: 1.75rem }
@media (min-width: 52rem) {
  .detail-grid { grid-template-columns: minmax(0, 7fr) minmax(0, 5fr) }
  .detail-text { position: sticky; top: 2rem; align-self: start; padding-top: clamp(0rem, 3vw, 3rem) }
}

.order table { width: 100%; border-collapse: collapse; margin-block: 2rem }
.order th, .order td { padding-block: .6rem; text-align: start; font-weight: 400; border-bottom: 1px solid var(--line) }
.order td:last-child, .order th:last-child { text-align: end; white-space: nowrap; padding-inline-start: 1rem }
.order tfoot tr:last-child > * { font-weight: 600 }
.order h2 { margin-top: 2rem; font-size: 1.25rem }
.order > p:not(.actions) { margin-top: .5rem }
.order > p.quiet { margin-top: 1.5rem }
.order .lines { white-space: pre-line }

.article { padding-top: clamp(1.25rem, 3vw, 2.5rem); padding-bottom: var(--space) }
.byline { color: var(--muted); font-size: .9375rem; margin-bottom: 1rem }
.article .lede { margin-top: 1.2rem }
.article .frame { --ratio: 16/9; margin-top: clamp(1.75rem, 4vw, 3rem) }
.article .prose { margin-top: clamp(1.75rem, 4vw, 3rem) }

.pictures { columns: 2 18rem; column-gap: var(--gap) }
.pictures figure { break-inside: avoid; margin-bottom: var(--gap) }
.pictures img { width: 100%; border-radius: var(--radius) }
.pictures .frame { --ratio: 3/2 }
.pictures figcaption { margin-top: .5rem; color: var(--muted); font-size: .9375rem }

.notice { display: grid; align-content: center; min-height: 62vh; padding-block: var(--space) }
.notice > * { max-width: 42rem }
.notice .code { color: var(--muted); font-size: .9375rem; margin-bottom: 1rem }
.notice .lede { margin-top: 1.2rem }

.gate { display: grid; grid-template-rows: auto 1fr }
.gate .brand img { margin-inline-end: .75rem; vertical-align: middle }
.gate .mark { width: 4.5rem; margin-bottom: 2.25rem; --ratio: 1 }
.gate .progress { margin-top: 2.4rem; width: min(100%, 16rem); height: 3px; background: var(--line); overflow: hidden }
.progress::before { content: ""; display: block; width: 40%; height: 100%; background: var(--accent) }
@media (prefers-reduced-motion: no-preference) {
  .progress::before { animation: travel 1.8s ease-in-out infinite alternate }
  @keyframes travel { to { transform: translateX(150%) } }
}
`
