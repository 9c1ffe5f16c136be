// Creates the demo data of a fresh platform through its HTTP APIs. Existing data is skipped, so an interrupted run can
// be repeated. Each kind of data is a section in tools/seed.
import type { Credentials } from "../tools/local/credentials.ts"
import { createFreshKey, revokeKeys, seedAccess } from "../tools/seed/access.ts"
import { seedAccounts } from "../tools/seed/accounts.ts"
import { seedBilling, seedSeller } from "../tools/seed/billing.ts"
import { blog } from "../tools/seed/blog.ts"
import { seedBloom } from "../tools/seed/bloom.ts"
import { seedHistory } from "../tools/seed/history.ts"
import { seedLicenses } from "../tools/seed/licenses.ts"
import { seedNotes } from "../tools/seed/notes.ts"
import { seedPlans } from "../tools/seed/plans.ts"
import { createSeeder, type Section } from "../tools/seed/seeder.ts"
import { seedShop } from "../tools/seed/shop.ts"
import { seedStores } from "../tools/seed/stores.ts"
import { seedUsage } from "../tools/seed/usage.ts"

/** Ordered by their dependencies. */
const SECTIONS: [label: string, section: Section][] = [
  ["plans", seedPlans],
  ["the seller on invoices", seedSeller],
  ["four months of history", seedHistory],
  ["API keys and operators", seedAccess],
  ["stores", seedStores],
  ["billing", seedBilling],
  ["accounts", seedAccounts],
  ["blogs", blog],
  ["licenses", seedLicenses],
  ["notes", seedNotes],
  ["the shop Acme Ceramics", seedShop],
  ["the shop Bloom & Stem", seedBloom],
  ["usage of the stores", seedUsage],
]

const seedKey = { name: "Demo data", scopes: "read,write" }

/**
 * Creates the demo data on an empty platform.
 * @param base URL of a running Worker
 * @param operatorToken its `OPERATOR_TOKEN`
 * @param print receives a line per section
 * @returns the created credentials, without the platform's URL
 */
export async function seedDemoData(
  base: string,
  operatorToken: string,
  print: (line: string) => void,
): Promise<Omit<Credentials, "base_url">> {
  const operator = createSeeder(base, operatorToken, "")
  const seeder = createSeeder(base, operatorToken, await createFreshKey(operator, seedKey))
  const credentials: Partial<Credentials> = {}
  for (const [index, [label, section]] of SECTIONS.entries()) {
    print(`  ${index + 1}/${SECTIONS.length}  ${label}`)
    Object.assign(credentials, await section(seeder))
  }
  await revokeKeys(operator, seedKey.name)
  return { operator_token: operatorToken, ...credentials }
}
