// Checks a page in a wide light window and in a narrow dark one.
import { expect } from "vitest"
import { runAxe } from "./axe.ts"
import { findOverflow, type Visit } from "./browser.ts"

/** Each loads the page again, because axe would otherwise measure colors in the middle of a transition. */
const APPEARANCES = [
  [1280, "light"],
  [360, "dark"],
] as const

/**
 * Asserts that axe finds no violations, that nothing overflows the window, and that neither the CSP nor a script
 * reports errors.
 * @param visit a window with axe loaded
 */
export async function checkPage({ page, problems }: Visit, url: string): Promise<void> {
  problems.length = 0
  for (const [width, colorScheme] of APPEARANCES) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    await page.goto(url)
    expect([await findOverflow(page), await runAxe(page)], `${width} ${colorScheme}`).toEqual([null, []])
  }
  expect(problems).toEqual([])
}
