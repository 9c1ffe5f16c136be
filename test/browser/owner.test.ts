// The pages of whoever has no store yet, in each of their languages: front page, sign-up and sign-in; and the
// reference's guides.
import { afterAll, describe, expect, test } from "vitest"
import { LOCALES } from "../../src/core/locale.ts"
import { AXE } from "./support/axe.ts"
import { base, open } from "./support/browser.ts"
import { look } from "./support/look.ts"

describe.each([...LOCALES])("in %s", async (locale) => {
  const visit = await open({ js: true, width: 1280 }, { as: "nobody", init: AXE, locale })
  afterAll(visit.close)

  test.each(["/", "/signup", "/sign-in"])("%s", (path) => look(visit, base + path))
})

/** Pages of the reference with hundreds of operations: axe takes a minute for each. */
const LONG = ["/docs/platform", "/docs/content", "/docs/license", "/docs/events", "/docs/codes"]

describe("the guides", async () => {
  const visit = await open({ js: true, width: 1280 }, { as: "nobody", init: AXE })
  afterAll(visit.close)
  const html = await (await fetch(`${base}/docs`)).text()
  const linked = new Set([...html.matchAll(/href="(\/docs\/?[a-z-]*)["#]/g)].map(([, path]) => path ?? ""))
  const paths = [...linked].filter((path) => !LONG.includes(path))

  test("are several", () => {
    expect(paths.length).toBeGreaterThan(5)
  })

  test.each(paths)("%s", (path) => look(visit, base + path))
})
