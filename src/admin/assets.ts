// The admin's stylesheet and script: those of the page kit.
import { BRAND_STYLE } from "../core/html/brand"
import { createAssets } from "../core/html/static-assets"
import { SCRIPT, STYLE } from "../page-kit/assets/built"

export const adminAssets = createAssets("/admin/assets", { css: BRAND_STYLE + STYLE, js: SCRIPT })
