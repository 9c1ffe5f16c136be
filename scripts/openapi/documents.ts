// The three documents as they are written to openapi/. Bundled by `npm run docs`, imported by the tests.
import { content } from "./content.ts"
import { type Document, documentOf } from "./document.ts"
import { license } from "./license.ts"
import { platform } from "./platform.ts"

export const APIS = { platform, content, license }

export type { Document, Operation, ResponseDoc } from "./document.ts"
export type { JsonSchema } from "./json-schema.ts"

/** The documents by name, as the routes are today. */
export const documents = (): Record<keyof typeof APIS, Document> => ({
  platform: documentOf(platform),
  content: documentOf(content),
  license: documentOf(license),
})

/** A document as its file holds it. */
export const fileText = (document: Document): string => `${JSON.stringify(document, null, 2)}\n`
