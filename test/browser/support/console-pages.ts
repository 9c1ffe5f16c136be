// The console's pages, as links lead to them, and their check in Chromium.
import { afterAll, describe, test } from "vitest"
import { console as consoleApp } from "../../../src/console/app.tsx"
import { checkPage } from "./appearance.ts"
import { AXE_SCRIPT } from "./axe.ts"
import { base, getOperatorCookie, openWindow } from "./browser.ts"
import { type FoundPage, findPages } from "./pages.ts"

/** The routes of pages and downloads. */
export const routes = consoleApp.routes
  .filter(({ method, path }) => method === "GET" && !path.includes("*"))
  .map(({ path }) => path)

/** The pages below a path are checked by a separate test file, because one file uses one core. */
const STORE_PATHS = /^\/console\/(stores|sites)\//

/** Whether a page is about one store. */
export const isStorePage = ({ path }: FoundPage): boolean => STORE_PATHS.test(path)

/** Finds the console's pages, as the demo operator. */
export const findConsolePages = async (): Promise<FoundPage[]> => findPages(routes, await getOperatorCookie())

/** Checks pages for accessibility, CSP and overflow, light and dark. */
export function checkConsolePages(name: string, pages: readonly FoundPage[]): void {
  describe(name, async () => {
    const visit = await openWindow({ js: true, width: 1280 }, { init: AXE_SCRIPT })
    afterAll(() => visit.close())
    test.each(pages.map(({ path }) => path))("%s", (path) => checkPage(visit, base + path))
  })
}
