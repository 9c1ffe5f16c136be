// Lists as grids of linked cards.
import type { Child } from "hono/jsx"

/** The level of a card's heading: under a section's title, or right under the page's. */
export type Level = "h2" | "h3"

/**
 * A grid of cards.
 * @param kind the class by which themes know what is on the cards
 * @param count how many there are, of which the stylesheet arranges a few on purpose: up to the four that fill a row
 * @param lead lets a theme show the first one large
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
