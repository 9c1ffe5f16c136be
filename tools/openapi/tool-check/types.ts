// Generates types with openapi-typescript and compiles them.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../../lib/project.ts"
import type { DocumentEdition } from "./editions.ts"

// openapi-typescript builds syntax trees with TypeScript's JavaScript API, which TypeScript 7 does not have.
const compiler = `import { ts } from ${JSON.stringify(import.meta.resolve("@ts-morph/common"))}; export default ts`
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "typescript"
      ? { url: `data:text/javascript,${encodeURIComponent(compiler)}`, shortCircuit: true }
      : next(specifier, context),
})

/** Returns the compiler's errors; none when the types of all documents compile with `tsc --strict`. */
export async function compileTypes(editions: DocumentEdition[]): Promise<string[]> {
  const { default: generate, astToString } = await import("openapi-typescript")
  const folder = mkdtempSync(join(tmpdir(), "tenancy-openapi-"))
  try {
    for (const { name, text } of editions) {
      writeFileSync(join(folder, `${name}.ts`), astToString(await generate(JSON.parse(text))))
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true, types: [] } }))
    const command = [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "--project", folder]
    const { status, stdout } = spawnSync(process.execPath, command, { encoding: "utf8" })
    return status === 0 ? [] : stdout.trim().split("\n")
  } finally {
    rmSync(folder, { recursive: true })
  }
}
