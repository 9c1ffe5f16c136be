// The documentation's stylesheet and script.
import { BRAND_STYLE } from "../../core/html/brand"
import { createAssets } from "../../core/html/static-assets"
import { script } from "./script"
import { style } from "./style"

export const docsAssets = createAssets("/docs/assets", {
  css: { text: BRAND_STYLE + style },
  js: { text: script },
})
