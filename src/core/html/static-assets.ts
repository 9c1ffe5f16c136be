// Serves a surface's stylesheet and script under names that contain a hash of their content, so browsers can cache them
// for a year.
import { createHash } from "node:crypto"
import type { Bindings } from "../../env"
import { openStaticFile } from "../storage/static-files"

const MEDIA_TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" } as const

interface StaticAssets<Extension extends string> {
  /** The URL path of each file. */
  paths: Record<Extension, string>
  /**
   * Responds with the file of a URL path; null for any other path, including one of an earlier version.
   * @throws Refusal `temporarily_unavailable` when the file cannot be read now
   */
  respond(env: Bindings, path: string): Promise<Response | null>
}

/** The content of a file: a text, and a file of assets/ with the hash of its content. Either may be absent. */
export interface AssetContent {
  text?: string
  file?: { path: string; hash: string }
}

/**
 * @param folder URL path of the files, without a slash at the end
 * @param files content by extension
 */
export function createAssets<Extension extends keyof typeof MEDIA_TYPES>(
  folder: string,
  files: Record<Extension, AssetContent>,
): StaticAssets<Extension> {
  const entries = (Object.entries(files) as [Extension, AssetContent][]).map(([extension, content]) => {
    const { text = "", file } = content
    const hash = createHash("sha256").update(text)
    const name = (file ? hash.update(file.hash) : hash).digest("hex").slice(0, 16)
    return { extension, text, file, path: `${folder}/${name}.${extension}` }
  })
  return {
    paths: Object.fromEntries(entries.map(({ extension, path }) => [extension, path])) as Record<Extension, string>,
    async respond(env, path) {
      const entry = entries.find((candidate) => candidate.path === path)
      if (!entry) return null
      const rest = entry.file ? await (await openStaticFile(env, entry.file.path)).text() : ""
      const headers = {
        "Content-Type": MEDIA_TYPES[entry.extension],
        "Cache-Control": "public, max-age=31536000, immutable",
      }
      return new Response(entry.text + rest, { headers })
    },
  }
}
