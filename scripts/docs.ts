// npm run docs: writes the route table into the README, from the routes that the Worker serves.
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { replaceMarked, routeMarkdown } from "./lib/route-markdown.ts"

const root = resolve(import.meta.dirname, "..")
const bundle = join(root, "node_modules/.cache-routes.mjs")
const source = `
  export { platform } from "./src/platform/app"
  export { routeTable } from "./src/core/route"
`

await build({
  stdin: { contents: source, resolveDir: root, loader: "ts" },
  outfile: bundle,
  bundle: true,
  format: "esm",
  platform: "node",
  external: ["cloudflare:*"],
  jsx: "automatic",
  jsxImportSource: "hono/jsx",
})
try {
  const { platform, routeTable } = await import(pathToFileURL(bundle).href)
  const readme = join(root, "README.md")
  const table = routeMarkdown(routeTable(platform), "/api/platform/v1")
  writeFileSync(readme, replaceMarked(readFileSync(readme, "utf8"), "control-plane routes", table))
} finally {
  rmSync(bundle, { force: true })
}
