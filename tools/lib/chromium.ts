// Launches Chromium for the browser tests and the screenshots, without background network requests.
import { existsSync } from "node:fs"
import { chromium } from "playwright-core"
import { UserError } from "./project.ts"

/**
 * Debian's paths; the environment variable `CHROMIUM` overrides them. The first is Chromium without windows, which
 * needs half of the time.
 */
const EXECUTABLES = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"]

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
  const candidates = process.env.CHROMIUM ? [process.env.CHROMIUM] : EXECUTABLES
  const executablePath = candidates.find((path) => existsSync(path))
  if (!executablePath) {
    throw new UserError(
      `Chromium not found at ${candidates.join(" or ")}. ` +
        "Install it (apt-get install chromium-headless-shell) or set CHROMIUM to its path.",
    )
  }
  return { executablePath, args: ARGS }
}

/** Launches a browser for this process. */
export const launchChromium = () => chromium.launch(getLaunchOptions())

/** Launches a browser server, which other processes connect to through `wsEndpoint()`. */
export const serveChromium = () => chromium.launchServer(getLaunchOptions())
