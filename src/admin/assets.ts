// The admin's stylesheet and scripts: those of the page kit.
import { BRAND_STYLE } from "../core/html/brand"
import { createAssets } from "../core/html/static-assets"
import { EDITOR_SCRIPT, SCRIPT, STYLE } from "../page-kit/assets/built"

export const adminAssets = createAssets("/admin/assets", {
  css: { text: BRAND_STYLE, file: STYLE },
  js: { file: SCRIPT },
})

/** The script of the editor of texts, which only pages with an editor load. */
export const editorAssets = createAssets("/admin/assets", { js: { file: EDITOR_SCRIPT } })
