// npm run screenshots: pictures of the console's main pages, light and dark, for the README. It asks a running `npm start`, whose
// credentials it reads from STATE_DIR, and needs a Chromium (CHROMIUM, else Debian's).
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { launchChromium } from "../tools/lib/chromium.ts"
import { root, stateDirectoryOf, UserError } from "../tools/lib/project.ts"
import { readCredentials } from "../tools/local/credentials.ts"

/** A page, or a list whose first row leads to it. */
const PAGES: Record<string, string | { firstOf: string }> = {
  overview: "/console",
  stores: "/console/stores",
  store: "/console/stores/acme",
  order: { firstOf: "/console/orders?status=pending" },
  webhook: { firstOf: "/console/webhooks" },
  deliveries: "/console/deliveries",
  license: "/console/licenses/3",
  audit: "/console/audit?interface=api",
  system: "/console/system",
}

const credentials = readCredentials(join(stateDirectoryOf(process.env), "credentials.json"))
if (!credentials?.operator) throw new UserError("There is no running platform: npm start first.")
const { base_url: base, operator } = credentials

const directory = join(root, "docs", "console")
mkdirSync(directory, { recursive: true })
const browser = await launchChromium()
try {
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme })
    const page = await context.newPage()
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
      await page.screenshot({ path: join(directory, `${name}-${colorScheme}.png`) })
    }
    await context.close()
  }
} finally {
  await browser.close()
}
console.log(`${Object.keys(PAGES).length * 2} pictures are in docs/console.`)
