// npm run docs: writes the route tables into the README, from the routes that the Worker serves.
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"

const root = resolve(import.meta.dirname, "..")
const readme = join(root, "README.md")
const bundle = join(root, "node_modules/.cache-docs.mjs")

await build({
  entryPoints: [join(root, "scripts/lib/documented.ts")],
  outfile: bundle,
  bundle: true,
  format: "esm",
  platform: "node",
  external: ["cloudflare:*"],
  jsx: "automatic",
  jsxImportSource: "hono/jsx",
})
try {
  const { withTables } = await import(pathToFileURL(bundle).href)
  writeFileSync(readme, withTables(readFileSync(readme, "utf8")))
} finally {
  rmSync(bundle, { force: true })
}
