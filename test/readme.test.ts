// What the README generates from the code is what the code says today.
import { expect, test } from "vitest"
import readme from "../README.md?raw"
import { replaceMarked, routeMarkdown } from "../scripts/lib/route-markdown"
import { routeTable } from "../src/core/route"
import { platform } from "../src/platform/app"

test("the README's route table is the route table (npm run docs writes it)", () => {
  const table = routeMarkdown(routeTable(platform), "/api/platform/v1")
  expect(readme).toBe(replaceMarked(readme, "control-plane routes", table))
})
