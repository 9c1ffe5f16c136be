// Serves the OpenAPI documents of openapi/ with the requested host as their server.

import { openStaticFile } from "../core/storage/static-files"
import type { Bindings } from "../env"
import { sha256 } from "../lib/hash"
import { isolateState } from "../lib/isolate-state"

export const DOCUMENTS = ["platform", "content", "license"] as const

export type DocumentName = (typeof DOCUMENTS)[number]

/** Loads the text of a document. */
export const loadDocument = async (env: Bindings, name: DocumentName): Promise<string> =>
  (await openStaticFile(env, `openapi/${name}.json`)).text()

const BASE_PATHS: Record<DocumentName, string> = { platform: "/api/platform/v1", content: "/api/v1", license: "/api" }

/** The editions of a document: OpenAPI 3.1 and 3.0, and a Postman collection. */
export type Edition = "3.1" | "3.0" | "postman"

/** The files of assets/openapi; `npm run static-files` converts the documents. */
const FILES: Record<Edition, (name: DocumentName) => string> = {
  "3.1": (name) => `${name}.json`,
  "3.0": (name) => `${name}.3.0.json`,
  postman: (name) => `${name}.postman.json`,
}

interface ServedDocument {
  text: string
  etag: string
}

/** By name, edition and origin. */
const cache = isolateState(() => new Map<string, ServedDocument>())

/** Documents are large and hosts are many, so the cache is emptied when it is full. */
const MAX_CACHED_DOCUMENTS = 20

/**
 * Returns a document whose server is the requested host.
 * @param origin scheme and host of the request
 */
export async function getServedDocument(
  env: Bindings,
  name: DocumentName,
  edition: Edition,
  origin: string,
): Promise<ServedDocument> {
  const key = `${name} ${edition} ${origin}`
  const cached = cache.current.get(key)
  if (cached) return cached
  const source = await (await openStaticFile(env, `openapi/${FILES[edition](name)}`)).text()
  // The first of these in a document is its server, or the collection's variable `baseUrl`.
  const base = JSON.stringify(BASE_PATHS[name])
  const text = source.replace(base, JSON.stringify(origin + BASE_PATHS[name]))
  const document = { text, etag: `"${(await sha256(text)).slice(0, 32)}"` }
  if (cache.current.size >= MAX_CACHED_DOCUMENTS) cache.current.clear()
  cache.current.set(key, document)
  return document
}
