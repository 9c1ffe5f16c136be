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

/** A document as its file holds it. */
export const fileText = (document: Document): string => `${JSON.stringify(document, null, 1)}\n`
