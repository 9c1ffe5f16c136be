// Runs a user journey in a narrow window with JavaScript and in a wide one without. It fails on any error or
// overflowing page.
import type { Page } from "playwright-core"
import { describe, expect, onTestFailed, test } from "vitest"
import { base, describeWindow, findOverflow, openWindow, type Visit, WINDOWS, type WindowOptions } from "./browser.ts"

export interface Journey extends WindowOptions {
  page: Page
  /** Opens a path of the central host. */
  goTo(path: string): Promise<void>
  /** Clicks the first button, or the first link, with that name. */
  press(name: string | RegExp, within?: string): Promise<void>
  follow(name: string | RegExp, within?: string): Promise<void>
  /** Opens the form behind the button with that label. */
  open(label: string): Promise<void>
  /** Waits until the text is visible. */
  expectText(text: string | RegExp): Promise<void>
  expectHeading(text: string | RegExp): Promise<void>
  /** Opens another window of the same size; its problems fail the journey too. */
  openWindow(as: "operator" | "anonymous"): Promise<Page>
  /** A name that no other journey uses. */
  uniqueName: string
}

let journeyCount = 0

/** Registers a journey as one test for each window. */
export function journey(
  name: string,
  run: (context: Journey) => Promise<void>,
  as: "operator" | "anonymous" = "operator",
): void {
  describe(name, () => {
    test.each(WINDOWS.map((window) => [describeWindow(window), window] as const))("%s", async (_, window) => {
      const visits: Visit[] = []
      const openPage = async (user: "operator" | "anonymous") => {
        const visit = await openWindow(window, { as: user })
        visits.push(visit)
        const { page, problems } = visit
        page.on("load", async () => {
          const overflow = await findOverflow(page).catch(() => null)
          if (overflow) problems.push(`${page.url()}: ${overflow}`)
        })
        return page
      }
      const page = await openPage(as)
      const locate = (within?: string) => (within ? page.locator(within) : page.locator("body"))
      let messages = ""
      onTestFailed(() => {
        console.error(`Ended at ${page.url()}: ${messages}`)
      })
      try {
        await run({
          ...window,
          page,
          uniqueName: `w${process.pid.toString(36)}${(++journeyCount).toString(36)}`,
          goTo: async (path) => {
            await page.goto(base + path)
          },
          press: (button, within) => locate(within).getByRole("button", { name: button }).first().click(),
          follow: (link, within) => locate(within).getByRole("link", { name: link }).first().click(),
          open: (label) => page.locator(".disclosure > summary", { hasText: label }).first().click(),
          expectText: (text) => locate().getByText(text).first().waitFor(),
          expectHeading: (text) => page.getByRole("heading", { level: 1, name: text }).waitFor(),
          openWindow: openPage,
        })
        expect(visits.flatMap(({ problems }) => problems)).toEqual([])
      } catch (thrown) {
        messages = (
          await page
            .locator("h1, .note, .field-error")
            .allInnerTexts()
            .catch(() => [])
        ).join(" | ")
        throw thrown
      } finally {
        for (const visit of visits) await visit.close()
      }
    })
  })
}
