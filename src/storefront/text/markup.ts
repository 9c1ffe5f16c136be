// Converts staff-written content, HTML or plain text, to safe markup.
import { plainText, sanitise } from "./sanitise"

const HAS_BLOCKS = /<(p|div|h[1-6]|ul|ol|dl|table|blockquote|pre|figure|section|article|details|hr)[\s/>]/i

/**
 * Returns sanitised markup.
 * @param source HTML, or plain text in which a blank line ends a paragraph
 */
export function toMarkup(source: string): string {
  if (HAS_BLOCKS.test(source)) return sanitise(source)
  const paragraphs = source
    .split(/(?:\r?\n[ \t]*){2,}/)
    .filter((paragraph) => plainText(paragraph) || paragraph.includes("<img"))
  return paragraphs.map((text) => `<p>${sanitise(text.trim()).replace(/\r?\n/g, "<br>")}</p>`).join("")
}
