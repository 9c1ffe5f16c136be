// Checks the console's pages in Chromium, except those of a store (`store-pages.test.ts`), and its sign-in.
import { Secret, TOTP } from "otpauth"
import { describe, expect, test } from "vitest"
import { console as consoleApp } from "../../src/console/app.tsx"
import { W } from "../../src/console/strings.ts"
import { runCommand } from "./support/api.ts"
import { checkPage } from "./support/appearance.ts"
import { AXE_SCRIPT } from "./support/axe.ts"
import { base, openWindow, signIn } from "./support/browser.ts"
import { checkConsolePages, findConsolePages, isStorePage, routes } from "./support/console-pages.ts"

/** Routes that no link leads to or that are not pages of the console: streams, redirects and previews. */
const UNLINKED_ROUTES = [
  "/console/events/live/stream",
  "/console/stores/bulk/matching",
  "/console/sites/:site",
  "/console/sites/:site/media/files/:id/picture",
  "/console/sites/:site/pages/:slug/preview",
  "/console/sites/:site/posts/:slug/preview",
]

/** Pages of what the demo shops need not have. */
const DATA_ROUTES = ["orders", "messages", "galleries"].map((section) => `/console/sites/:site/${section}/:id`)

/** The paths of forms: a form, not a link, leads to its confirmation (test/console/confirmation.test.ts) or sign-in. */
const formPaths = new Set(consoleApp.routes.filter(({ method }) => method === "POST").map(({ path }) => path))

await runCommand("incidents:create", { title: "Late webhooks", body: "Deliveries are up to five minutes late." })
const pages = await findConsolePages()

test("reaches every page of the console by links", () => {
  // Downloads are not pages.
  const isDownload = (route: string) => route.endsWith(".csv") || route.endsWith("/export")
  const candidates = routes.filter(
    (route) => !formPaths.has(route) && !isDownload(route) && !DATA_ROUTES.includes(route),
  )
  const missed = candidates.filter((route) => !pages.some((page) => page.route === route))
  expect([...new Set(missed)].toSorted()).toEqual(UNLINKED_ROUTES.toSorted())
})

checkConsolePages(
  "console pages",
  pages.filter((page) => !isStorePage(page)),
)

describe("sign-in", () => {
  test("shows the password form", async () => {
    const visit = await openWindow({ js: true, width: 1280 }, { as: "anonymous", init: AXE_SCRIPT })
    await checkPage(visit, `${base}/console/login`).finally(visit.close)
  })

  test("asks for a code when two-factor authentication is on", async () => {
    const visit = await openWindow({ js: true, width: 1280 }, { as: "anonymous", init: AXE_SCRIPT })
    const { page } = visit
    try {
      const me = { email: `axe-${Date.now()}@example.com`, password: "a long enough one" }
      await runCommand("operators:create", { ...me, name: "Ada" })
      await signIn(page, me)
      await page.goto(`${base}/console/account`)
      await page.getByRole("button", { name: W.account.totp_set_up }).click()
      const secret = Secret.fromBase32((await page.locator("#totp code").textContent()) ?? "")
      await page.locator("#totp [name=code]").fill(new TOTP({ secret }).generate())
      await page.getByRole("button", { name: W.account.totp_enable }).click()
      await page.locator("#codes").waitFor()
      await page.context().clearCookies()
      await signIn(page, me)
      await page.getByRole("heading", { name: W.login.code_title }).waitFor()
      await checkPage(visit, `${base}/console/login/code`)
    } finally {
      await visit.close()
    }
  })
})
