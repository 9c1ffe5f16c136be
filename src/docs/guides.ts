// Loads the guides of docs/guides and fills in the platform's URL.
import { openStaticFile } from "../core/storage/static-files"
import type { Bindings } from "../env"
import { isolateState } from "../lib/isolate-state"
import { extractLead, extractTitle } from "./markdown"

/** The guides that the platform serves, by path segment, in reading order. */
const NAMES = [
  "first-request",
  "authentication",
  "verifying-webhooks",
  "endpoint-options",
  "writing-a-receiver",
  "following-events",
  "pagination",
  "idempotency",
  "concurrent-changes",
  "errors",
  "limits",
  "versioning",
  "client",
  "python-and-php",
  "mcp",
  "licensing-a-php-plugin",
]

/** Markdown by name, from the file that `writeStaticFiles` makes of docs/guides. */
const sources = isolateState((): Readonly<Record<string, string>> | null => null)

export interface Guide {
  name: string
  title: string
  /** The first paragraph. */
  lead: string
  /** The whole guide in Markdown. */
  text: string
}

/** The placeholder URL in the guides' examples. */
const EXAMPLE_ORIGIN = "https://platform.example"

/**
 * Returns the guides in reading order.
 * @param origin scheme and host of the platform, which replace the placeholder in the examples
 */
export async function listGuides(env: Bindings, origin: string): Promise<Guide[]> {
  sources.current ??= await (await openStaticFile(env, "guides.json")).json<Readonly<Record<string, string>>>()
  const known = sources.current
  return NAMES.map((name) => {
    const source = known[name]
    if (source === undefined) throw new Error(`docs/guides/${name}.md is missing in assets/guides.json`)
    const text = source.replaceAll(EXAMPLE_ORIGIN, origin)
    return { name, title: extractTitle(text), lead: extractLead(text), text }
  })
}
