// Runs axe, which checks pages against the WCAG and best practices.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { AxeResults, RunOptions } from "axe-core"
import type { Page } from "playwright-core"

/** An init script, because the pages' CSP would block it later. */
export const AXE_SCRIPT = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

declare const axe: { run(context: string, options: RunOptions): Promise<AxeResults> }

/** Rules whose result depends on the colors and the size of the window. The others are the same in every window. */
export const APPEARANCE_RULES = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]

/**
 * @param rules those to check; all by default
 * @param context a selector of the elements to check; the whole page by default
 * @returns one line per violated rule
 */
export async function runAxe(page: Page, rules?: readonly string[], context = "html"): Promise<string[]> {
  const options: RunOptions = {
    resultTypes: ["violations"],
    ...(rules && { runOnly: { type: "rule", values: [...rules] } }),
  }
  const { violations } = await page.evaluate(([where, given]) => axe.run(where, given), [context, options] as const)
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" ")}`,
  )
}
