// A page looked at with both eyes: at a desk in light, on a telephone in the dark.
import { expect } from "vitest"
import { findings } from "./axe.ts"
import { overflow, type Visit } from "./browser.ts"

/** The page is loaded anew for each: colours that are on their way from light to dark are neither. */
const LOOKS = [
  [1280, "light"],
  [360, "dark"],
] as const

/**
 * Fails for what axe finds, what sticks out of the window, and what the page's own policy or its script says went wrong.
 * @param visit a window with axe in it
 * @param url of a page
 */
export async function look({ page, faults }: Visit, url: string): Promise<void> {
  faults.length = 0
  for (const [width, colorScheme] of LOOKS) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    await page.goto(url)
    expect([await overflow(page), await findings(page)], `${width} ${colorScheme}`).toEqual([null, []])
  }
  expect(faults).toEqual([])
}
