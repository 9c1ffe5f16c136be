// The three documents as they are written to openapi/. Bundled by `npm run docs`, imported by the tests.
import { content } from "./content.ts"
import { type Document, documentOf } from "./document.ts"
import { Components } from "./json-schema.ts"
import { license } from "./license.ts"
import { platform } from "./platform.ts"
import { webhooksOf } from "./webhooks.ts"

export const APIS = { platform, content, license }

export type { Document, ResponseDoc } from "./document.ts"
export { documentOf } from "./document.ts"

type Documents = Record<keyof typeof APIS, Document>

/** The documents by name, as the routes are today. The control plane's has the events, too. */
export function documents(): Documents {
  const components = new Components()
  const webhooks = webhooksOf(components)
  return {
    platform: { ...documentOf(platform, components), webhooks },
    content: documentOf(content),
    license: documentOf(license),
  }
}

/** A document as its file holds it: a line an operation and a schema, which a diff shows, and no blanks, which the Worker would carry. */
export const fileText = (document: Document): string => `${inLines(document, 3)}\n`

/**
 * A value as JSON.
 * @param levels of its objects have a line for each of their keys; what is deeper is one line
 */
function inLines(value: unknown, levels: number): string {
  if (levels === 0 || value === null || typeof value !== "object" || Array.isArray(value)) return JSON.stringify(value)
  const known = Object.entries(value).filter(([, inner]) => inner !== undefined)
  const lines = known.map(([key, inner]) => `${JSON.stringify(key)}:${inLines(inner, levels - 1)}`)
  return `{\n${lines.join(",\n")}\n}`
}
