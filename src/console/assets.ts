// The console's stylesheet and script, built from src/console/client and console.css (npm run console-assets).
import { BRAND_STYLE } from "../core/html/brand"
import { createAssets } from "../core/html/static-assets"
import { SCRIPT, STYLE } from "./assets/built"

export const consoleAssets = createAssets("/console/assets", { css: BRAND_STYLE + STYLE, js: SCRIPT })
