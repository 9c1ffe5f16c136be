// Bundles the style sheet and script into a module of the Worker.
import { join } from "node:path"
import { build } from "esbuild"
import { root } from "./project.ts"

/** Generates the source of `src/page-kit/assets/built.ts`. */
export async function buildAssets(): Promise<string> {
  const [style, script, editor] = await Promise.all(
    ["assets/kit.css", "client/main.ts", "client/content.ts"].map(bundleAsset),
  )
  return [
    "// Made by `npm run console-assets` from kit.css, client/main.ts and client/content.ts.",
    `export const STYLE = ${JSON.stringify(style)}`,
    `export const SCRIPT = ${JSON.stringify(script)}`,
    `export const EDITOR_SCRIPT = ${JSON.stringify(editor)}`,
    "",
  ].join("\n")
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
