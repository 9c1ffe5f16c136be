// The OpenAPI documents as they are served: those of openapi/, with the server that was asked.
import { sha256 } from "../lib/hash"

export const DOCUMENTS = ["platform", "content", "license"] as const

export type DocumentName = (typeof DOCUMENTS)[number]

/** A document's text, loaded when it is first asked for. */
export async function documentText(name: DocumentName): Promise<string> {
  switch (name) {
    case "platform":
      return (await import("../../openapi/platform.json")).default as unknown as string
    case "content":
      return (await import("../../openapi/content.json")).default as unknown as string
    case "license":
      return (await import("../../openapi/license.json")).default as unknown as string
  }
}

const BASES: Record<DocumentName, string> = { platform: "/api/platform/v1", content: "/api/v1", license: "/api" }

/** Documents as they were served, by name and origin: an isolate meets few hosts, and a page of hosts must not fill it. */
const served = new Map<string, { text: string; etag: string }>()
const MOST_KEPT = 20

/**
 * A document with the server that answers to it.
 * @param origin of the host that was asked for it
 */
export async function servedDocument(name: DocumentName, origin: string): Promise<{ text: string; etag: string }> {
  const key = `${name} ${origin}`
  const known = served.get(key)
  if (known) return known
  // The first `url` of a document is that of its server.
  const url = (base: string) => `"url":${JSON.stringify(base)}`
  const text = (await documentText(name)).replace(url(BASES[name]), url(origin + BASES[name]))
  const made = { text, etag: `"${(await sha256(text)).slice(0, 32)}"` }
  if (served.size >= MOST_KEPT) served.clear()
  served.set(key, made)
  return made
}
