// What a visitor sees where there is no shop to enter: being set up, suspended, out of order, or a host nobody has.

import { direction } from "../../lib/intl"
import type { Look } from "../appearance"
import { Art } from "../art/art"
import type { Closed } from "../data"
import { Head } from "../head"
import type { Words } from "../text/strings"

/** Seconds between the looks of a page that waits for its shop. */
export const REFRESH_SECONDS = 5

export function ClosedPage({
  closed,
  locale,
  words,
  look,
}: {
  closed: Closed
  locale: string
  words: Words
  look: Look
}) {
  const name = closed.kind === "unknown_host" ? closed.host : closed.name
  const { title, hint } = saying(closed, words)
  const meta = {
    title,
    description: hint,
    path: null,
    refresh: closed.kind === "preparing" ? REFRESH_SECONDS : undefined,
  }
  return (
    <html lang={locale} dir={direction(locale)}>
      <Head meta={meta} site={name} locale={locale} look={look} />
      <body class="gate">
        <header class="masthead">
          <div class="shell">
            <span class="brand">{name}</span>
          </div>
        </header>
        <main class="notice shell">
          <div class="frame mark">
            <Art name={name} format="tall" />
          </div>
          <h1>{title}</h1>
          <p class="lede">{closed.kind === "suspended" ? <a href="/billing">{hint}</a> : hint}</p>
          {closed.kind === "preparing" && <div class="progress" />}
        </main>
      </body>
    </html>
  )
}

function saying(closed: Closed, words: Words): { title: string; hint: string } {
  switch (closed.kind) {
    case "preparing":
      return { title: words.preparing, hint: words.preparingHint }
    case "suspended":
      return { title: words.suspended, hint: words.suspendedHint }
    case "unavailable":
      return { title: words.unavailable, hint: words.unavailableHint }
    case "unknown_host":
      return { title: words.unknownHost, hint: words.unknownHostHint(closed.host) }
  }
}
