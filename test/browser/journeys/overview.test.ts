// Each item that needs attention links to a list with the same number of rows.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { journey } from "../support/journey.ts"

/** How often a list is compared before the test fails. Other journeys change the data meanwhile. */
const ATTEMPTS = 5

journey(
  "links each item of the overview to a list with as many rows as it counts",
  async ({ page, goTo, expectHeading }) => {
    /** The items that need attention, by what they ask for: the address of the list and its number of rows. */
    const readItems = async () => {
      await goTo("/console")
      await expectHeading(W.overview.title)
      const items = await page.locator(".tasks li").evaluateAll((elements) =>
        elements.map((item) => {
          const href = item.querySelector("a")?.getAttribute("href") ?? ""
          return { href, count: Number(item.querySelector("b")?.textContent) }
        }),
      )
      // Times in an address change from one reading to the next.
      return new Map(items.map((item) => [item.href.replace(/[?&]settled_since=[^&]*/, ""), item]))
    }
    const countRows = async (href: string) => {
      await goTo(href)
      return await page.locator("main table").first().locator("tbody tr").count()
    }

    const items = await readItems()
    expect(items.size).toBeGreaterThan(0)
    for (const [key, first] of items) {
      if (first.href.includes("#")) {
        await goTo(first.href)
        continue
      }
      let item = first
      let rows = await countRows(item.href)
      for (let attempt = 1; rows !== item.count && attempt < ATTEMPTS; attempt++) {
        item = (await readItems()).get(key) ?? { ...item, count: 0 }
        rows = await countRows(item.href)
      }
      expect(rows, key).toEqual(item.count)
    }
  },
)
