// Every page of the console, as links lead to it from the overview: nothing that axe finds, nothing that its policy stops, nothing
// that sticks out of a narrow window; in light and in dark.
import { afterAll, describe, expect, test } from "vitest"
import { console as surface } from "../../src/console/app.tsx"
import { AXE } from "./support/axe.ts"
import { base, open, operatorCookie } from "./support/browser.ts"
import { look } from "./support/look.ts"
import { findPages } from "./support/pages.ts"

/** What no link leads to, or what answers no page: a stream, a download, a redirect, and what stands in front of the sign-in. */
const NOT_FOUND_BY_LINKS = [
  "/console/events/live/stream",
  "/console/stores.csv",
  "/console/sites/:site",
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

test("the sign-in", async () => {
  const visit = await open({ js: true, width: 1280 }, { as: "nobody", init: AXE })
  await look(visit, `${base}/console/login`).finally(visit.close)
})
