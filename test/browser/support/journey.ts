// A journey: one piece of somebody's work, done in every kind of window. It ends with nothing wrong written down and no page that
// stuck out of the window.
import type { Page } from "playwright-core"
import { describe, expect, onTestFailed, test } from "vitest"
import { base, nameOf, open, overflow, type Visit, WINDOWS, type Window } from "./browser.ts"

export interface Walk extends Window {
  page: Page
  /** Goes to a path of the central host. */
  to(path: string): Promise<void>
  /** Presses a button or follows a link of that name, to the page behind it. */
  press(name: string | RegExp, within?: string): Promise<void>
  follow(name: string | RegExp, within?: string): Promise<void>
  /** Fails unless the page says this somewhere that can be seen. */
  sees(text: string | RegExp): Promise<void>
  heading(text: string | RegExp): Promise<void>
  /** Opens another window of the same kind, whose faults count as well. */
  another(as: "operator" | "nobody"): Promise<Page>
  /** A word that no other walk uses. */
  word: string
}

let walks = 0

/** Registers a journey: a test for every kind of window. */
export function journey(
  name: string,
  work: (walk: Walk) => Promise<void>,
  as: "operator" | "nobody" = "operator",
): void {
  describe(name, () => {
    test.each(WINDOWS.map((window) => [nameOf(window), window] as const))("%s", async (_, window) => {
      const visits: Visit[] = []
      const enter = async (who: "operator" | "nobody") => {
        const visit = await open(window, { as: who })
        visits.push(visit)
        const { page, faults } = visit
        page.on("load", async () => {
          const wide = await overflow(page).catch(() => null)
          if (wide) faults.push(`${page.url()}: ${wide}`)
        })
        return page
      }
      const page = await enter(as)
      const inside = (within?: string) => (within ? page.locator(within) : page.locator("body"))
      let said = ""
      onTestFailed(() => {
        console.error(`Ended at ${page.url()}: ${said}`)
      })
      try {
        await work({
          ...window,
          page,
          word: `w${process.pid.toString(36)}${(++walks).toString(36)}`,
          to: async (path) => {
            await page.goto(base + path)
          },
          press: (button, within) => inside(within).getByRole("button", { name: button }).first().click(),
          follow: (link, within) => inside(within).getByRole("link", { name: link }).first().click(),
          sees: (text) => inside().getByText(text).first().waitFor(),
          heading: (text) => page.getByRole("heading", { level: 1, name: text }).waitFor(),
          another: enter,
        })
        expect(visits.flatMap(({ faults }) => faults)).toEqual([])
      } catch (thrown) {
        said = (
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
