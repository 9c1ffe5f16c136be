// Runs axe, which checks pages against the WCAG and best practices.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { AxeResults, RunOptions } from "axe-core"
import type { Page } from "playwright-core"

/** An init script, because the pages' CSP would block it later. */
export const AXE_SCRIPT = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

declare const axe: { run(options: RunOptions): Promise<AxeResults> }

/** @returns one line per violated rule */
export async function runAxe(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }))
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" ")}`,
  )
}
