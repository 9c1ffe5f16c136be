// A database that fails under an operator's command, at each of its trips, before it or after: the change and its entry in the trail
// are all there, or nothing is.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { HOUR } from "../../src/lib/time"
import { COMMANDS } from "../../src/operator/commands"
import { createPushProvider } from "../../tools/local/push-provider"
import { type Answer, call, isolate } from "../support/app"
import { holdBeside } from "../support/concurrent-writes"
import { holdWhole } from "../support/consistency"
import { makePlan, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { makeSecondDatabase } from "../support/second-database"
import { makeSubscribed } from "../support/subscription-factories"

/** Makes what a command is about, and answers its options. */
type Make = () => Promise<Record<string, unknown>>

let serial = 0

const operator = (command: string, json: Record<string, unknown>): Promise<Answer> =>
  call("POST", `/api/operator/v1/${command}`, { token: env.OPERATOR_TOKEN, json })

/** The id of what another command makes. */
const idOf =
  (command: string, make: Make): Make =>
  async () => ({ id: (await operator(command, await make())).body.data.id })

const key: Make = async () => ({ name: `key ${++serial}`, scopes: "read" })
const person: Make = async () => ({ email: `op${++serial}@example.com`, name: "Op", password: "correct-horse-battery" })
const licenseKey: Make = async () => ({ name: `key ${++serial}`, type: "external" })
const token: Make = async () => ({ name: `token ${++serial}` })
const entry: Make = async () => ({ name: `Entry ${++serial}` })

async function order(): Promise<{ store: string; plan: string }> {
  await operator("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
  return { store: await makeSubscribed(), plan: (await makePlan()).slug }
}

/** A store, and another site database that it can be moved to. */
async function moved(): Promise<{ site: string; to: string }> {
  // Made where there is only one, so that it stands there.
  isolate.env = { ...env } as typeof isolate.env
  const site = await makeReadyStore()
  await makeSecondDatabase()
  return { site, to: "SITES_2" }
}

const requested: Make = async () => {
  const { body } = await operator("orders:request", await order())
  return { reference: body.data.reference }
}

/** Every command that writes: what makes it possible, and its options. One that is missing here fails the last test. */
const WRITES: Record<string, Make> = {
  "keys:create": key,
  "keys:revoke": idOf("keys:create", key),
  "operators:create": person,
  "operators:update": async () => ({ ...(await idOf("operators:create", person)()), name: "Other" }),
  "operators:remove": idOf("operators:create", person),
  "plans:save": async () => ({
    slug: `plan-${++serial}`,
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
    store: await makeSubscribed({
      provider: "stripe",
      stripeCustomer: `cus_${++serial}`,
      stripeSubscription: `sub_${serial}`,
    }),
  }),
  "offline:settings": async () => {
    await env.DB.exec("delete from settings")
    return { enabled: true, label: "Transfer", instructions: "IBAN" }
  },
  "orders:request": order,
  "orders:approve": requested,
  "orders:reject": async () => ({ ...(await requested()), reason: "unpaid" }),
  "coupons:save": async () => ({ code: `CODE${++serial}`, trial_days: 7 }),
  "dead-letters:run": async () => {
    await env.DB.prepare("insert into dead_letters (message_id, body, created_at) values (?, ?, 1)")
      .bind(`m${++serial}`, '{"job":"figures"}')
      .run()
    return { id: (await rows("select max(id) as id from dead_letters"))[0]?.id }
  },
  "posts:save": entry,
  "categories:save": entry,
  "tags:save": entry,
  "pages:save": entry,
  "site:settings": async () => ({ site: await makeReadyStore(), "email-verification": true }),
  "site:api-key": async () => ({ site: await makeReadyStore() }),
  "site-moves:create": moved,
  "site-moves:cancel": async () => {
    const { site } = await moved()
    await operator("site-moves:create", { site, to: "SITES_2" })
    return { site }
  },
  "site-tokens:create": token,
  "site-tokens:revoke": idOf("site-tokens:create", token),
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

/** Commands that only ask. */
const READS = Object.keys(COMMANDS).filter((name) => /:(list|show|audience|tail|progress)$/.test(name))

/** Commands that go on where they ended, and verbs that the tests of their routes hold to the same. */
const ELSEWHERE: Record<string, string> = {
  "app-key:rotate": "test/platform/app-key.test.ts",
  "billing:run": "test/platform/clock.test.ts",
  "hostnames:settle": "test/platform/hostnames.test.ts",
  "tenancy:webhooks-deliver": "test/webhooks/faults.test.ts",
  "api:send-notification": "test/content/notifications.test.ts",
  "push:check": "test/content/push/settings.test.ts",
  trigger: "test/platform/faults.test.ts",
  "webhooks:recover": "test/platform/faults.test.ts",
}

test.each(Object.entries(WRITES))("%s is made whole or not at all", async (name, make) => {
  const made = await holdWhole(async () => {
    const options = await make()
    return () => operator(name, options)
  })
  expect(Object.keys(made).length).toBeGreaterThan(1)
  expect(made.trail).toBeGreaterThan(0)
})

test("every command is made whole or not at all, whatever fails beside the databases", async () => {
  const writes = Object.entries(WRITES).map(([name, make]) => [
    name,
    async () => {
      const options = await make()
      return () => operator(name, options)
    },
  ])
  const held = await holdBeside(Object.fromEntries(writes))
  expect(Object.values(held).flat().length).toBeGreaterThan(3)
}, 240_000)

test("a dead letter that no queue takes is not said to have been run", async () => {
  const options = await WRITES["dead-letters:run"]?.()
  const count = async () =>
    (await rows("select count(rerun_at) as run, (select count(*) from audit_entries) as trail from dead_letters"))[0]
  const was = await count()
  vi.mocked(env.JOB_QUEUE.send).mockRejectedValueOnce(new Error("the queue is down"))
  expect((await operator("dead-letters:run", options ?? {})).status).toBe(500)
  expect(await count()).toEqual(was)
  expect((await operator("dead-letters:run", options ?? {})).status).toBe(200)
})

test("no command that writes is left out", () => {
  expect([...Object.keys(WRITES), ...READS, ...Object.keys(ELSEWHERE)].sort()).toEqual(Object.keys(COMMANDS).sort())
})
