// npm run docs: generates docs/reference, docs/operations/scale.md, the OpenAPI documents in openapi/, the clients'
// operations and CONTRIBUTING's table of rules from the code. Adds the hashes of new migrations to
// migrations/checksums.json.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { insertRulesTable } from "../test/lint/table.ts"
import { addChecksums, CHECKSUMS_FILE, readChecksums, readMigrationTexts } from "../tools/lint/migration-checksums.ts"

const root = resolve(import.meta.dirname, "..")
const bundle = join(root, "node_modules/.cache-docs.mjs")

/** Writes files to a directory of the project. */
function writeFiles(directory: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, directory, name)), { recursive: true })
    writeFileSync(join(root, directory, name), text)
  }
}

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
  const { referencePages, operationsPages, documentFiles, publishedFile, clientModules, otherClientModules } =
    (await import(pathToFileURL(bundle).href)) as typeof import("../tools/openapi/generated.ts")
  const readText = (file: string) => readFileSync(join(root, file), "utf8")
  const costs = JSON.parse(readText("test/costs/table.json"))
  writeFiles("docs/reference", await referencePages(readText("wrangler.toml"), costs))
  writeFiles("docs/operations", operationsPages(readText("wrangler.toml"), costs))
  writeFiles("openapi", { ...documentFiles(), "published.json": publishedFile(readText("openapi/published.json")) })
  writeFiles("src/client", clientModules())
  for (const [directory, files] of Object.entries(otherClientModules())) writeFiles(directory, files)
} finally {
  rmSync(bundle, { force: true })
}
const contributing = join(root, "CONTRIBUTING.md")
writeFileSync(contributing, insertRulesTable(readFileSync(contributing, "utf8")))
writeFileSync(join(root, CHECKSUMS_FILE), addChecksums(readMigrationTexts(), readChecksums()))
