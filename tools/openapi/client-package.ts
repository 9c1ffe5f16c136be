// The client as an npm package: one ES module, its types, and what npm wants to know.
import { spawnSync } from "node:child_process"
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { build } from "esbuild"
import { root, UserError } from "../lib/project.ts"

const entry = join(root, "src/client/index.ts")

/**
 * Writes the package into a directory, and replaces its contents.
 * @param directory absolute
 * @throws UserError when the client uses what not every runtime has: its types are made knowing the web's names only
 */
export async function packClient(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  await build({
    entryPoints: [entry],
    outfile: join(directory, "index.js"),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    // Without it, esbuild renames TenancyError, and uncaught errors print that name.
    keepNames: true,
  })
  writeTypes(join(directory, "types"))
  copyFileSync(join(root, "LICENSE"), join(directory, "LICENSE"))
  copyFileSync(join(root, "src/client/README.md"), join(directory, "README.md"))
  const { version, license, repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const manifest = {
    name: "tenancy-client",
    version,
    license,
    description: "JavaScript client of Tenancy's APIs and webhooks",
    keywords: ["tenancy", "api-client", "webhooks", "multi-tenant"],
    ...(repository && { repository }),
    type: "module",
    sideEffects: false,
    engines: { node: ">=20.3" },
    types: "./types/index.d.ts",
    exports: { ".": { types: "./types/index.d.ts", default: "./index.js" } },
    files: ["index.js", "types", "LICENSE", "README.md"],
  }
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
}

function writeTypes(directory: string): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
  const options = {
    ignoreConfig: true,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: directory,
    target: "es2022",
    // TypeScript has the runtimes' common names with the browsers' own only.
    lib: "esnext,dom,dom.iterable",
    types: "",
    module: "esnext",
    moduleResolution: "bundler",
    strict: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const { status, stdout } = spawnSync(process.execPath, [compiler, entry, ...args], { cwd: root, encoding: "utf8" })
  if (status !== 0) throw new UserError(`The client's types could not be made:\n${stdout}`)
  // The compiler leaves the sources' extensions in declarations, where not every module resolution follows them.
  for (const name of globSync("**/*.d.ts", { cwd: directory })) {
    const file = join(directory, name)
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"'))
  }
}
