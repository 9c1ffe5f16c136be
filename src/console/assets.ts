// The console's stylesheet and script, built from src/page-kit (npm run console-assets).
import { BRAND_STYLE } from "../core/html/brand"
import { createAssets } from "../core/html/static-assets"
import { SCRIPT, STYLE } from "../page-kit/assets/built"

export const consoleAssets = createAssets("/console/assets", {
  css: { text: BRAND_STYLE, file: STYLE },
  js: { file: SCRIPT },
})
