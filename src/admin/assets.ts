// The admin's stylesheet and scripts: those of the page kit.
import { BRAND_STYLE } from "../core/html/brand"
import { createAssets } from "../core/html/static-assets"
import { EDITOR_SCRIPT, SCRIPT, STYLE } from "../page-kit/assets/built"

export const adminAssets = createAssets("/admin/assets", { css: BRAND_STYLE + STYLE, js: SCRIPT })

/** The script of the editor of texts, which only pages with an editor load. */
export const editorAssets = createAssets("/admin/assets", { js: EDITOR_SCRIPT })
