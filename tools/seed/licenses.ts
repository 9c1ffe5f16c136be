// Seeds the license manager: a product with two versions, licenses and the keys of both APIs.
import type { ApiError } from "../lib/api.ts"
import { ignoreIfDone, type Section, type Seeder } from "./seeder.ts"

const keys = {
  external: { type: "external", name: "Demo key, for client software" },
  internal: { type: "internal", name: "Demo key, for the vendor" },
}

const product = {
  reference_id: "DEMO-CMS",
  name: "Demo CMS",
  description: "A small content management system that is sold with licenses.",
  license_update: true,
  serve_latest_updates: true,
}

const demoVersions = [
  {
    version: "1.0.0",
    summary: "The first release",
    changelog: "<ul><li>Pages, posts and a gallery</li></ul>",
    released_at: "2026-03-02",
  },
  {
    version: "1.1.0",
    summary: "Drafts",
    changelog: "<ul><li>Drafts</li><li>Faster galleries</li></ul>",
    released_at: "2026-09-14",
    sql: "ALTER TABLE posts ADD COLUMN is_draft INTEGER NOT NULL DEFAULT 0;\n",
  },
]

const license = {
  product_reference_id: product.reference_id,
  license_code: "DEMO-4F1C-9A27-E0B3",
  type: "perpetual",
  email: "webmaster@shop.example",
  parallel_uses: 5,
  comments: "For trying things out.",
}

/** Licenses of other customers and their activations. */
const customers = [
  {
    license_code: "DEMO-71B3-0C5E-AA10",
    email: "ops@northwind.example",
    parallel_uses: 3,
    at: ["northwind.example", "shop.northwind.example"],
  },
  {
    license_code: "DEMO-5D20-9E8F-1B47",
    email: "it@fabrikam.example",
    parallel_uses: 1,
    at: ["fabrikam.example", "staging.fabrikam.example"],
  },
  {
    license_code: "DEMO-E6A9-33D2-70C8",
    email: "hello@contoso.example",
    parallel_uses: 2,
    at: ["contoso.example"],
    blocked: true,
  },
  {
    license_code: "DEMO-0F84-6B1D-C952",
    email: "web@tailspin.example",
    parallel_uses: 5,
    at: [],
    expires_at: "2026-06-30",
  },
]

/** Creates the keys, the product, its versions and the licenses. */
export const seedLicenses: Section = async (seeder) => {
  const external_key = await createFreshLicenseKey(seeder, keys.external)
  const internal_key = await createFreshLicenseKey(seeder, keys.internal)
  const done = (field: string) => (refusal: ApiError) => field in refusal.fields
  const create = (field: string, path: string, body: object) =>
    ignoreIfDone(done(field), seeder.licenses(internal_key, "POST", path, body))
  await create("reference_id", "/products", product)
  for (const version of demoVersions) {
    await create("version", `/products/${product.reference_id}/versions`, versionForm(version))
  }
  await create("license_code", "/product-licenses", license)
  for (const { at, blocked, ...customer } of customers) {
    await create("license_code", "/product-licenses", { ...license, comments: undefined, ...customer })
    for (const domain of at) await activate(seeder, external_key, customer.license_code, domain)
    if (blocked) await seeder.licenses(internal_key, "POST", `/blocked-product-licenses/${customer.license_code}`)
  }
  // A failed activation with a guessed code.
  await activate(seeder, external_key, "DEMO-0000-0000-0000", "nulled.example")
  return {
    licenses: { external_key, internal_key, product_id: product.reference_id, license_code: license.license_code },
  }
}

/** Activates a license; a rejection is ignored. */
const activate = (seeder: Seeder, key: string, license_code: string, domain: string): Promise<unknown> =>
  seeder.asClient(
    key,
    "/api/external/license/activate",
    { product_id: product.reference_id, license_code },
    { "X-API-URL": `https://${domain}`, "X-API-IP": "203.0.113.40" },
  )

function versionForm({ sql, ...fields }: (typeof demoVersions)[number]): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set("main_file", new Blob([emptyZip]), `demo-cms-${fields.version}.zip`)
  if (sql) form.set("sql_file", new Blob([sql]), `demo-cms-${fields.version}.sql`)
  return form
}

/** The end-of-central-directory record of an archive without files (PKWARE APPNOTE, section 4.3.16). */
const emptyZip = new Uint8Array([0x50, 0x4b, 0x05, 0x06, ...Array<number>(18).fill(0)])

/** Creates a key, and revokes earlier ones of that name. */
async function createFreshLicenseKey(seeder: Seeder, key: { type: string; name: string }): Promise<string> {
  const known = await seeder.operator<{ id: number; name: string; revoked_at: string | null }[]>("license-keys:list")
  for (const { id, name, revoked_at } of known) {
    if (name === key.name && !revoked_at) await seeder.operator("license-keys:revoke", { id })
  }
  return (await seeder.operator<{ key: string }>("license-keys:create", key)).key
}
