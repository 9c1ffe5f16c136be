// Builds the three documents in openapi/. `npm run docs` bundles this module; the tests import it.
import "./docs.ts"
import { content } from "./content.ts"
import { buildDocument, type Document } from "./document.ts"
import { Components } from "./json-schema.ts"
import { license } from "./license.ts"
import { platform } from "./platform.ts"
import { buildWebhooks } from "./webhooks.ts"

export const APIS = { platform, content, license }

export type { Document, ResponseDoc } from "./document.ts"
export { buildDocument } from "./document.ts"

type Documents = Record<keyof typeof APIS, Document>

/** Builds the documents by name. The control plane's includes the events. */
export function buildDocuments(): Documents {
  const components = new Components()
  const webhooks = buildWebhooks(components)
  return {
    platform: { ...buildDocument(platform, components), webhooks },
    content: buildDocument(content),
    license: buildDocument(license),
  }
}

/**
 * Formats a document: one line per operation and schema, for readable diffs, and no white space, for a small Worker.
 */
export const formatDocument = (document: Document): string => `${formatLines(document, 3)}\n`

/**
 * Formats a value as JSON.
 * @param levels levels of objects whose keys get one line each
 */
export function formatLines(value: unknown, levels: number): string {
  if (levels === 0 || value === null || typeof value !== "object" || Array.isArray(value)) return JSON.stringify(value)
  const known = Object.entries(value).filter(([, inner]) => inner !== undefined)
  const lines = known.map(([key, inner]) => `${JSON.stringify(key)}:${formatLines(inner, levels - 1)}`)
  return `{\n${lines.join(",\n")}\n}`
}
