// Writes text into XML documents.

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
}

/** Characters that XML 1.0 forbids even as references (https://www.w3.org/TR/xml/#charsets). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what the expression finds
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Escapes text for an element or attribute, and removes the characters that XML cannot contain. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(FORBIDDEN, "")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")

/** Renders an element with text content. */
export const element = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
