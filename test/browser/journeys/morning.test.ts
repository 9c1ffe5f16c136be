// The morning's first look: each thing that needs somebody leads to a list that shows just that many.
import { expect } from "vitest"
import { W } from "../../../src/console/strings.ts"
import { journey } from "../support/journey.ts"

journey("reads the overview and opens each list that it counts", async ({ page, to, heading }) => {
  await to("/console")
  await heading(W.overview.title)
  const tasks = await page.locator(".tasks li").evaluateAll((items) =>
    items.map((item) => ({
      count: item.querySelector("b")?.textContent ?? "",
      href: item.querySelector("a")?.getAttribute("href") ?? "",
    })),
  )
  expect(tasks.length).toBeGreaterThan(0)
  for (const { count, href } of tasks) {
    await to(href)
    if (href.includes("#")) continue
    const rows = await page.locator("main table").first().locator("tbody tr").count()
    expect(rows, href).toEqual(Number(count))
  }
})
