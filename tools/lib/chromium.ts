// Chromium, as the tests and the screenshots drive it: one that asks the network for nothing of its own.
import { existsSync } from "node:fs"
import { chromium } from "playwright-core"
import { UserError } from "./project.ts"

/** Where Debian has it; the environment's `CHROMIUM` names another. */
const EXECUTABLE = "/usr/bin/chromium"

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

/**
 * How to launch it, without a window.
 * @throws UserError where it is not installed
 */
function chromiumOptions(): { executablePath: string; args: string[] } {
  const executablePath = process.env.CHROMIUM || EXECUTABLE
  if (!existsSync(executablePath)) {
    throw new UserError(
      `There is no Chromium at ${executablePath}: apt-get install chromium, or name yours in CHROMIUM.`,
    )
  }
  return { executablePath, args: ARGS }
}

/** Launches one for the caller alone. */
export const launchChromium = () => chromium.launch(chromiumOptions())

/** Launches one that several processes can connect to, each through its address (`wsEndpoint()`). */
export const serveChromium = () => chromium.launchServer(chromiumOptions())
