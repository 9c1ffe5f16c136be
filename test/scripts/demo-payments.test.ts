// Tests the billing portal of the mock payment provider, with the parser of the real provider's webhooks.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { parseSubscription } from "../../src/platform/payments/stripe/events.ts"
import { startDemoPayments } from "../../tools/local/demo-payments.ts"

interface Message {
  type: string
  data: {
    object: {
      status?: string
      trial_end?: number | null
      current_period_end?: number
      items?: { data: { current_period_end: number }[] }
    }
  }
}

let messages: Message[] = []
const receiver = createServer(async (request, response) => {
  messages.push((await json(request)) as Message)
  response.end()
})
let provider: Awaited<ReturnType<typeof startDemoPayments>>

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  const { port } = receiver.address() as AddressInfo
  provider = await startDemoPayments(`http://127.0.0.1:${port}/`, "whsec_demo")
})
afterAll(() => {
  provider.close()
  receiver.close()
})
beforeEach(() => {
  messages = []
})

const post = (url: string, fields: Record<string, string>) =>
  fetch(url, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" })

/** Pays for a subscription; returns its id and the URL of its portal. */
async function subscribe(customer: string, more: Record<string, string> = {}): Promise<{ id: string; portal: string }> {
  const fields = { customer, "line_items[0][price]": "price_demo_1900", ...more }
  const checkout = await (await post(`${provider.url}/v1/checkout/sessions`, fields)).json()
  await post((checkout as { url: string }).url, {})
  const session = await (await post(`${provider.url}/v1/billing_portal/sessions`, { customer })).json()
  messages = []
  const { url } = session as { url: string }
  return { id: url.split("/").at(-1) ?? "", portal: url }
}

const read = async (url: string) => (await fetch(url)).text()

/** The types of the received messages and the end of the subscription in the last of them. */
function readMessages(): { types: string[]; end: unknown; cancelAt: unknown } {
  const object = messages.at(-1)?.data.object
  const parsed = parseSubscription("updated", object)
  const facts = parsed === "unreadable" ? null : parsed.facts
  return {
    types: messages.map(({ type }) => type),
    end: object?.items?.data[0]?.current_period_end,
    cancelAt: facts?.kind === "updated" ? facts.cancelAt : "unreadable",
  }
}

test("cancels a subscription at the end of the period, and withdraws that", async () => {
  const { id, portal } = await subscribe("cus_1")
  await post(portal, { action: "cancel" })
  const { types, end, cancelAt } = readMessages()
  expect(types).toEqual(["customer.subscription.updated"])
  expect(cancelAt).toBe(end)
  expect(messages[0]?.data.object).toMatchObject({ status: "active", cancel_at_period_end: true })
  expect(await read(portal)).toContain("Don't cancel subscription")

  await post(portal, { action: "keep" })
  expect(readMessages()).toMatchObject({ types: [...types, ...types], cancelAt: null })
  const subscription = await read(`${provider.url}/v1/subscriptions/${id}`)
  expect(JSON.parse(subscription)).toMatchObject({ status: "active", cancel_at_period_end: false, canceled_at: null })
})

test("ends a cancelled subscription with its period, without a payment", async () => {
  const { portal } = await subscribe("cus_2")
  await post(portal, { action: "cancel" })
  await post(portal, { action: "renew" })
  await post(portal, { action: "renew" })
  expect(readMessages().types).toEqual(["customer.subscription.updated", "customer.subscription.deleted"])
  expect(await read(portal)).toContain("The subscription has ended.")
})

test("ends the trial with its first payment", async () => {
  const trialEnd = Math.floor(Date.now() / 1000) + 86_400
  const { portal } = await subscribe("cus_4", { "subscription_data[trial_end]": String(trialEnd) })
  await post(portal, { action: "renew" })
  expect(readMessages().types).toEqual(["customer.subscription.updated", "invoice.paid"])
  const { status, trial_end } = messages[0]?.data.object ?? {}
  expect(status).toBe("active")
  expect(trial_end).toBeLessThan(trialEnd)
  await post(portal, { action: "renew" })
  expect(readMessages().types.slice(2)).toEqual(["invoice.paid"])
})

test("withdraws the cancellation when the plan changes", async () => {
  const { id, portal } = await subscribe("cus_3")
  await post(portal, { action: "cancel" })
  const fields = { "items[0][price]": "price_demo_7900", cancel_at_period_end: "false" }
  await post(`${provider.url}/v1/subscriptions/${id}`, fields)
  expect(readMessages()).toMatchObject({ cancelAt: null })
})
