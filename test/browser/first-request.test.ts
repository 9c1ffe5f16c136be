// Runs the code of the guide to the first request, read from the running platform: the shell commands, then the
// client's code.
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { Tenancy } from "../../src/client/index.ts"
import { root } from "../../tools/lib/project.ts"

const { base_url, operator_token, platform } = inject("platform")
const key = platform?.write_key ?? ""
const directory = mkdtempSync(join(tmpdir(), "tenancy-first-request-"))
const temporary = mkdtempSync(join(tmpdir(), "tenancy-first-request-files-"))
afterAll(async () => {
  for (const folder of [directory, temporary]) rmSync(folder, { recursive: true, force: true })
  const tenancy = new Tenancy({ baseUrl: base_url, key })
  for (const id of ["first-store", "second-store"])
    await tenancy.stores.delete(id, { confirm: id }).catch(() => undefined)
})

const LINKS = ["package.json", "scripts", "node_modules", "src", "wrangler.toml"]

let guide = ""
beforeAll(async () => {
  guide = await (await fetch(`${base_url}/docs/first-request.md`)).text()
  // The guide runs in the project's directory; links keep the files that it writes out of the repository.
  for (const name of LINKS) symlinkSync(join(root, name), join(directory, name))
})

const getCodeBlocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, code = ""]) => code)

/** Runs a program, returns its output, and kills its whole process group afterwards. */
function runProgram(command: string, args: string[]): Promise<{ status: number | null; out: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
    TMPDIR: temporary,
    TENANCY_URL: base_url,
    OPERATOR_TOKEN: operator_token,
  }
  const child = spawn(command, args, { cwd: directory, env, detached: true, timeout: 100_000, killSignal: "SIGKILL" })
  let out = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (out += text))
  return new Promise((resolve) =>
    child.once("exit", (status) => {
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL")
      } catch {
        // The process group has already exited.
      }
      resolve({ status, out })
    }),
  )
}

test("creates a store with a domain by curl, and receives and verifies its events", async () => {
  const commands = getCodeBlocks("sh")
  expect(commands.length).toBeGreaterThan(7)
  const { status, out } = await runProgram("bash", ["-c", `set -eo pipefail\n${commands.join("\necho\n")}`])
  expect([status, out]).toEqual([0, expect.stringContaining("verified store.created")])
  expect(out).toContain('"name":"my-integration"')
  expect(out).toContain('"txt_name":"_tenancy-verify.shop.example.com"')
  expect(out).toContain('"verification_result":')
  expect(out).not.toContain('"error":{')
  expect(
    readdirSync(directory)
      .filter((name) => !name.startsWith("."))
      .toSorted(),
  ).toEqual(LINKS.toSorted())
  const [files = ""] = readdirSync(temporary).filter((name) => name.startsWith("tmp."))
  const received = readFileSync(join(temporary, files, "receiver.log"), "utf8")
    .trim()
    .split("\n")
  // Other tests create stores on the same platform in parallel, so the receiver gets their events too.
  for (const event of ["store.created", "store.ready", "domain.added"]) expect(received).toContain(`verified ${event}`)
  expect(received.filter((line) => !/^verified [a-z.]+$/.test(line))).toEqual([])
}, 120_000)

test("creates a store with a domain by the client", async () => {
  const [code = ""] = getCodeBlocks("ts")
  const client = pathToFileURL(join(root, "src/client/index.ts")).href
  const file = join(directory, "client.ts")
  writeFileSync(
    file,
    `process.env.TENANCY_KEY = ${JSON.stringify(key)}\n${code.replace('"tenancy-client"', JSON.stringify(client))}`,
  )
  const { status, out } = await runProgram(process.execPath, [file])
  expect([status, out]).toEqual([0, expect.stringContaining("_tenancy-verify.second.example.com")])
}, 120_000)
