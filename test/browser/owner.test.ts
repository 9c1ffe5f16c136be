// The pages of a store's owner and of whoever has no store yet, in each of their languages: front page, sign-up, sign-in, billing; and the
// reference for those who build on it.
import { afterAll, describe, expect, test } from "vitest"
import { createSeeder } from "../../scripts/seed/seeder.ts"
import { LOCALES } from "../../src/core/locale.ts"
import { AXE } from "./support/axe.ts"
import { base, open, platform, storeUrl } from "./support/browser.ts"
import { look } from "./support/look.ts"

const OWNER = "flora@bloom.example"
const password = createSeeder(base, platform.operator_token, "").password(OWNER)

describe.each([...LOCALES])("in %s", async (locale) => {
  const visit = await open({ js: true, width: 1280 }, { as: "nobody", init: AXE, locale })
  afterAll(visit.close)

  test.each(["/", "/signup", "/sign-in"])("%s", (path) => look(visit, base + path))

  test("/billing, for strangers and for the owner", async () => {
    const { page } = visit
    const billing = storeUrl("bloom", "/billing")
    await look(visit, billing)
    await page.locator("[name=email]").fill(OWNER)
    await page.locator("[name=password]").fill(password)
    await page.locator("form.sheet button").click()
    await page.locator("form[action='/billing/sign-out']").waitFor()
    await look(visit, billing)
  })
})

describe("the reference", async () => {
  const visit = await open({ js: true, width: 1280 }, { as: "nobody", init: AXE })
  afterAll(visit.close)
  const html = await (await fetch(`${base}/docs`)).text()
  const paths = new Set([...html.matchAll(/href="(\/docs\/?[a-z-]*)["#]/g)].map(([, path]) => path ?? ""))

  test("has pages", () => {
    expect(paths.size).toBeGreaterThan(5)
  })

  test.each(["/docs", ...[...paths].filter((path) => path !== "/docs")])("%s", (path) => look(visit, base + path))
})
