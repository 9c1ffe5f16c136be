// npm run docs: writes the route tables into the README, the OpenAPI documents into openapi/ and the client's types into
// src/client/openapi.ts, from the routes that the Worker serves.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"

const root = resolve(import.meta.dirname, "..")
const readme = join(root, "README.md")
const bundle = join(root, "node_modules/.cache-docs.mjs")

await build({
  entryPoints: [join(root, "tools/openapi/generated.ts")],
  outfile: bundle,
  bundle: true,
  format: "esm",
  platform: "node",
  external: ["cloudflare:*"],
  jsx: "automatic",
  jsxImportSource: "hono/jsx",
})
try {
  const { withTables, documentFiles, clientModule } = (await import(
    pathToFileURL(bundle).href
  )) as typeof import("../tools/openapi/generated.ts")
  writeFileSync(readme, withTables(readFileSync(readme, "utf8")))
  mkdirSync(join(root, "openapi"), { recursive: true })
  for (const [name, text] of Object.entries(documentFiles())) writeFileSync(join(root, "openapi", name), text)
  writeFileSync(join(root, "src/client/openapi.ts"), clientModule())
} finally {
  rmSync(bundle, { force: true })
}
