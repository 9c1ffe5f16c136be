// Serves the pictures of the themes under names that contain a hash of their content, so browsers can cache them for a
// year.
import { createHash } from "node:crypto"
import { memoize } from "../../lib/memo"
import { THEME_PICTURES } from "./theme-pictures"

interface ThemePicture {
  path: string
  bytes: Uint8Array<ArrayBuffer>
  headers: Record<string, string>
}

const buildPicture = memoize((slug: string): ThemePicture | null => {
  const encoded = Object.hasOwn(THEME_PICTURES, slug) ? THEME_PICTURES[slug] : undefined
  if (encoded === undefined) return null
  const hash = createHash("sha256").update(encoded).digest("hex").slice(0, 16)
  return {
    path: `/themes/${slug}-${hash}.webp`,
    bytes: Uint8Array.fromBase64(encoded),
    headers: {
      "Content-Type": "image/webp",
      "Cache-Control": "public, max-age=31536000, immutable",
      ETag: `"${hash}"`,
    },
  }
})

/** The URL path of a theme's picture; null for a theme without one. */
export const getThemePicturePath = (slug: string): string | null => buildPicture(slug)?.path ?? null

/** Finds a picture by its file name; null for any other name, including one of an earlier picture. */
export function findThemePicture(file: string): ThemePicture | null {
  const slug = file.split("-", 1)[0] ?? ""
  const picture = buildPicture(slug)
  return picture?.path === `/themes/${file}` ? picture : null
}

/** The theme whose picture link previews of the front page show. */
const PREVIEWED_THEME = "bazaar"

/** The URL path of the picture in link previews. */
export const getPreviewPicturePath = (): string => getThemePicturePath(PREVIEWED_THEME) ?? "/favicon.svg"
