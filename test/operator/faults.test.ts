// Fails every database call of every writing operator command, before and after it takes effect, and asserts that
// either the whole change exists, including its audit log entry, or none of it.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { HOUR } from "../../src/lib/time"
import { COMMANDS } from "../../src/operator/commands"
import { createPushProvider } from "../../tools/local/push-provider"
import { call, isolate, type TestResponse } from "../support/app"
import { assertAtomicWrite } from "../support/atomic-writes"
import { makeBackup } from "../support/backups"
import { checkedEnv } from "../support/checked-database"
import { content, hostOfStore } from "../support/content-factories"
import { assertAtomicUnderCallFaults } from "../support/external-call-faults"
import { makePlan, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { makeSecondDatabase } from "../support/second-database"
import { nextSerial } from "../support/serial"
import { makeSubscribedStore } from "../support/subscription-factories"

/** Creates a command's prerequisites and returns its options. */
type Make = () => Promise<Record<string, unknown>>

const operator = (command: string, json: Record<string, unknown>): Promise<TestResponse> =>
  call("POST", `/api/operator/v1/${command}`, { token: env.OPERATOR_TOKEN, json })

/** Runs another command and returns the id of what it creates. */
const idOf =
  (command: string, make: Make): Make =>
  async () => ({ id: (await operator(command, await make())).body.data.id })

const key: Make = async () => ({ name: `key ${nextSerial()}`, scopes: "read" })
const incident: Make = async () => ({ title: "Late", body: "Deliveries are late." })

const invitation: Make = async () => ({ email: `invited${nextSerial()}@example.com`, role: "viewer" })

const person: Make = async () => ({
  email: `op${nextSerial()}@example.com`,
  name: "Op",
  password: "correct-horse-battery",
})
const licenseKey: Make = async () => ({ name: `key ${nextSerial()}`, type: "external" })
const token: Make = async () => ({ name: `token ${nextSerial()}` })
const entry: Make = async () => ({ name: `Entry ${nextSerial()}` })

async function order(): Promise<{ store: string; plan: string }> {
  await operator("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
  return { store: await makeSubscribedStore(), plan: (await makePlan()).slug }
}

/** Creates a store and a second site database that it can move to. */
async function makeMovableStore(): Promise<{ site: string; to: string }> {
  // The store is created while there is only one site database, so that its location is known.
  isolate.env = checkedEnv()
  const site = await makeReadyStore()
  await makeSecondDatabase()
  return { site, to: "SITES_2" }
}

const requestedOrder: Make = async () => {
  const { body } = await operator("orders:request", await order())
  return { reference: body.data.reference }
}

/** Every writing command, with its prerequisites and options. The last test fails if a command is missing. */
const WRITES: Record<string, Make> = {
  "keys:create": key,
  "keys:revoke": idOf("keys:create", key),
  "operators:create": person,
  "incidents:create": incident,
  "incidents:update": async () => ({ ...(await idOf("incidents:create", incident)()), ended: true }),
  "operators:invite": invitation,
  "operators:resend-invitation": idOf("operators:invite", invitation),
  "operators:withdraw-invitation": idOf("operators:invite", invitation),
  "operators:update": async () => ({ ...(await idOf("operators:create", person)()), name: "Other" }),
  "operators:remove": async () => {
    // The last admin cannot be removed.
    await operator("operators:create", await person())
    return idOf("operators:create", person)()
  },
  "plans:save": async () => ({
    slug: `plan-${nextSerial()}`,
    name: "Plan",
    description: "A plan",
    price_cents: 100,
    currency: "EUR",
    interval: "month",
    trial_days: 0,
    limits: { products: 0, orders: 0, storage_mb: 0, staff_users: 0 },
    features: { custom_domain: true, api_access: true, remove_branding: true },
  }),
  "billing:detach": async () => ({
    store: await makeSubscribedStore({
      provider: "stripe",
      cardCustomer: `cus_${nextSerial()}`,
      cardSubscription: `sub_${nextSerial()}`,
    }),
  }),
  "offline:settings": async () => {
    await env.DB.exec("delete from settings")
    return { enabled: true, label: "Transfer", instructions: "IBAN" }
  },
  "orders:request": order,
  "orders:approve": requestedOrder,
  "invoices:credit": async () => {
    const { body } = await operator("orders:approve", await requestedOrder())
    return { number: body.data.number, amount: 1, reason: "Refund" }
  },
  "tax:settings": async () => ({ seller_name: `Seller ${nextSerial()}` }),
  "tax:save": async () => ({ country: "DE", rate: (nextSerial() % 90) + 1 }),
  "orders:reject": async () => ({ ...(await requestedOrder()), reason: "unpaid" }),
  "coupons:save": async () => ({ code: `CODE${nextSerial()}`, trial_days: 7 }),
  "dead-letters:run": async () => {
    await env.DB.prepare("insert into dead_letters (message_id, body, created_at) values (?, ?, 1)")
      .bind(`m${nextSerial()}`, '{"job":"figures"}')
      .run()
    return { id: (await rows("select max(id) as id from dead_letters"))[0]?.id }
  },
  "posts:save": entry,
  "categories:save": entry,
  "tags:save": entry,
  "pages:save": entry,
  "site:settings": async () => ({ site: await makeReadyStore(), "email-verification": true }),
  "site:api-key": async () => ({ site: await makeReadyStore() }),
  "site-moves:create": makeMovableStore,
  "stores:export": async () => ({ store: await makeReadyStore() }),
  "stores:restore": async () => {
    const store = await makeReadyStore()
    await makeBackup(store)
    return { store, to: `copy${nextSerial()}` }
  },
  "site-moves:cancel": async () => {
    const { site } = await makeMovableStore()
    await operator("site-moves:create", { site, to: "SITES_2" })
    return { site }
  },
  "site-tokens:create": token,
  "site-tokens:revoke": idOf("site-tokens:create", token),
  "staff:reset-second-factor": async () => {
    const email = `owner${nextSerial()}@example.com`
    const password = "correct-horse-battery"
    const site = await makeReadyStore({ owner_email: email, password })
    await content("POST", "/login", { host: hostOfStore(site), json: { email, password } })
    return { site, email }
  },
  "notifications:cancel": idOf("api:send-notification", async () => ({
    title: "t",
    message: "m",
    at: new Date(Date.now() + HOUR).toISOString(),
  })),
  "push:settings": async () => {
    await env.SITES_1.exec("delete from push_accounts")
    return { enabled: true, service_account: (await createPushProvider("https://push.example.com")).serviceAccount }
  },
  "license-keys:create": licenseKey,
  "license-keys:revoke": idOf("license-keys:create", licenseKey),
  "license-settings": async () => {
    await env.DB.exec("delete from settings")
    return { lm_requests_rate_limiting_period: 5_000 }
  },
}

/** Read-only commands. */
const READS = Object.keys(COMMANDS).filter((name) =>
  /:(list|show|audience|tail|progress|doctor|verify|invitations)$|^events:export$/.test(name),
)

/** Resumable commands, and commands whose service functions have the same test elsewhere. */
const TESTED_ELSEWHERE: Record<string, string> = {
  "app-key:rotate": "test/platform/app-key.test.ts",
  "backfill:run": "test/platform/backfills.test.ts",
  "billing:run": "test/platform/clock.test.ts",
  "endpoints:rehome": "test/webhooks/rehoming.test.ts",
  "hostnames:settle": "test/platform/hostnames.test.ts",
  "tenancy:webhooks-deliver": "test/webhooks/faults.test.ts",
  "api:send-notification": "test/content/notifications.test.ts",
  "push:check": "test/content/push/settings.test.ts",
  trigger: "test/platform/faults.test.ts",
  "webhooks:recover": "test/platform/faults.test.ts",
}

test.each(Object.entries(WRITES))("%s is atomic when a database call fails", async (name, make) => {
  const changes = await assertAtomicWrite(async () => {
    const options = await make()
    return () => operator(name, options)
  })
  expect(Object.keys(changes).length).toBeGreaterThan(1)
  expect(changes.auditLog).toBeGreaterThan(0)
})

test("every command is atomic when a queue, Durable Object, bucket, mail or network call fails", async () => {
  const writes = Object.entries(WRITES).map(([name, make]) => [
    name,
    async () => {
      const options = await make()
      return () => operator(name, options)
    },
  ])
  const calls = await assertAtomicUnderCallFaults(Object.fromEntries(writes))
  expect(Object.values(calls).flat().length).toBeGreaterThan(3)
}, 240_000)

test("does not mark a dead letter as rerun when the queue rejects it", async () => {
  const options = await WRITES["dead-letters:run"]?.()
  const count = async () =>
    (await rows("select count(rerun_at) as run, (select count(*) from audit_entries) as trail from dead_letters"))[0]
  const before = await count()
  vi.mocked(env.JOB_QUEUE.send).mockRejectedValueOnce(new Error("the queue is down"))
  expect((await operator("dead-letters:run", options ?? {})).status).toBe(500)
  expect(await count()).toEqual(before)
  expect((await operator("dead-letters:run", options ?? {})).status).toBe(200)
})

test("every operator command has an atomicity test", () => {
  expect([...Object.keys(WRITES), ...READS, ...Object.keys(TESTED_ELSEWHERE)].sort()).toEqual(
    Object.keys(COMMANDS).sort(),
  )
})
