// npm run theme-pictures: takes the pictures of the themes that the front page and the sign-up form show, of a demo
// store in each published theme. Needs a running `npm start`, whose credentials it reads from STATE_DIR, and Chromium.
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { launchChromium } from "../tools/lib/chromium.ts"
import { getStateDirectory, root, UserError } from "../tools/lib/project.ts"
import { readCredentials } from "../tools/local/credentials.ts"

/** The store that is shown; its preview in the console has any theme. */
const STORE = "bloom"
/** Part of the page that is photographed. */
const VIEWPORT = { width: 1200, height: 900 }
const SIZE = { width: 600, height: 450 }
const QUALITY = 0.72

const credentials = readCredentials(join(getStateDirectory(process.env), "credentials.json"))
if (!credentials?.operator) throw new UserError("The platform is not running. Start it with npm start.")
const { base_url: base, operator } = credentials

/** Runs in the browser: scales a picture down and encodes it as WebP, which Playwright cannot. */
const encode = (png: Buffer): string => `(async () => {
  const image = new Image()
  image.src = "data:image/png;base64,${png.toString("base64")}"
  await image.decode()
  const canvas = Object.assign(document.createElement("canvas"), ${JSON.stringify(SIZE)})
  const context = canvas.getContext("2d")
  context.imageSmoothingQuality = "high"
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL("image/webp", ${QUALITY}).split(",")[1]
})()`

const browser = await launchChromium()
try {
  const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: "light" })
  const blank = await browser.newPage()
  await page.goto(`${base}/console/login`)
  await page.fill("[name=email]", operator.email)
  await page.fill("[name=password]", operator.password)
  await page.click("form button")
  await page.waitForURL((url) => url.pathname === "/console")
  await page.goto(`${base}/console/stores/${STORE}/theme`)
  const links = await page.locator("nav.tabs a").all()
  const hrefs = await Promise.all(links.map((link) => link.getAttribute("href")))
  const slugs = hrefs.map((href) => new URL(href ?? "", base).searchParams.get("theme"))
  const pictures: string[] = []
  for (const slug of slugs) {
    await page.goto(`${base}/console/stores/${STORE}/theme/preview?theme=${slug}`, { waitUntil: "networkidle" })
    const picture = await blank.evaluate<string>(encode(await page.screenshot()))
    const bytes = Buffer.from(picture, "base64")
    writeFileSync(join(root, `assets/themes/${slug}.webp`), bytes)
    pictures.push(`  ${slug}: "${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}",`)
    console.log(`${slug}: ${Math.round(bytes.length / 1000)} KB`)
  }
  writeFileSync(
    join(root, "src/pages/platform/theme-pictures.ts"),
    `// Made by \`npm run theme-pictures\`: hashes of the pictures in assets/themes, by theme.\nexport const THEME_PICTURES: Readonly<Record<string, string>> = {\n${pictures.join("\n")}\n}\n`,
  )
} finally {
  await browser.close()
}
