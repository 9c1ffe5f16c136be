// Serves the OpenAPI documents of openapi/ with the requested host as their server.

import { openStaticFile } from "../core/storage/static-files"
import type { Bindings } from "../env"
import { assertNever } from "../lib/assert-never"
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
  // The first `url` in a document is its server's.
  const formatUrl = (base: string) => `"url":${JSON.stringify(base)}`
  const source = (await loadDocument(env, name)).replace(
    formatUrl(BASE_PATHS[name]),
    formatUrl(origin + BASE_PATHS[name]),
  )
  const text = await convert(name, edition, source)
  const document = { text, etag: `"${(await sha256(text)).slice(0, 32)}"` }
  if (cache.current.size >= MAX_CACHED_DOCUMENTS) cache.current.clear()
  cache.current.set(key, document)
  return document
}

async function convert(name: DocumentName, edition: Edition, text: string): Promise<string> {
  switch (edition) {
    case "3.1":
      return text
    case "3.0":
      return (await import("./openapi-3-0")).convertToOpenApi30(text)
    case "postman":
      return (await import("./postman")).buildPostmanCollection(name, text)
    default:
      return assertNever(edition)
  }
}
