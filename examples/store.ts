// A store from its creation to its end, by the client: `npx node examples/store.ts` while `npm start` runs.
// TENANCY_URL and TENANCY_KEY lead it elsewhere.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Tenancy, TenancyError } from "../src/client/index.ts"

const local = join(import.meta.dirname, "../.wrangler/state/credentials.json")
const demo = existsSync(local) ? JSON.parse(readFileSync(local, "utf8")) : undefined
const baseUrl = process.env.TENANCY_URL ?? demo?.base_url
const key = process.env.TENANCY_KEY ?? demo?.platform?.write_key
if (!baseUrl || !key) throw new Error("There is no platform: npm start makes one, or set TENANCY_URL and TENANCY_KEY.")

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
console.log(`It is ready at ${store.root_url}, on the plan ${store.subscription?.plan?.name}.`)

try {
  const { verification } = await tenancy.domains.create(id, { domain: `${id}.example.net` })
  console.log(`A TXT record at ${verification?.txt_name} with ${verification?.txt_value} proves its own domain.`)
} catch (error) {
  if (!TenancyError.is(error, "domains.create") || error.code !== "plan_upgrade_required") throw error
  console.log(`Its plan has no room for a domain of its own: ${error.message}`)
}

const suspended = await tenancy.stores.suspend(id)
console.log(`Suspended, its visitors see that it is ${suspended.access_state}.`)

console.log("What happened to it, the newest first:")
for await (const entry of tenancy.audit.list(id))
  console.log(`  ${entry.created_at}  ${entry.type} by ${entry.actor.name}`)

await tenancy.stores.delete(id, { confirm: id })
console.log("It is gone.")
