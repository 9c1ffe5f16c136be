// The documentation's stylesheet and scripts.
import { BRAND_STYLE } from "../../core/html/brand"
import { createAssets } from "../../core/html/static-assets"
import { SCRIPT, STYLE, TRY_IT_SCRIPT } from "./built"

export const docsAssets = createAssets("/docs/assets", {
  css: { text: BRAND_STYLE, file: STYLE },
  js: { file: SCRIPT },
})

/** The script of the forms that send requests. */
export const tryItAssets = createAssets("/docs/assets", { js: { file: TRY_IT_SCRIPT } })
