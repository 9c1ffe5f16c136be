// Exports licenses, domains, deliveries and the audit log as CSV, with the filters of their lists.
import { Refusal } from "../../core/http/refusal"
import { type LicenseWithProduct, ListLicenses } from "../../license/licenses/schemas"
import { streamLicenses } from "../../license/licenses/service"
import { type CsvCell, createCsvResponse } from "../../page-kit/csv"
import type { AuditEntry } from "../../platform/audit/archived-entry"
import { SearchAuditLog } from "../../platform/audit/schemas"
import { streamAuditLog } from "../../platform/audit/service"
import type { Domain } from "../../platform/domains/schemas"
import { SearchDomains, streamDomains } from "../../platform/domains/search"
import {
  DELIVERIES_SCAN_LIMIT,
  type FoundDeliveries,
  SearchDeliveries,
  searchDeliveries,
} from "../../webhooks/deliveries/search"
import { LICENSES } from "../paths"
import { parseQuery } from "../query-params"
import { createPages } from "../router"

export const exportPages = createPages()
  .get(`${LICENSES}.csv`, (c) =>
    createCsvResponse(LICENSE_COLUMNS, streamLicenses(c.var.ctx, parseQuery(c, ListLicenses).input), "licenses"),
  )
  .get("/console/domains.csv", (c) =>
    createCsvResponse(DOMAIN_COLUMNS, streamDomains(c.var.ctx, parseQuery(c, SearchDomains).input), "domains"),
  )
  .get("/console/audit.csv", (c) =>
    createCsvResponse(AUDIT_COLUMNS, streamAuditLog(c.var.ctx, parseQuery(c, SearchAuditLog).input), "audit-log"),
  )
  .get("/console/deliveries.csv", async (c) => {
    const { input } = parseQuery(c, SearchDeliveries)
    // All deliveries that a search scans, in one page.
    const found = await searchDeliveries(c.var.ctx, { ...input, page: 1 }, DELIVERIES_SCAN_LIMIT)
    // A file does not tell that some are missing.
    if (found.unavailable.length) throw new Refusal("temporarily_unavailable", { retryAfter: 5 })
    return createCsvResponse(DELIVERY_COLUMNS, toChunks(found.rows), "deliveries")
  })

async function* toChunks<Row>(rows: Row[]): AsyncGenerator<Row[]> {
  yield rows
}

const LICENSE_COLUMNS: Record<string, CsvCell<LicenseWithProduct>> = {
  id: ({ license }) => license.id,
  // Every operator may export, so codes are masked as in the list.
  code: ({ license }) => `••••${license.code.slice(-4)}`,
  product: ({ product }) => product.referenceId,
  is_valid: ({ license }) => license.isValid,
  email: ({ license }) => license.email,
  customer: ({ license }) => license.customerId,
  activations: ({ license }) => license.activeUses,
  parallel_uses: ({ license }) => license.parallelUses,
  expires_at: ({ license }) => license.expiresAt?.toISOString(),
  created_at: ({ license }) => license.createdAt.toISOString(),
}

const DOMAIN_COLUMNS: Record<string, CsvCell<Domain>> = {
  domain: (row) => row.domain,
  store: (row) => row.storeId,
  is_primary: (row) => row.isPrimary,
  verified_at: (row) => row.verifiedAt?.toISOString(),
  checked_at: (row) => row.checkedAt?.toISOString(),
  created_at: (row) => row.createdAt.toISOString(),
}

const AUDIT_COLUMNS: Record<string, CsvCell<AuditEntry>> = {
  created_at: (row) => row.createdAt.toISOString(),
  type: (row) => row.type,
  store: (row) => row.storeId,
  subject: (row) => row.subjectId,
  actor_type: (row) => row.actorType,
  actor: (row) => row.actorName,
  interface: (row) => row.interface,
  address: (row) => row.address,
  request_id: (row) => row.requestId,
}

const DELIVERY_COLUMNS: Record<string, CsvCell<FoundDeliveries["rows"][number]>> = {
  id: ({ delivery }) => delivery.id,
  event: ({ delivery }) => delivery.event,
  store: ({ delivery }) => delivery.storeId,
  endpoint: ({ delivery }) => delivery.endpointId,
  url: ({ url }) => url,
  status: ({ delivery }) => delivery.status,
  attempts: ({ delivery }) => delivery.attempt,
  response_status: ({ delivery }) => delivery.responseStatus,
  error: ({ delivery }) => delivery.error,
  created_at: ({ delivery }) => delivery.createdAt.toISOString(),
  updated_at: ({ delivery }) => delivery.updatedAt.toISOString(),
}
