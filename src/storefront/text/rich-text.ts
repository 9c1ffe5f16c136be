// Renders staff-written content, HTML or plain text, as safe markup or as a one-line excerpt.
import { raw } from "hono/html"
import { toMarkup } from "./markup"
import { plainText } from "./sanitise"

/**
 * Renders staff-written content as sanitised markup for JSX.
 * @param source HTML, or plain text in which a blank line ends a paragraph
 */
export const richText = (source: string) => raw(toMarkup(source))

/**
 * Shortens a text to one line, cut between words and followed by an ellipsis.
 * @param source HTML or plain text; null for none
 * @param limit maximum length in characters
 * @returns the excerpt; empty for a text without content
 */
export function excerpt(source: string | null | undefined, limit: number): string {
  const characters = [...plainText(source ?? "")]
  if (characters.length <= limit) return characters.join("")
  const cut = characters.slice(0, limit - 1).join("")
  const lastSpace = cut.lastIndexOf(" ")
  return `${lastSpace > limit / 2 ? cut.slice(0, lastSpace) : cut}…`
}
