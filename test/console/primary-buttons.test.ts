// Every page has at most one primary button.
import { expect, test } from "vitest"
import { crawl } from "./crawler"
import { createSampleData } from "./sample-data"
import { signIn } from "./support"

/** The labels of the primary buttons that a page shows at first. Forms behind a summary are closed. */
const getPrimaryButtons = (html: string): string[] =>
  [
    ...html
      .replaceAll(/<details(?![^>]*\sopen)[^>]*>[\s\S]*?<\/details>/g, "")
      .matchAll(/<(?:button[^>]*type="submit"|a[^>]*class="button")([^>]*)>([^<]*)/g),
  ].flatMap(([tag, , label = ""]) => (/data-(?:quiet|danger)/.test(tag) ? [] : [label]))

test("shows at most one primary button on every page", async () => {
  await createSampleData()
  const admin = await signIn()
  const pages = await crawl((path) => admin.get(path))
  expect(pages.size).toBeGreaterThan(60)
  const several = [...pages].flatMap(([path, html]) => {
    const labels = getPrimaryButtons(html)
    return labels.length > 1 ? [`${path}: ${labels.join(", ")}`] : []
  })
  expect(several).toEqual([])
})
