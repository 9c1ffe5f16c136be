// Describes the license manager for its document.
import type { RefusalCode } from "../../src/core/http/refusal.ts"
import { type RouteInfo, routeTable } from "../../src/core/http/route.ts"
import { fieldMessages } from "../../src/core/i18n/field-messages.ts"
import { licenseManager } from "../../src/license/app.ts"
import { type LicenseCode, toErrorResponse } from "../../src/license/envelope.ts"
import {
  type Api,
  buildRefusal,
  getExampleField,
  hasBody,
  isValidated,
  listUnique,
  type RefusalDoc,
  TIMESTAMPS,
} from "./api.ts"
import { LICENSE_OPERATIONS } from "./operations/license.ts"

const isClient = (route: RouteInfo) => route.path.startsWith("/api/external/") || /^oldClient\./.test(route.id)

function refusal(route: RouteInfo, code: RefusalCode, status?: 400 | 413): RefusalDoc {
  const fields =
    code === "validation_failed" ? { [getExampleField(route)]: [{ rule: "required" as const }] } : undefined
  const response = toErrorResponse(
    buildRefusal<LicenseCode>(code, { status: status ?? 400, fields, seconds: 17 }),
    "en",
  )
  if (!fields) return { code, ...response }
  return { code, status: response.status, body: { ...response.body, errors: fieldMessages(fields, "en") } }
}

/** Refusals of a license have a message without field errors. */
const optional = ["errors"]

export const license: Api = {
  name: "license",
  title: "Tenancy license manager",
  base: "/api",
  description: `Licenses for installed software. Client software uses \`/external\` to activate and verify a license for its domain and address, and to download updates. Vendors
use \`/internal\` to manage products, versions, licenses and activations. Legacy paths remain available to older clients.

Send a key in \`X-API-KEY\` (\`LB-API-KEY\` in older clients); external and internal keys are separate. Client software identifies its installation with \`X-API-URL\` and
\`X-API-IP\`, and its language with \`X-API-LANGUAGE\`. Bodies are JSON or forms.

A refused license is not an HTTP error: activate, verify and deactivate return 200 with \`is_active: false\` and a message. Errors are
\`{status: false, message, errors}\`. ${TIMESTAMPS} Legacy paths and \`last_updated\` for WordPress have no offset.

\`GET /api/health-check\` needs no key, and returns 200 with \`{"status": "ok"}\` while the service works.`,
  tags: {
    client: "Activate and verify licenses from client software.",
    updates: "Find and download updates from client software.",
    vendor: "Test an internal key.",
    licenseProducts: "Licensed products.",
    versions: "Versions of products and their files.",
    licenses: "Licenses of customers.",
    activations: "Installations that use a license.",
    oldClient: "Legacy paths for client software.",
    oldVendor: "Legacy paths for vendor tools.",
    health: "Health of the Worker.",
  },
  descriptions: LICENSE_OPERATIONS,
  routes: routeTable(licenseManager),
  securitySchemes: {
    clientKey: { type: "apiKey", in: "header", name: "X-API-KEY", description: "External key, for client software." },
    vendorKey: { type: "apiKey", in: "header", name: "X-API-KEY", description: "Internal key, for vendor tools." },
  },
  security: (route): Record<string, string[]>[] => {
    const scopes = route.traits.scope ? [route.traits.scope] : []
    return [isClient(route) ? { clientKey: scopes } : { vendorKey: scopes }]
  },
  hasErrorCodes: false,
  optional,
  refusals: (route) => [
    ...listUnique([
      "invalid_key",
      "key_expired",
      ...route.refuses.filter((code) => !route.deprecated || code === "insufficient_scope"),
      "rate_limited",
      isValidated(route) && (!route.deprecated || route.id.startsWith("oldClient.download")) && "validation_failed",
      "server_error",
      "temporarily_unavailable",
    ]).map((code) => refusal(route, code)),
    ...(hasBody(route) ? [refusal(route, "http_error", 400)] : []),
    ...(route.method === "GET" ? [] : [refusal(route, "http_error", 413)]),
  ],
  requestHeaders: (route) => ["X-API-LANGUAGE", ...(isClient(route) ? ["X-API-URL", "X-API-IP"] : [])],
  responseHeaders: () => ["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining"],
}
