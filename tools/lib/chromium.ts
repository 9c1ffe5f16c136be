// Launches Chromium for the browser tests and the screenshots, without background network requests.
import { existsSync } from "node:fs"
import { chromium } from "playwright-core"
import { UserError } from "./project.ts"

/** Debian's path; the environment variable `CHROMIUM` overrides it. */
const DEFAULT_EXECUTABLE = "/usr/bin/chromium"

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
 * Returns the launch options of a headless browser.
 * @throws UserError when Chromium is not installed
 */
function getLaunchOptions(): { executablePath: string; args: string[] } {
  const executablePath = process.env.CHROMIUM || DEFAULT_EXECUTABLE
  if (!existsSync(executablePath)) {
    throw new UserError(
      `Chromium not found at ${executablePath}. Install it (apt-get install chromium) or set CHROMIUM to its path.`,
    )
  }
  return { executablePath, args: ARGS }
}

/** Launches a browser for this process. */
export const launchChromium = () => chromium.launch(getLaunchOptions())

/** Launches a browser server, which other processes connect to through `wsEndpoint()`. */
export const serveChromium = () => chromium.launchServer(getLaunchOptions())
