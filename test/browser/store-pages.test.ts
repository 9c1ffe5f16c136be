// Checks the console's pages of a store in Chromium, and the preview of a theme.
import { expect, test } from "vitest"
import { checkPage } from "./support/appearance.ts"
import { AXE_SCRIPT } from "./support/axe.ts"
import { base, openWindow } from "./support/browser.ts"
import { checkConsolePages, findConsolePages, isStorePage } from "./support/console-pages.ts"

/** The storefront preview, which the console shows in a frame. */
const PREVIEW_ROUTE = "/console/stores/:id/theme/preview"

const pages = (await findConsolePages()).filter(isStorePage)

checkConsolePages(
  "store pages of the console",
  pages.filter(({ route }) => route !== PREVIEW_ROUTE),
)

test("previews a store in another theme without accessibility violations", async () => {
  const visit = await openWindow({ js: true, width: 1280 }, { init: AXE_SCRIPT })
  await visit.page.route("**/theme/preview?*", async (route) => {
    const response = await route.fetch()
    const { "content-security-policy": _, ...headers } = response.headers()
    await route.fulfill({ response, headers })
  })
  const framed = pages.filter(({ route }) => route === PREVIEW_ROUTE)
  expect(framed.length).toBeGreaterThan(0)
  try {
    for (const { path } of framed) await checkPage(visit, base + path)
  } finally {
    await visit.close()
  }
})
