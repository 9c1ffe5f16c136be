// Documents the fields of the update metadata for WordPress.
import { documentFields } from "../../core/http/field-docs"
import { WordPressInfo, WordPressQuery, WordPressSections } from "./schemas"

documentFields(WordPressQuery, {
  license_code: { description: "License code of the installation.", example: "6F9A-27C1-44D0-B83E" },
  client_name: { description: "Name of the customer; required if the license has one.", example: "Ada Lovelace" },
  installed_version: {
    description: "Installed version. Products with step-by-step updates offer the next one.",
    example: "1.4.0",
  },
})

documentFields(WordPressSections, {
  description: { description: "Description of the product.", example: "Finds broken links." },
  changelog: { description: "Changelog of the version.", example: "<ul><li>Faster</li></ul>" },
})

documentFields(WordPressInfo, {
  name: { description: "Name of the product.", example: "Acme SEO" },
  slug: { description: "Reference id of the product.", example: "ACME-SEO" },
  version: { description: "The offered version.", example: "1.5.0" },
  last_updated: { description: "Release date.", example: "2026-09-02 10:15:00" },
  sections: { description: "Texts of the details window, as HTML." },
  upgrade_notice: {
    description: "Why the update cannot be downloaded; null when it can.",
    example: null,
  },
  download_url: {
    description: "Signed URL of the file, valid for a day; null when the license does not allow the download.",
    example: "https://platform.example/api/downloads/WyI0ZjFjIiwwLDE3ODg0MzA1MDBd.e1b0…",
  },
  download_sha256: {
    description: "SHA-256 of the file in hex; null for files uploaded before it was computed.",
    example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  },
  download_signature: {
    description:
      "Ed25519 signature of the file's SHA-384 in base64; also the header `X-Content-Signature` of the download.",
    example: "qk0zqP0m1d2n…",
  },
})
