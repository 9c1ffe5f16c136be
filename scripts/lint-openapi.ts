// npm run lint:openapi: checks the OpenAPI documents, in 3.1 and 3.0, with tools that integrators use: Redocly, Spectral,
// openapi-typescript with `tsc --strict`, and the library and schema of Postman.
import { spawn } from "node:child_process"
import { join } from "node:path"
import { root } from "../tools/lib/project.ts"
import { listEditions } from "../tools/openapi/tool-check/editions.ts"
import { checkCollection } from "../tools/openapi/tool-check/postman.ts"
import { lintWithSpectral } from "../tools/openapi/tool-check/spectral.ts"
import { compileTypes } from "../tools/openapi/tool-check/types.ts"

const editions = listEditions()
const originals = editions.filter(({ version }) => version === "3.1")
const redocly = runRedocly(originals.map(({ name }) => `openapi/${name}.json`))

await report("Spectral", async () => (await Promise.all(editions.map(lintWithSpectral))).flat())
await report("openapi-typescript", () => compileTypes(editions))
await report("Postman", async () => (await Promise.all(originals.map(checkCollection))).flat())
process.exitCode ||= await redocly

/** Runs a check and prints its problems. */
async function report(tool: string, check: () => Promise<string[]>): Promise<void> {
  const start = performance.now()
  const problems = await check()
  for (const problem of problems) console.error(problem)
  console.log(`${tool}: ${problems.length} problems (${Math.round(performance.now() - start)} ms)`)
  if (problems.length) process.exitCode = 1
}

/** Runs Redocly in parallel with the other checks; returns its exit code. */
function runRedocly(files: string[]): Promise<number> {
  const child = spawn(join(root, "node_modules/.bin/redocly"), ["lint", ...files], { cwd: root, stdio: "inherit" })
  return new Promise((resolve) => child.on("close", (code) => resolve(code ?? 1)))
}
