// Starts a platform with demo data and one Chromium for all browser tests of a run.
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { serveChromium } from "../../../tools/lib/chromium.ts"
import { root } from "../../../tools/lib/project.ts"
import { type Credentials, readCredentials } from "../../../tools/local/credentials.ts"
import { waitUntilHealthy } from "../../../tools/local/health.ts"
import { findFreePort } from "../../../tools/local/port.ts"

declare module "vitest" {
  interface ProvidedContext {
    platform: Credentials
    chromium: string
  }
}

/** Includes the creation of the demo data. */
const STARTUP_TIMEOUT_MS = 420_000

/** @returns a function that stops both */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const platform = await startPlatform()
  const chromium = await serveChromium()
  provide("platform", platform.credentials)
  provide("chromium", chromium.wsEndpoint())
  return async () => {
    await chromium.close()
    await platform.end()
  }
}

/** STATE_DIR of a running platform to reuse, for faster runs while writing tests. */
const runningStateDir = process.env.BROWSER_TESTS_STATE

async function startPlatform(): Promise<{ credentials: Credentials; end: () => Promise<void> }> {
  const running = runningStateDir ? readCredentials(join(runningStateDir, "credentials.json")) : null
  if (running) return { credentials: running, end: async () => {} }
  const directory = mkdtempSync(join(tmpdir(), "tenancy-browser-"))
  const port = await findFreePort()
  const platform = spawn(
    process.execPath,
    [join(root, "scripts/start.ts"), "--var", "TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS:true"],
    {
      cwd: root,
      env: { ...process.env, PORT: String(port), STATE_DIR: directory },
      stdio: ["ignore", "pipe", "pipe"],
    },
  )
  let output = ""
  for (const stream of [platform.stdout, platform.stderr])
    stream.on("data", (text) => (output = (output + text).slice(-8000)))
  let hasExited = false
  const exited = new Promise<void>((resolve) =>
    platform.once("close", () => {
      hasExited = true
      resolve()
    }),
  )
  const end = async () => {
    platform.kill("SIGTERM")
    await exited
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const deadline = AbortSignal.timeout(STARTUP_TIMEOUT_MS)
    await waitUntilHealthy(port, "localhost", () => hasExited || deadline.aborted)
    const credentials = readCredentials(join(directory, "credentials.json"))
    if (!credentials?.operator) throw new Error("npm start created no demo data.")
    return { credentials, end }
  } catch (cause) {
    await end()
    throw new Error(`npm start did not come up. Its output:\n${output}`, { cause })
  }
}
