// The client samples of the reference compile with the clients.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { DOCUMENTS } from "../../src/docs/openapi"
import { parseDocument } from "../../src/docs/reference"
import { buildClientSample } from "../../src/docs/samples"
import { root } from "../../tools/lib/project"
import { getScratchDirectory } from "../../tools/local/scratch"

test("the client sample of every operation compiles", () => {
  const folder = mkdtempSync(join(getScratchDirectory(), "samples-"))
  try {
    const samples = DOCUMENTS.flatMap((name) => {
      const reference = parseDocument(name, JSON.parse(readFileSync(join(root, `openapi/${name}.json`), "utf8")))
      return reference.operations.flatMap((operation) => buildClientSample(reference, operation) ?? [])
    })
    expect(samples.length).toBeGreaterThan(200)
    writeFileSync(
      join(folder, "samples.ts"),
      `import { createContentClient, createLicenseClient, Tenancy } from ${JSON.stringify(join(root, "src/client/index.ts"))}
const baseUrl = "https://shops.example.com"
const tenancy = new Tenancy({ baseUrl, key: "k" })
const content = createContentClient({ baseUrl })
const licenses = createLicenseClient({ baseUrl, key: "k" })
const file = new File(["a"], "a.txt")
${samples.map((sample, index) => `export async function sample${index}() {\n${sample}\n}`).join("\n")}\n`,
    )
    const compilerOptions = {
      strict: true,
      allowImportingTsExtensions: true,
      target: "es2024",
      module: "nodenext",
      skipLibCheck: true,
      lib: ["es2024", "dom", "dom.iterable"],
      types: [],
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["samples.ts"] }))
    const compiler = join(root, "node_modules/.bin/tsc")
    const { stdout } = spawnSync(compiler, ["--noEmit", "--project", folder], { cwd: root, encoding: "utf8" })
    expect(stdout).toBe("")
  } finally {
    rmSync(folder, { recursive: true })
  }
})
