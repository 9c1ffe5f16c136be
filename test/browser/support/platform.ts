// What all browser tests of a run share: a platform of its own, started as anybody starts it, with its demo data; and one Chromium.
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { serveChromium } from "../../../tools/lib/chromium.ts"
import { root } from "../../../tools/lib/project.ts"
import { type Credentials, readCredentials } from "../../../tools/local/credentials.ts"
import { untilHealthy } from "../../../tools/local/health.ts"
import { freePort } from "../../../tools/local/port.ts"

declare module "vitest" {
  interface ProvidedContext {
    platform: Credentials
    chromium: string
  }
}

/** How long a start that makes its demo data may take before something must be wrong with it. */
const PATIENCE_MS = 420_000

/** Starts both, and answers what ends them. */
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

/** Whoever writes tests keeps one running, and names its STATE_DIR here. */
const running = process.env.BROWSER_TESTS_STATE

async function startPlatform(): Promise<{ credentials: Credentials; end: () => Promise<void> }> {
  const known = running ? readCredentials(join(running, "credentials.json")) : null
  if (known) return { credentials: known, end: async () => {} }
  const directory = mkdtempSync(join(tmpdir(), "tenancy-browser-"))
  const port = await freePort()
  const platform = spawn(
    process.execPath,
    [join(root, "scripts/start.ts"), "--var", "TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS:true"],
    {
      cwd: root,
      env: { ...process.env, PORT: String(port), STATE_DIR: directory },
      stdio: ["ignore", "pipe", "pipe"],
    },
  )
  let said = ""
  for (const stream of [platform.stdout, platform.stderr])
    stream.on("data", (text) => (said = (said + text).slice(-8000)))
  let isOver = false
  const over = new Promise<void>((resolve) =>
    platform.once("close", () => {
      isOver = true
      resolve()
    }),
  )
  const end = async () => {
    platform.kill("SIGTERM")
    await over
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const late = setTimeout(() => platform.kill("SIGTERM"), PATIENCE_MS)
    await untilHealthy(port, "localhost", () => isOver)
    clearTimeout(late)
    const credentials = readCredentials(join(directory, "credentials.json"))
    if (!credentials?.operator) throw new Error("The start made no demo data.")
    return { credentials, end }
  } catch (cause) {
    await end()
    throw new Error(`npm start did not come up. It said:\n${said}`, { cause })
  }
}
