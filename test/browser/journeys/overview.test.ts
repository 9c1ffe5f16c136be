// Each item that needs attention links to a list with the same number of rows.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { journey } from "../support/journey.ts"

journey(
  "links each item of the overview to a list with as many rows as it counts",
  async ({ page, goTo, expectHeading }) => {
    await goTo("/console")
    await expectHeading(W.overview.title)
    const items = await page.locator(".tasks li").evaluateAll((elements) =>
      elements.map((item) => ({
        count: item.querySelector("b")?.textContent ?? "",
        href: item.querySelector("a")?.getAttribute("href") ?? "",
      })),
    )
    expect(items.length).toBeGreaterThan(0)
    for (const { count, href } of items) {
      await goTo(href)
      if (href.includes("#")) continue
      const rows = await page.locator("main table").first().locator("tbody tr").count()
      expect(rows, href).toEqual(Number(count))
    }
  },
)
