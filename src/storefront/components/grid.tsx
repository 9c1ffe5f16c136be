// Grid of linked cards.
import type { Child } from "hono/jsx"

/** Level of a card's heading: `h3` below a section title, `h2` directly below the page title. */
export type HeadingLevel = "h2" | "h3"

/**
 * Grid of cards.
 * @param kind CSS class that tells themes the kind of content
 * @param count number of cards; stylesheets have special layouts for up to four, which fill one row
 * @param lead lets a theme enlarge the first card
 */
export function Grid({
  kind,
  count,
  lead = false,
  children,
}: {
  kind: string
  count: number
  lead?: boolean
  children?: Child
}) {
  return <ul class={`grid ${kind} of-${Math.min(count, 4)}${lead ? " lead" : ""}`}>{children}</ul>
}
