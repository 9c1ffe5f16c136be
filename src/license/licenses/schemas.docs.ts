// Documents the API fields of licenses.
import { documentFields } from "../../core/http/field-docs"
import { CreateLicense, LicenseResource, ListLicenses, UpdateLicense } from "./schemas"

const LATER = "2026-10-02T10:15:00+00:00"

const productReferenceId = { description: "Reference id of the product.", example: "ACME-SEO" }
const fields = {
  type: { description: "Type of license, in the vendor's own terms.", example: "perpetual" },
  customer_id: {
    description: "Name of the customer. If set, clients have to send the same name.",
    example: "Ada Lovelace",
  },
  email: { description: "Email address of the customer.", example: "ada@example.com" },
  invoice: { description: "Invoice number.", example: "INV-2026-000001" },
  comments: { description: "Notes for the vendor.", example: null },
  uses: { description: "Number of uses sold, for the vendor's records. It is not enforced.", example: null },
  parallel_uses: { description: "Maximum number of active activations; null for no limit.", example: 1 },
  domains: {
    description: "Allowed domains; empty for any. `*.example.com` includes all subdomains.",
    example: ["*.example.com"],
  },
  ips: {
    description:
      "Allowed addresses: an address, a CIDR range, or trailing wildcards such as `10.0.0.*`; empty for any.",
    example: [] as string[],
  },
  support_until: { description: "End of support.", example: LATER },
  updates_until: { description: "Versions released after this date are not offered.", example: LATER },
  expires_at: { description: "When the license expires; null if it does not.", example: null },
  expiry_days: { description: "Days until expiry, counted from the first activation.", example: null },
  is_valid: { description: "False while the license is blocked.", example: true },
  is_marketplace: { description: "Whether the code is a purchase code of the marketplace.", example: false },
  is_envato: { description: "Legacy name of `is_marketplace`.", example: false },
}

documentFields(CreateLicense, {
  product_reference_id: productReferenceId,
  license_code: { description: "License code; generated when omitted.", example: "6F9A-27C1-44D0-B83E" },
  ...fields,
})

documentFields(UpdateLicense, { product_reference_id: productReferenceId, ...fields })

documentFields(ListLicenses, {
  search: {
    description: "Only licenses whose code, customer, email address or invoice contains this text.",
    example: "ada",
  },
  product_reference_id: { description: "Only licenses of this product.", example: "ACME-SEO" },
  customer_id: { description: "Only licenses of this customer.", example: "C-1042" },
})

documentFields(LicenseResource, {
  product_reference_id: productReferenceId,
  license_code: { description: "Code that the customer enters.", example: "6F9A-27C1-44D0-B83E" },
  ...fields,
  active_activations_count: { description: "Active activations.", example: 1 },
  activations_count: { description: "All activations, including ended ones.", example: 1 },
})
