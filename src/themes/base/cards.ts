// Styles of product, post and gallery cards. A grid has a class for its number of cards, so that short lists fill a
// row.

export const cards = `
.grid { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: clamp(1.75rem, 3.5vw, 3.25rem) var(--gap) }
.product a, .post a, .gallery a { display: block }
.name { font-size: 1.0625rem; line-height: 1.3 }
.product .name { margin-top: .9rem }
.price { color: var(--muted); font-variant-numeric: tabular-nums lining-nums }
.product a:hover .name, .post a:hover .name, .gallery a:hover .name { text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: .22em }

.posts, .galleries { --ratio: 3/2; grid-template-columns: minmax(0, 1fr) }
.post time { display: block; margin-top: 1rem; color: var(--muted); font-size: .9375rem }
.post .name { margin-top: .3rem; font-size: clamp(1.25rem, 1.1rem + .5vw, 1.5rem) }
.post p { margin-top: .55rem; color: var(--muted); font-size: 1rem }
.gallery .name { margin-top: .9rem; font-size: clamp(1.25rem, 1.1rem + .5vw, 1.5rem) }

/* In rows of two, an odd number of cards begins with a large one. */
@media (max-width: 39.99rem) {
  .products.of-3 > :first-child { grid-column: span 2; --ratio: 1 }
}
@media (max-width: 47.99rem) {
  .lead.of-4 > :first-child:nth-last-child(odd) { grid-column: span 2; --ratio: 1 }
}
@media (min-width: 40rem) {
  .posts, .galleries { grid-template-columns: repeat(2, minmax(0, 1fr)) }
  .products.of-3 { grid-template-columns: repeat(3, minmax(0, 1fr)) }
}
@media (min-width: 40rem) and (max-width: 59.99rem) {
  :is(.posts, .galleries).of-3 > :first-child { grid-column: span 2; --ratio: 2/1 }
}
@media (min-width: 48rem) {
  .products.of-4 { grid-template-columns: repeat(4, minmax(0, 1fr)) }
}
@media (min-width: 60rem) {
  .posts:is(.of-3, .of-4), .galleries.of-3 { grid-template-columns: repeat(3, minmax(0, 1fr)) }
}
/* A single item has its picture and its text side by side. */
.grid.of-1 { grid-template-columns: minmax(0, 1fr) }
@media (min-width: 40rem) {
  .of-1 a { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); column-gap: clamp(2rem, 5vw, 5rem); grid-template-rows: 1fr auto auto auto 1fr }
  .of-1 .frame { grid-row: 1/-1 }
  .of-1 a > :not(.frame) { grid-column: 2 }
  .of-1 a > :nth-child(2) { grid-row: 2 }
  .of-1 a > :nth-child(3) { grid-row: 3 }
  .of-1 a > :nth-child(4) { grid-row: 4 }
  .grid.of-1 .name { font-size: clamp(1.5rem, 1.2rem + 1.4vw, 2.25rem) }
  .products.of-1 { --ratio: 1 }
}
`
