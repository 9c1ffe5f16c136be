// Every page of the console, as links lead to it from the overview: nothing that axe finds, nothing that its policy stops, nothing
// that sticks out of a narrow window; in light and in dark.
import { Secret, TOTP } from "otpauth"
import { afterAll, describe, expect, test } from "vitest"
import { console as surface } from "../../src/console/app.tsx"
import { W } from "../../src/console/strings.ts"
import { command } from "./support/api.ts"
import { look } from "./support/appearance.ts"
import { AXE } from "./support/axe.ts"
import { base, open, operatorCookie, signIn } from "./support/browser.ts"
import { findPages } from "./support/pages.ts"

/** What no link leads to, or what answers no page: a stream, a download, a redirect, and what stands in front of the sign-in. */
const NOT_FOUND_BY_LINKS = [
  "/console/events/live/stream",
  "/console/stores.csv",
  "/console/sites/:site",
  "/console/sites/:site/media/files/:id/picture",
  "/console/login",
  "/console/login/code",
]

/** The shop itself in another theme, for a frame of the console. */
const FRAMED = "/console/stores/:id/theme/preview"

const routes = surface.routes
  .filter(({ method, path }) => method === "GET" && !path.includes("*"))
  .map(({ path }) => path)
const pages = await findPages(routes, await operatorCookie())

test("links lead to every page that there is", () => {
  const missed = routes.filter((route) => !pages.some((page) => page.route === route))
  expect(missed.toSorted()).toEqual(NOT_FOUND_BY_LINKS.toSorted())
})

describe("every page", async () => {
  const visit = await open({ js: true, width: 1280 }, { init: AXE })
  afterAll(() => visit.close())
  test.each(pages.filter(({ route }) => route !== FRAMED).map(({ path }) => path))("%s", (path) =>
    look(visit, base + path),
  )
})

test("the shop in another theme, which its policy lets no script look at", async () => {
  const visit = await open({ js: true, width: 1280 }, { init: AXE })
  await visit.page.route("**/theme/preview?*", async (route) => {
    const response = await route.fetch()
    const { "content-security-policy": _, ...headers } = response.headers()
    await route.fulfill({ response, headers })
  })
  const framed = pages.filter(({ route }) => route === FRAMED)
  expect(framed.length).toBeGreaterThan(0)
  try {
    for (const { path } of framed) await look(visit, base + path)
  } finally {
    await visit.close()
  }
})

describe("the sign-in", () => {
  test("asks for a password", async () => {
    const visit = await open({ js: true, width: 1280 }, { as: "nobody", init: AXE })
    await look(visit, `${base}/console/login`).finally(visit.close)
  })

  test("asks for a code of whoever has a second factor", async () => {
    const visit = await open({ js: true, width: 1280 }, { as: "nobody", init: AXE })
    const { page } = visit
    try {
      const me = { email: `axe-${Date.now()}@example.com`, password: "a long enough one" }
      await command("operators:create", { ...me, name: "Ada" })
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
      await look(visit, `${base}/console/login/code`)
    } finally {
      await visit.close()
    }
  })
})
