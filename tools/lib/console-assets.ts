// Bundles and minifies the style sheets and scripts of the console, of shops' admin and of the documentation.
import { createHash } from "node:crypto"
import { join } from "node:path"
import { build } from "esbuild"
import { root } from "./project.ts"

/** The modules with the hashes of built files. The constant of each file names its path in assets/, and its source. */
const MODULES = {
  "src/page-kit/assets/built.ts": {
    STYLE: ["page-kit/style.css", "src/page-kit/assets/kit.css"],
    SCRIPT: ["page-kit/script.js", "src/page-kit/client/main.ts"],
    EDITOR_SCRIPT: ["page-kit/editor.js", "src/page-kit/client/content.ts"],
  },
  "src/docs/assets/built.ts": {
    STYLE: ["docs/style.css", "src/docs/assets/style.css"],
    SCRIPT: ["docs/script.js", "src/docs/assets/script.js"],
    TRY_IT_SCRIPT: ["docs/try-it.js", "src/docs/assets/try-it.js"],
  },
} satisfies Record<string, Record<string, [path: string, source: string]>>

/** Builds the files, and the modules with their hashes. @returns texts by path, relative to the root */
export async function buildAssets(): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const [module, files] of Object.entries(MODULES)) {
    const lines = ["// Made by `npm run console-assets`: files of assets/ with the hashes of their content."]
    for (const [constant, [path = "", source = ""]] of Object.entries(files)) {
      const text = await bundleAsset(source)
      const hash = createHash("sha256").update(text).digest("hex").slice(0, 16)
      lines.push(`export const ${constant} = { path: "${path}", hash: "${hash}" }`)
      texts[`assets/${path}`] = text
    }
    texts[module] = [...lines, ""].join("\n")
  }
  return texts
}

async function bundleAsset(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2023",
    legalComments: "none",
    supported: { nesting: true },
  })
  return outputFiles[0]?.text ?? ""
}
