// What the README shows of the code: a table of routes a surface. Bundled by `npm run docs`, imported by the README's test.
import { content } from "../../src/content/app"
import { routeTable } from "../../src/core/route"
import { licenseManager } from "../../src/license/app"
import { platform } from "../../src/platform/app"
import { accessTable, plainTable, replaceMarked } from "./route-markdown.ts"

/** Name of the marks -> what stands between them. */
const TABLES: Record<string, string> = {
  "control-plane routes": accessTable(routeTable(platform), "/api/platform/v1"),
  "content routes": plainTable(routeTable(content), "/api/v1"),
  "license routes": plainTable(routeTable(licenseManager), "/api"),
}

/** The README with every table as the code has it today. */
export const withTables = (readme: string): string =>
  Object.entries(TABLES).reduce((text, [name, table]) => replaceMarked(text, name, table), readme)
