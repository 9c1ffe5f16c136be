// Each item that needs attention links to a list with the same number of rows.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { journey } from "../support/journey.ts"

/** How often a list is compared before the test fails. Other journeys change the data meanwhile. */
const ATTEMPTS = 5

journey(
  "links each item of the overview to a list with as many rows as it counts",
  async ({ page, goTo, expectHeading }) => {
    /** The items that need attention: address of the list and number of rows. */
    const readItems = async () => {
      await goTo("/console")
      await expectHeading(W.overview.title)
      const items = await page.locator(".tasks li").evaluateAll((elements) =>
        elements.map((item): [string, number] => {
          const href = item.querySelector("a")?.getAttribute("href") ?? ""
          return [href, Number(item.querySelector("b")?.textContent)]
        }),
      )
      return new Map(items)
    }

    const hrefs = [...(await readItems()).keys()]
    expect(hrefs.length).toBeGreaterThan(0)
    for (const href of hrefs) {
      if (href.includes("#")) {
        await goTo(href)
        continue
      }
      for (let attempt = 1; ; attempt++) {
        const count = (await readItems()).get(href) ?? 0
        await goTo(href)
        const rows = await page.locator("main table").first().locator("tbody tr").count()
        if (rows !== count && attempt < ATTEMPTS) continue
        expect(rows, href).toEqual(count)
        break
      }
    }
  },
)
