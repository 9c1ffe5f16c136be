// The demo data of a fresh platform, made over HTTP through the endpoints that everyone uses. What a run finds done it
// leaves, so that one that was interrupted can be run again. Each kind of data is a section in seed/.
import type { Credentials } from "../tools/local/credentials.ts"
import { access, freshKey, revokeKeys } from "../tools/seed/access.ts"
import { accounts } from "../tools/seed/accounts.ts"
import { billing } from "../tools/seed/billing.ts"
import { blog } from "../tools/seed/blog.ts"
import { history, underWay } from "../tools/seed/history.ts"
import { licenses } from "../tools/seed/licenses.ts"
import { notes } from "../tools/seed/notes.ts"
import { plans } from "../tools/seed/plans.ts"
import { createSeeder, type Section } from "../tools/seed/seeder.ts"
import { stores } from "../tools/seed/stores.ts"

/** In the order in which they rest on each other. */
const sections: Section[] = [plans, history, access, stores, billing, accounts, blog, licenses, notes, underWay]

const seedKey = { name: "Demo data", scopes: "read,write" }

/**
 * Fills an empty platform.
 * @param base URL of a running Worker
 * @param operatorToken its `OPERATOR_TOKEN`
 * @returns the credentials of what was made, all but the URL they are for
 */
export async function seed(base: string, operatorToken: string): Promise<Omit<Credentials, "base_url">> {
  const operator = createSeeder(base, operatorToken, "")
  const seeder = createSeeder(base, operatorToken, await freshKey(operator, seedKey))
  const made: Partial<Credentials> = {}
  for (const section of sections) Object.assign(made, await section(seeder))
  await revokeKeys(operator, seedKey.name)
  return { operator_token: operatorToken, ...made }
}
