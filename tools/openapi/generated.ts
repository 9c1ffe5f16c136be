// Everything that `npm run docs` generates from the code: docs/reference, docs/operations/scale.md, the OpenAPI
// documents and the clients' modules.
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { licenseManager } from "../../src/license/app"
import { COMMANDS } from "../../src/operator/commands"
import { platform } from "../../src/platform/app"
import type { CostTable } from "../lib/cost-table.ts"
import { renderPhpClient } from "./client-php.ts"
import { renderPythonClient } from "./client-python.ts"
import { renderApiModule, renderClientTypes } from "./client-types.ts"
import { describeContract, publishContract } from "./compatibility.ts"
import { buildDocuments, formatDocument, formatLines } from "./documents.ts"
import { EVENTS } from "./events/events.ts"
import {
  commandsReference,
  costsReference,
  eventsReference,
  platformReference,
  routesReference,
  settingsReference,
} from "./reference.ts"
import { readScaleSettings, scalePage } from "./scale.ts"
import { ERROR_CODES } from "./strings/codes.ts"

/**
 * Generates the pages of docs/reference.
 * @param wranglerToml the text of wrangler.toml
 * @param costs test/costs/table.json
 * @returns file name to Markdown
 */
export async function referencePages(wranglerToml: string, costs: CostTable): Promise<Record<string, string>> {
  return {
    "platform-api.md": platformReference(routeTable(platform), "/api/platform/v1", ERROR_CODES),
    "content-api.md": routesReference(
      "Content API",
      "All paths start with `/api/v1`, on the central host and on every store's host. The platform serves the full reference\nat `/docs/content`.",
      routeTable(await loadContentRoutes()),
      "/api/v1",
    ),
    "license-api.md": routesReference(
      "License API",
      "All paths start with `/api`, on the central host. The platform serves the full reference at `/docs/license`.",
      routeTable(licenseManager),
      "/api",
    ),
    "events.md": eventsReference(EVENTS),
    "commands.md": commandsReference(COMMANDS, buildDocuments().platform),
    "settings.md": settingsReference(wranglerToml),
    "costs.md": costsReference(costs),
  }
}

/** Generates the pages of docs/operations that consist of computed figures; like `referencePages`. */
export const operationsPages = (wranglerToml: string, costs: CostTable): Record<string, string> => ({
  "scale.md": scalePage(costs, readScaleSettings(wranglerToml)),
})

/** Generates the OpenAPI documents: file name in `openapi/` to JSON. */
export const documentFiles = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(buildDocuments()).map(([name, document]) => [`${name}.json`, formatDocument(document)]),
  )

/**
 * Generates openapi/published.json: everything that clients of the present version may rely on.
 * @param published the present text
 */
export function publishedFile(published: string): string {
  const { platform } = buildDocuments()
  const contract = { version: platform.info.version, contract: describeContract(platform) }
  return `${formatLines(publishContract(JSON.parse(published), contract), 2)}\n`
}

/** Generates the client's modules: file name in `src/client/` to TypeScript. */
export function clientModules(): Record<string, string> {
  const { platform, content, license } = buildDocuments()
  return {
    "openapi.ts": renderClientTypes(platform),
    "content-openapi.ts": renderApiModule(content, "content.json"),
    "license-openapi.ts": renderApiModule(license, "license.json"),
  }
}

/** Generates the modules of the clients in other languages: directory to file name to text. */
export function otherClientModules(): Record<string, Record<string, string>> {
  const { platform } = buildDocuments()
  return {
    "clients/python/src/tenancy": renderPythonClient(platform),
    "clients/php/src": renderPhpClient(platform),
  }
}
