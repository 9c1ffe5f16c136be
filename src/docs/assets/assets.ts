// The documentation's stylesheet and script.
import { createAssets } from "../../core/html/static-assets"
import { script } from "./script"
import { style } from "./style"

export const docsAssets = createAssets("/docs/assets", { css: style, js: script })
