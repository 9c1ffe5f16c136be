// Checks a page in a wide light window and in a narrow dark one.
import { expect } from "vitest"
import { findBareMoments } from "../../support/moments.ts"
import { APPEARANCE_RULES, runAxe } from "./axe.ts"
import { findOverflow, type Visit } from "./browser.ts"

/** Each loads the page again, because axe would otherwise measure colors in the middle of a transition. */
const APPEARANCES = [
  { width: 1280, colorScheme: "light", rules: undefined },
  { width: 360, colorScheme: "dark", rules: APPEARANCE_RULES },
] as const

/**
 * Asserts that axe finds no violations, that nothing overflows the window, that all moments name their time zone, and
 * that neither the CSP nor a script reports errors.
 * @param visit a window with axe loaded
 * @param isHuge whether the page has too many elements for axe
 */
export async function checkPage(
  { page, problems }: Visit,
  url: string,
  { isHuge = false }: { isHuge?: boolean } = {},
): Promise<void> {
  problems.length = 0
  for (const { width, colorScheme, rules } of APPEARANCES) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    await page.goto(url)
    const violations = isHuge ? [] : await runAxe(page, rules)
    expect([await findOverflow(page), violations], `${width} ${colorScheme}`).toEqual([null, []])
  }
  // The documentation has examples with moments.
  if (!new URL(url).pathname.startsWith("/docs")) expect(findBareMoments(await page.content())).toEqual([])
  expect(problems).toEqual([])
}
