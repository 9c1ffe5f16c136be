// Styles of staff-written rich text.

export const prose = `
.prose > * + * { margin-top: 1.1em }
.prose h2, .prose h3, .prose h4, .prose h5, .prose h6 { margin-top: 1.9em; font-size: 1.2em }
.prose h2 { font-size: 1.55em }
.prose > :first-child { margin-top: 0 }
.prose :is(h2, h3, h4, h5, h6) + * { margin-top: .6em }
.prose a { color: var(--accent); text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: .2em }
.prose a:hover { text-decoration-thickness: 2px }
.prose ul { padding-inline-start: 1.2em; list-style: disc }
.prose ol { padding-inline-start: 1.4em; list-style: decimal }
.prose li + li { margin-top: .35em }
.prose li::marker { color: var(--muted) }
.prose dt { font-weight: 600 }
.prose dd { margin-inline-start: 1.2em }
.prose blockquote { margin-inline: 0; padding-inline-start: 1.25em; border-inline-start: 3px solid var(--accent); font-family: var(--display); font-size: 1.15em; line-height: 1.5 }
.prose blockquote > * + * { margin-top: .6em }
.prose :is(code, kbd, samp) { font: .9em ui-monospace,Menlo,Consolas,monospace }
.prose pre { padding: 1em 1.25em; overflow-x: auto; background: var(--surface); border-radius: var(--radius); line-height: 1.5; overflow-wrap: normal }
.prose img { height: auto; border-radius: var(--radius) }
.prose figcaption { margin-top: .5rem; color: var(--muted); font-size: .9375rem }
.prose hr { width: 4rem; margin-inline: 0; border: 0; border-top: 1px solid currentColor; margin-block: 2.4em; opacity: .5 }
.prose table { display: block; overflow-x: auto; border-collapse: collapse; font-size: .95em; overflow-wrap: normal }
.prose :is(th, td) { padding: .5em 1em .5em 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top }
.prose mark { background: var(--art-3); color: inherit }
`
