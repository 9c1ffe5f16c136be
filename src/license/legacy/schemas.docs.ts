// Documents the API fields of legacy vendor tools.
import { documentFields } from "../../core/http/field-docs"
import { Activated } from "../external/schemas"
import {
  LegacyActivated,
  LegacyLatest,
  LegacyLicenseFields,
  LegacyLicenseResource,
  LegacyProductFields,
  LegacyProductResource,
  LegacySearchResponse,
  LicenseCodeBody,
  ProductIdBody,
  SearchBody,
} from "./schemas"

const LATER = "2026-10-02T10:15:00+00:00"

const productId = { description: "Reference id of the product.", example: "ACME-SEO" }
const licenseCode = { description: "License code.", example: "6F9A-27C1-44D0-B83E" }
const productName = { description: "Name of the product.", example: "Acme SEO" }
const details = { description: "Description of the product.", example: "Search engine texts for shops." }
const marketplaceId = { description: "Id of the product on the marketplace.", example: "4711" }
const licenseType = { description: "Type of license.", example: "perpetual" }
const invoice = { description: "Invoice number.", example: "INV-2026-000001" }
const clientName = { description: "Name of the customer.", example: "Ada Lovelace" }
const clientEmail = { description: "Email address of the customer.", example: "ada@example.com" }
const parallelUses = { description: "Maximum number of active activations; null for no limit.", example: 1 }

documentFields(LegacyProductFields, {
  product_id: productId,
  product_name: productName,
  product_details: details,
  envato_item_id: marketplaceId,
})

documentFields(LegacyLicenseFields, {
  product_id: productId,
  license_code: licenseCode,
  license_type: licenseType,
  invoice_number: invoice,
  client_name: clientName,
  client_email: clientEmail,
  comments: { description: "Notes for the vendor.", example: null },
  licensed_ips: { description: "Allowed addresses.", example: ["203.0.113.*"] },
  licensed_domains: { description: "Allowed domains.", example: ["*.example.com"] },
  support_end_date: { description: "End of support.", example: LATER },
  updates_end_date: { description: "Versions released after this date are not offered.", example: LATER },
  expiry_date: { description: "When the license expires.", example: LATER },
  expiry_days: { description: "Days until expiry, counted from the first activation.", example: null },
  license_uses: { description: "Number of uses sold, for the vendor's records. It is not enforced.", example: null },
  license_parallel_uses: parallelUses,
})

documentFields(ProductIdBody, { product_id: productId })

documentFields(LicenseCodeBody, { license_code: licenseCode })

documentFields(SearchBody, { keyword: { description: "Text to search for.", example: "ada" } })

documentFields(LegacyProductResource, {
  product_id: productId,
  envato_item_id: marketplaceId,
  product_name: productName,
  product_details: details,
  latest_version: { description: "Latest released version.", example: "1.5.0" },
  latest_version_release_date: { description: "Release date of the latest version.", example: "2026-09-01" },
  is_product_active: { description: "Whether licenses of the product can be activated." },
  requires_license_for_downloading_updates: { description: "Whether downloads of updates require a license." },
})

documentFields(LegacyLicenseResource, {
  license_code: licenseCode,
  product_id: productId,
  product_name: productName,
  license_type: licenseType,
  client_name: clientName,
  client_email: clientEmail,
  invoice_number: invoice,
  license_comments: { description: "Notes for the vendor.", example: null },
  licensed_ips: { description: "Allowed addresses, comma-separated.", example: "203.0.113.*" },
  licensed_domains: { description: "Allowed domains, comma-separated.", example: "*.example.com" },
  uses: { description: "Number of uses sold.", example: null },
  uses_left: { description: "Uses sold, less all activations.", example: null },
  parallel_uses: parallelUses,
  parallel_uses_left: { description: "Activations that are still possible; null for no limit.", example: 0 },
  license_expiry: { description: "When the license expires.", example: null },
  support_expiry: { description: "End of support.", example: "2026-10-02 10:15:00" },
  updates_expiry: { description: "Versions released after this date are not offered.", example: "2026-10-02 10:15:00" },
  date_modified: { description: "When the license was last changed.", example: "2026-09-02 10:15:00" },
  is_blocked: { description: "Whether the license is blocked.", example: false },
  is_a_envato_purchase_code: { description: "Whether the code is a purchase code of the marketplace.", example: false },
  is_valid_for_future_activations: { description: "Whether another installation can be activated.", example: false },
})

documentFields(LegacySearchResponse, {
  results_count: { description: "Number of results." },
  results: {
    description: "Matching licenses, or a message if there are none.",
    example: [
      {
        product_id: "ACME-SEO",
        license_code: "6F9A-27C1-44D0-B83E",
        license_type: "perpetual",
        client_name: "Ada Lovelace",
        client_email: "ada@example.com",
      },
    ],
  },
})

const errors = { description: "Error messages by field name.", omitFromExample: true } as const

documentFields(LegacyActivated, { errors, data: { description: "Always null." } }, Activated)

documentFields(LegacyLatest, {
  message: { example: "Version 1.5.0 is available." },
  product_name: productName,
  latest_version: { description: "Latest released version.", example: "1.5.0" },
  release_date: { description: "Release date.", example: "2026-09-01" },
  summary: { description: "Summary of the changes.", example: "Titles in four languages." },
  errors,
})
