// Checks what the seed leaves behind, which a first visit to the console shows.
import { expect, test } from "vitest"
import { base, openWindow, platform } from "./support/browser.ts"

test("counts the usage of the demo stores after their data is created", async () => {
  const headers = { Authorization: `Bearer ${platform.platform?.read_key}` }
  for (const store of ["acme", "bloom"]) {
    const response = await fetch(`${base}/api/platform/v1/stores/${store}/usage`, { headers })
    const { data } = (await response.json()) as { data: { live: boolean; usage: Record<string, number> } }
    expect(data.live).toBe(false)
    expect(data.usage.products, store).toBeGreaterThan(0)
  }
})

test("leaves no alert about late jobs", async () => {
  const visit = await openWindow({ js: false, width: 1280 }, { as: "operator" })
  await visit.page.goto(`${base}/console/system`)
  const row = visit.page.locator("#alerts tr", { hasText: "scheduled_jobs_late" })
  expect(await row.count()).toBe(1)
  expect(await row.textContent()).not.toContain("Firing")
  await visit.close()
})
