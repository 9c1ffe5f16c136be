// The documentation's stylesheet and script.
import { BRAND_STYLE } from "../../core/html/brand"
import { createAssets } from "../../core/html/static-assets"
import { SCRIPT, STYLE } from "./built"

export const docsAssets = createAssets("/docs/assets", {
  css: { text: BRAND_STYLE, file: STYLE },
  js: { file: SCRIPT },
})
