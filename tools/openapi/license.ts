// The license manager as its document describes it.

import { Refusal, type RefusalCode } from "../../src/core/http/refusal.ts"
import { type RouteInfo, routeTable } from "../../src/core/http/route.ts"
import { fieldMessages } from "../../src/core/i18n/field-messages.ts"
import { licenseManager } from "../../src/license/app.ts"
import { toErrorResponse } from "../../src/license/envelope.ts"
import { type Api, distinct, exampleField, isValidated, type RefusalDoc, takesBody } from "./api.ts"

const isClient = (route: RouteInfo) => route.path.startsWith("/api/external/") || /^oldClient\./.test(route.id)

function refusal(route: RouteInfo, code: RefusalCode, status?: 400 | 413): RefusalDoc {
  const fields = code === "validation_failed" ? { [exampleField(route)]: [{ rule: "required" as const }] } : undefined
  const answer = toErrorResponse(new Refusal(code, { status, fields, retryAfter: 17 }), "en")
  if (!fields) return { code, ...answer }
  return { code, status: answer.status, body: { ...answer.body, errors: fieldMessages(fields, "en") } }
}

/** Rules of a license refuse in a sentence, without naming a field. */
const optional = ["errors"]

export const license: Api = {
  name: "license",
  title: "Tenancy license manager",
  base: "/api",
  description: `Licenses for installed software. \`/external\` is for the software: it activates a license for its domain and address, verifies it, looks for updates and downloads
them. \`/internal\` is for its vendor: products, versions, licenses, activations. The paths of older clients answer beside them.

A key comes as \`X-API-KEY\` (\`LB-API-KEY\` in older clients) and is of one of the two types. Software names its place by \`X-API-URL\` and \`X-API-IP\`, and its
language by \`X-API-LANGUAGE\`. Bodies are JSON or forms.

A license that is refused is no error of HTTP: activate, verify and deactivate answer 200 with \`is_active: false\` and a sentence. Errors are
\`{status: false, message, errors}\`.`,
  tags: {
    client: "What installed software asks of its license.",
    updates: "What installed software asks for updates.",
    vendor: "The vendor's own test of a key.",
    licenseProducts: "What is licensed.",
    versions: "The versions of a product, and their files.",
    licenses: "Who may use what, where and how long.",
    activations: "Where a license is in use.",
    oldClient: "The paths of older client software.",
    oldVendor: "The paths of older vendor tools.",
    health: "Whether the Worker answers.",
  },
  routes: routeTable(licenseManager),
  securitySchemes: {
    clientKey: { type: "apiKey", in: "header", name: "X-API-KEY", description: "A key of the type external." },
    vendorKey: { type: "apiKey", in: "header", name: "X-API-KEY", description: "A key of the type internal." },
  },
  security: (route): Record<string, string[]>[] => {
    const scopes = route.traits.scope ? [route.traits.scope] : []
    return [isClient(route) ? { clientKey: scopes } : { vendorKey: scopes }]
  },
  showsCodes: false,
  optional,
  refusals: (route) => [
    ...distinct([
      "invalid_key",
      "key_expired",
      ...route.refuses.filter((code) => !route.deprecated || code === "insufficient_scope"),
      "rate_limited",
      isValidated(route) && (!route.deprecated || route.id.startsWith("oldClient.download")) && "validation_failed",
      "server_error",
    ]).map((code) => refusal(route, code)),
    ...(takesBody(route) ? [refusal(route, "http_error", 400)] : []),
    ...(route.method === "GET" ? [] : [refusal(route, "http_error", 413)]),
  ],
  requestHeaders: (route) => ["X-API-LANGUAGE", ...(isClient(route) ? ["X-API-URL", "X-API-IP"] : [])],
  responseHeaders: () => ["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining"],
}
