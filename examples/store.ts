// Creates, uses and deletes a store with the client: `npx node examples/store.ts` while `npm start` runs.
// TENANCY_URL and TENANCY_KEY select another platform, STATE_DIR another local one.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Tenancy, TenancyError } from "../src/client/index.ts"

const stateDirectory = process.env.STATE_DIR ?? join(import.meta.dirname, "../.wrangler/state")
const local = join(stateDirectory, "credentials.json")
const demo = existsSync(local) ? JSON.parse(readFileSync(local, "utf8")) : undefined
const baseUrl = process.env.TENANCY_URL ?? demo?.base_url
const key = process.env.TENANCY_KEY ?? demo?.platform?.write_key
if (!baseUrl || !key) throw new Error("No platform found. Run npm start, or set TENANCY_URL and TENANCY_KEY.")

const tenancy = new Tenancy({ baseUrl, key })
const id = `example-${Date.now().toString(36)}`

const accepted = await tenancy.stores.create({
  subdomain: id,
  name: "Example Shop",
  owner_email: "owner@example.com",
  password: "correct-horse",
  plan: "starter",
})
console.log(`${accepted.id} is ${accepted.status}.`)

const store = await tenancy.stores.waitUntil(id, "ready")
console.log(`The store is ready at ${store.root_url} on the ${store.subscription?.plan?.name} plan.`)

try {
  const { verification } = await tenancy.domains.create(id, { domain: `${id}.example.net` })
  console.log(
    `To verify the domain, add a TXT record ${verification?.txt_name} with the value ${verification?.txt_value}.`,
  )
} catch (error) {
  if (!TenancyError.is(error, "domains.create") || error.code !== "plan_upgrade_required") throw error
  console.log(`The plan does not include custom domains: ${error.message}`)
}

const suspended = await tenancy.stores.suspend(id)
console.log(`The store is suspended; its access state is ${suspended.access_state}.`)

console.log("Audit log, newest first:")
for await (const entry of tenancy.audit.list(id))
  console.log(`  ${entry.created_at}  ${entry.type} by ${entry.actor.name}`)

await tenancy.stores.delete(id, { confirm: id })
console.log("The store was deleted.")
