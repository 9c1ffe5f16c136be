// Documents the API fields that client software sends and receives.
import { documentFields } from "../../core/http/field-docs"
import {
  Activate,
  Activated,
  Check,
  Checked,
  CheckUpdate,
  Download,
  Latest,
  LatestVersion,
  PublicKeys,
  Update,
  VerifyOrDeactivate,
} from "./schemas"

const LICENSE_DATA = "eyJpdiI6IkJ6V1Z0bFh0a3M5dGJ5cGciLCJ2YWx1ZSI6Ii4uLiIsIm1hYyI6IiIsInRhZyI6Ii4uLiJ9"
const LATER = "2026-10-02T10:15:00+00:00"

const productId = { description: "Reference id of the product.", example: "ACME-SEO" }
const licenseCode = { description: "License code.", example: "6F9A-27C1-44D0-B83E" }
const clientName = {
  description: "Name of the customer; required if the license has one.",
  example: "Ada Lovelace",
}
const proof = {
  license_data: { description: "License data from the activation.", example: LICENSE_DATA },
  license_file: { description: "Legacy name of `license_data`.", omitFromExample: true },
  license_code: { description: "License code, instead of the license data.", omitFromExample: true },
  client_name: clientName,
} as const

documentFields(Activate, {
  product_id: productId,
  license_code: licenseCode,
  client_name: clientName,
  verify_type: {
    description: "`marketplace` looks up unknown codes on the marketplace.",
    example: "non_marketplace",
  },
})

documentFields(VerifyOrDeactivate, { product_id: productId, ...proof })

documentFields(Download, { product_id: productId, ...proof })

documentFields(Check, {
  product_id: productId,
  license_code: licenseCode,
  purchase_code: { description: "The marketplace's name for `license_code`.", omitFromExample: true },
})

documentFields(CheckUpdate, {
  product_id: productId,
  current_version: { description: "Installed version.", example: "1.4.0" },
})

documentFields(LatestVersion, { product_id: productId })

documentFields(Activated, {
  is_active: { description: "The same as `status`." },
  message: { description: "Result for the user, or why the activation was refused.", example: "Activated." },
  status_code: { description: "Code of the refusal.", omitFromExample: true },
  lic_response: { description: "License data to store; null on refusal.", example: LICENSE_DATA },
  data: { description: "Null on refusal.", example: { license_data: LICENSE_DATA } },
})

documentFields(Checked.shape.data.unwrap(), {
  license_code: licenseCode,
  product_id: productId,
  type: { description: "Type of license.", example: "perpetual" },
  is_valid: { description: "False while the license is blocked.", example: true },
  expires_at: { description: "When the license expires; null if it does not.", example: null },
  updates_until: { description: "Versions released after this date are not offered.", example: LATER },
  parallel_uses: { description: "Maximum number of active activations; null for no limit.", example: 1 },
  activations: { description: "Active activations.", example: 1 },
})

const version = {
  version: { description: "Version number.", example: "1.5.0" },
  released_at: { description: "Release date.", example: "2026-09-01" },
  release_date: { description: "Legacy name of `released_at`.", example: "2026-09-01" },
  summary: { description: "Summary of the changes.", example: "Titles in four languages." },
  changelog: { description: "Changelog as HTML.", example: "<ul><li>Titles in four languages</li></ul>" },
  update_id: { description: "Id of the version in the download path.", example: "ACME-SEO-1.5.0" },
  has_sql: { description: "Whether the version has an SQL file.", example: false },
}

documentFields(Latest, {
  ...version,
  version_id: { description: "Id of the version in the download path.", example: "ACME-SEO-1.5.0" },
  product_id: productId,
})

documentFields(Update, {
  ...version,
  is_active: { description: "The same as `status`." },
  message: { description: "Result for the user.", example: "Version 1.5.0 is available." },
  update_available: { description: "Whether a newer version is available.", example: true },
})

documentFields(PublicKeys, {
  keys: {
    description: "JSON Web Keys (RFC 7517).",
    example: [
      {
        kty: "OKP",
        crv: "Ed25519",
        x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        kid: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
        alg: "EdDSA",
        use: "sig",
      },
    ],
  },
  pem: {
    description: "The same key in PEM format.",
    example:
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----",
  },
})
