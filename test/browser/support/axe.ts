// axe on a page: what it finds against the WCAG and its own good practice.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { AxeResults, RunOptions } from "axe-core"
import type { Page } from "playwright-core"

/** Put into a window before its pages' own policy is there. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

declare const axe: { run(options: RunOptions): Promise<AxeResults> }

/** What axe finds, one line a rule. */
export async function findings(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }))
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" ")}`,
  )
}
