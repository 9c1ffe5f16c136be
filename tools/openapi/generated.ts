// What is written down of the code: the README's tables of routes, the OpenAPI documents and the client's types. Bundled by `npm run docs`, imported by tests.
import { contentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { licenseManager } from "../../src/license/app"
import { platform } from "../../src/platform/app"
import { clientTypes } from "./client-types.ts"
import { documents, fileText } from "./documents.ts"
import { accessTable, plainTable, replaceMarked } from "./route-markdown.ts"

/** Name of the marks -> what stands between them. */
const TABLES: Record<string, string> = {
  "control-plane routes": accessTable(routeTable(platform), "/api/platform/v1"),
  "content routes": plainTable(routeTable(await contentRoutes()), "/api/v1"),
  "license routes": plainTable(routeTable(licenseManager), "/api"),
}

/** The README with every table as the code has it today. */
export const withTables = (readme: string): string =>
  Object.entries(TABLES).reduce((text, [name, table]) => replaceMarked(text, name, table), readme)

/** The OpenAPI documents by their files' names in `openapi/`. */
export const documentFiles = (): Record<string, string> =>
  Object.fromEntries(Object.entries(documents()).map(([name, document]) => [`${name}.json`, fileText(document)]))

/** The module that the client's types are in, `src/client/openapi.ts`. */
export const clientModule = (): string => clientTypes(documents().platform)
