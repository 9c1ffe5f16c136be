// Styles of the header, the menu, the footer, the pager and breadcrumbs.

export const chrome = `
.masthead .shell { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .35rem 2.5rem; padding-block: clamp(1.1rem, 2.2vw, 1.75rem) }
.brand { padding-block: .15rem; font-family: var(--display); font-size: 1.375rem; line-height: 1.2; letter-spacing: var(--tracking) }
.brand img { height: 2.75rem; width: auto; max-width: min(16rem, 60vw); object-fit: contain }
.masthead .shell:has(.brand img) { align-items: center }
.menu { display: flex; flex-wrap: wrap; gap: .1rem clamp(1.1rem, 2.4vw, 2.1rem) }
.menu a { display: block; padding-block: .4rem; font-size: .975rem; color: var(--muted); border-bottom: 1px solid transparent }
.menu a:hover { color: var(--ink) }
.menu [aria-current] { color: var(--ink); border-color: currentColor }

.foot { border-top: 1px solid var(--line); color: var(--muted); font-size: .9375rem }
.foot .shell { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 1rem 3rem; padding-block: 2.25rem }
.foot ul { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem }
.foot li a { display: inline-block; padding-block: .2rem }
.foot a:hover { color: var(--ink); text-decoration: underline; text-underline-offset: .25em }

.pager { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; margin-top: clamp(2.5rem, 5vw, 4rem); padding-top: 1.25rem; border-top: 1px solid var(--line) }
.pager p { color: var(--muted); font-size: .9375rem }
.pager a { padding-block: .25rem }
.pager > :first-child, .pager > :last-child { flex: 1 }
.pager > :last-child { text-align: end }

.crumbs ol { display: flex; flex-wrap: wrap; font-size: .9375rem; color: var(--muted); margin-bottom: clamp(1.25rem, 3vw, 2.25rem) }
.crumbs li + li::before { content: "/"; padding-inline: .6em; opacity: .6 }
.crumbs a { display: inline-block; padding-block: .3rem }
.crumbs a:hover { color: var(--ink); text-decoration: underline; text-underline-offset: .25em }
`
