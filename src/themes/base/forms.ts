// Styles of forms: the cart, the checkout, and all others that a visitor fills in.

export const forms = `
.tools { display: flex; flex-wrap: wrap; align-items: center; gap: .1rem 1.25rem; font-size: .975rem }
.tools a { padding-block: .4rem; white-space: nowrap }
/* On a phone the search field shrinks, so that the links to the account and the cart stay next to it. With large text,
   they go to the next line. */
@media (max-width: 39.99rem) {
  .tools { width: 100% }
  .tools search { flex: 1 6.5rem; min-width: 0 }
  .tools input { width: 100%; min-width: 0 }
}
.tools a:hover { text-decoration: underline; text-underline-offset: .25em }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
button { font: inherit; color: inherit; cursor: pointer }
button.button { border: 0; background: var(--accent); color: var(--on-accent); font-weight: 500; line-height: 1.25 }
button.plain { padding: .4rem 0; background: none; border: 0; color: var(--accent); text-decoration: underline; text-underline-offset: .25em }
input[type=search] { width: 10rem; padding: .35rem .6rem }
.filters { margin-top: 1.5rem }
.filters summary { padding-block: .4rem; width: fit-content; color: var(--accent); cursor: pointer }
.filters .row { align-items: end; margin-top: 1rem }
.filters :is(label, select, input:not([type=checkbox])) { display: block; font-size: .9375rem }
.filters label { margin-bottom: .3rem; font-weight: 600 }
.filters .check { display: flex; gap: .6rem; align-items: center; margin: 0; padding-block: .8rem; font-weight: 400 }
input[type=checkbox] { width: 1.1rem; height: 1.1rem; flex: none; accent-color: var(--accent) }
.search-page .row { margin-top: 1.5rem }
.search-page input { flex: 1; padding: .6rem .75rem }
.search-page h2 { margin-top: 2.5rem; font-size: 1.4rem }
.stars { color: var(--accent); letter-spacing: .1em }
.lines { white-space: pre-line }
.results { display: grid; gap: 1.1rem; margin-top: 1.25rem }
.form { display: grid; gap: 1.25rem; margin-top: 2rem }
.form h2, .form legend { margin: 1rem 0 0; padding: 0; font: var(--weight) 1.4rem/1.2 var(--display) }
.form label { display: block; font-size: .9375rem; font-weight: 600 }
.form small { font-weight: 400; color: var(--muted) }
input, select, textarea { max-width: 100%; padding: .6rem .75rem; font: inherit; line-height: 1.4; color: inherit; background: var(--surface); border: 1px solid var(--muted); border-radius: min(var(--radius), .5rem) }
.form :is(input, select, textarea):not([type=radio], [type=checkbox]) { display: block; width: 100%; margin-top: .35rem }
.form [aria-invalid] { border-width: 2px }
input[type=number] { width: 5.5rem }
input[type=radio] { width: 1.1rem; height: 1.1rem; flex: none; accent-color: var(--accent) }
fieldset { display: grid; gap: .6rem; margin: 0; padding: 0; border: 0; min-width: 0 }
.form legend { margin-bottom: .6rem }
.form .choice { display: flex; gap: .75rem; align-items: center; padding: .7rem .9rem; font-weight: 400; font-size: 1rem; border: 1px solid var(--line); border-radius: min(var(--radius), .5rem) }
.choice small { display: block }
.choice:has(:checked) { border-color: var(--accent) }
.address { display: grid; gap: 1.25rem }
.pair { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 12rem), 1fr)) }
.hint { font-size: .9375rem; color: var(--muted) }
.field-error { font-size: .9375rem; font-weight: 600; color: var(--accent) }
.message { margin-top: 1.5rem; padding: .9rem 1.1rem; background: var(--surface); border-inline-start: 3px solid var(--line) }
.message.error { border-color: var(--accent); font-weight: 600 }
.row, .actions { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem }
.actions { margin-top: 1.75rem }
.add-to-cart { margin-top: 1.5rem }
.cart-lines { margin-top: 2rem; border-top: 1px solid var(--line) }
.cart-lines li { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr) auto; gap: .5rem 1.1rem; padding-block: 1.25rem; border-bottom: 1px solid var(--line) }
.cart-lines .frame { --ratio: 1 }
.cart-lines h2 { font-size: 1.125rem; line-height: 1.3 }
.cart-lines .row { margin-top: .6rem }
.cart-price, .cart-sum { font-variant-numeric: tabular-nums lining-nums }
.cart-sum { margin-top: 1.25rem; font-size: 1.25rem }
.checkout table { width: 100%; border-collapse: collapse }
.checkout :is(th, td) { padding-block: .6rem; text-align: start; font-weight: 400; vertical-align: top; border-bottom: 1px solid var(--line) }
.checkout td:last-child, .checkout thead th:last-child { text-align: end; white-space: nowrap; padding-inline-start: 1rem }
.sums tr:last-child > * { font-weight: 600 }
.sums caption { text-align: start; font-weight: 600 }
/* Only what the chosen shipping method needs; everything, with names, in browsers without :has. */
.form:has([value=pickup]:checked) .for-flat, .form:has([value=flat]:checked) .for-pickup { display: none }
@media (max-width: 30rem) {
  .cart-lines li { grid-template-columns: 3.5rem minmax(0, 1fr) }
  .cart-price { grid-column: 2 }
}
`
