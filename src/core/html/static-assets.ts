// Serves a surface's stylesheet and script under names that contain a hash of their content, so browsers can cache them
// for a year.
import { createHash } from "node:crypto"

const MEDIA_TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" } as const

interface StaticAssets<Extension extends string> {
  /** The URL path of each file. */
  paths: Record<Extension, string>
  /** The file of a URL path; null for any other path, including one of an earlier version. */
  respond(path: string): Response | null
}

/**
 * @param folder URL path of the files, without a slash at the end
 * @param files text by extension
 */
export function createAssets<Extension extends keyof typeof MEDIA_TYPES>(
  folder: string,
  files: Record<Extension, string>,
): StaticAssets<Extension> {
  const entries = (Object.entries(files) as [Extension, string][]).map(([extension, text]) => {
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 16)
    return { extension, text, path: `${folder}/${hash}.${extension}` }
  })
  return {
    paths: Object.fromEntries(entries.map(({ extension, path }) => [extension, path])) as Record<Extension, string>,
    respond: (path) => {
      const file = entries.find((entry) => entry.path === path)
      if (!file) return null
      const headers = {
        "Content-Type": MEDIA_TYPES[file.extension],
        "Cache-Control": "public, max-age=31536000, immutable",
      }
      return new Response(file.text, { headers })
    },
  }
}
