// npm run screenshots: takes the screenshots of the console that README.md and docs/guides show. Needs a running
// `npm start`, whose credentials it reads from STATE_DIR, and Chromium (CHROMIUM, otherwise Debian's).
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { launchChromium } from "../tools/lib/chromium.ts"
import { getStateDirectory, root, UserError } from "../tools/lib/project.ts"
import { readCredentials } from "../tools/local/credentials.ts"

/** The path of each page, or of a list whose first item is shown. */
const PAGES: Record<string, string | { firstOf: string }> = {
  overview: "/console",
  store: "/console/stores/acme",
  order: { firstOf: "/console/orders?status=pending" },
  deliveries: "/console/deliveries",
}

const credentials = readCredentials(join(getStateDirectory(process.env), "credentials.json"))
if (!credentials?.operator) throw new UserError("The platform is not running. Start it with npm start.")
const { base_url: base, operator } = credentials

const directory = join(root, "docs", "console")
mkdirSync(directory, { recursive: true })
const browser = await launchChromium()
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "light" })
  await page.goto(`${base}/console/login`)
  await page.fill("[name=email]", operator.email)
  await page.fill("[name=password]", operator.password)
  await page.click("form button")
  await page.waitForURL((url) => url.pathname === "/console")
  for (const [name, path] of Object.entries(PAGES)) {
    await page.goto(base + (typeof path === "string" ? path : path.firstOf))
    if (typeof path !== "string") {
      await page.locator("main tbody a").first().click()
      await page.waitForLoadState()
    }
    await page.screenshot({ path: join(directory, `${name}.png`) })
  }
} finally {
  await browser.close()
}
console.log(`Saved ${Object.keys(PAGES).length} screenshots in docs/console.`)
