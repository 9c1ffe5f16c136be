// Bundles and minifies the style sheet and scripts of the console and of shops' admin.
import { createHash } from "node:crypto"
import { join } from "node:path"
import { build } from "esbuild"
import { root } from "./project.ts"

/** The source of each file of assets/page-kit, and the constant that has its hash. */
const FILES = [
  { constant: "STYLE", path: "page-kit/style.css", source: "assets/kit.css" },
  { constant: "SCRIPT", path: "page-kit/script.js", source: "client/main.ts" },
  { constant: "EDITOR_SCRIPT", path: "page-kit/editor.js", source: "client/content.ts" },
]

/** Builds the files, and the module with their hashes. @returns texts by path, relative to the root */
export async function buildAssets(): Promise<Record<string, string>> {
  const built = await Promise.all(FILES.map(async (file) => ({ ...file, text: await bundleAsset(file.source) })))
  const constants = built.map(({ constant, path, text }) => {
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 16)
    return `export const ${constant} = { path: "${path}", hash: "${hash}" }`
  })
  return {
    "src/page-kit/assets/built.ts": [
      "// Made by `npm run console-assets`: the files of assets/page-kit with the hashes of their content.",
      ...constants,
      "",
    ].join("\n"),
    ...Object.fromEntries(built.map(({ path, text }) => [`assets/${path}`, text])),
  }
}

async function bundleAsset(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/page-kit", entry)],
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
