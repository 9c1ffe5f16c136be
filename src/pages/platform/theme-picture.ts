// Serves the pictures of the themes under names that contain a hash of their content, so browsers can cache them for a
// year.
import { openStaticFile } from "../../core/storage/static-files"
import type { Bindings } from "../../env"
import { THEME_PICTURES } from "./theme-pictures"

/** The URL path of a theme's picture; null for a theme without one. */
export const getThemePicturePath = (slug: string): string | null =>
  Object.hasOwn(THEME_PICTURES, slug) ? `/themes/${slug}-${THEME_PICTURES[slug]}.webp` : null

/** Responds with the picture of a file name; null for any other name, including one of an earlier picture. */
export async function respondThemePicture(env: Bindings, file: string): Promise<Response | null> {
  const slug = file.split("-", 1)[0] ?? ""
  if (getThemePicturePath(slug) !== `/themes/${file}`) return null
  const { body } = await openStaticFile(env, `themes/${slug}.webp`)
  const headers = {
    "Content-Type": "image/webp",
    "Cache-Control": "public, max-age=31536000, immutable",
    ETag: `"${THEME_PICTURES[slug]}"`,
  }
  return new Response(body, { headers })
}

/** The theme whose picture link previews of the front page show. */
const PREVIEWED_THEME = "bazaar"

/** The URL path of the picture in link previews. */
export const getPreviewPicturePath = (): string => getThemePicturePath(PREVIEWED_THEME) ?? "/favicon.svg"
