// A card provider that exists only in tests. Everything that it may choose differs from Stripe: signature, format of
// messages, names of statuses, units of time and money, encoding of requests, and ids that say nothing about it.
import * as z from "zod"
import { Refusal } from "../../../src/core/http/refusal"
import { equalSecrets, hmacSha256 } from "../../../src/lib/hash"
import type { MessageContent, ReportedStatus } from "../../../src/platform/payments/message"
import type {
  CardProvider,
  CheckoutSession,
  ProviderCtx,
  PurchaseDiscount,
} from "../../../src/platform/payments/provider"
import {
  parseHttpUrl,
  reportUnexpectedResponse,
  sendProviderRequest,
} from "../../../src/platform/payments/provider-request"
import { TEST_PROVIDER_NAME } from "./names"

export const API_URL = "https://acmepay.example/rest"

export const WEBHOOK_SECRET = "acmepay-webhooks"

/** Acmepay has no setting, so its token is in another provider's. */
export const SETTINGS = { MARKETPLACE_TOKEN: "acmepay_token" }

const MAX_AGE_MS = 60_000

/** Base64 of HMAC-SHA256 over the time and the body, on two lines. */
export const sign = async (secret: string, time: string, body: string): Promise<string> =>
  `sha256=${(await hmacSha256(secret, `${time}\n${body}`)).toBase64()}`

const time = z.iso.datetime().transform((text) => Math.floor(Date.parse(text) / 1000))
const cents = z
  .string()
  .regex(/^\d+\.\d\d$/)
  .transform((text) => Number(text.replace(".", "")))

const Contract = z.object({
  contract: z.string(),
  payer: z.string().optional(),
  state: z.enum(["TRIAL", "LIVE", "OVERDUE", "DRAFT", "STOPPED"]),
  tariff: z.string(),
  runs_until: time,
  free_until: time.optional(),
})
const Charge = z.object({
  charge: z.string(),
  contract: z.string(),
  payer: z.string().optional(),
  sum: cents,
  rebate: cents.optional(),
  currency: z.string(),
  tariff: z.string(),
  covers_until: time,
})
const Tariff = z.object({ sum: cents, currency: z.string(), every: z.enum(["MONTH", "YEAR"]) })
const Order = z.object({
  order: z.string(),
  state: z.enum(["NEW", "DONE", "LAPSED"]),
  link: z.string().nullable(),
  started: time.optional(),
  shop: z.string(),
  shop_number: z.string().optional(),
  plan: z.string(),
  contract: z.string().nullable(),
  payer: z.string().nullable(),
})

const common = { event_id: z.string(), occurred_at: time }
const Event = z.discriminatedUnion("event", [
  z.object({ ...common, event: z.enum(["contract.begun", "contract.changed", "contract.stopped"]), payload: Contract }),
  z.object({ ...common, event: z.enum(["charge.collected", "charge.declined"]), payload: Charge }),
  z.object({ ...common, event: z.enum(["order.done", "order.lapsed"]), payload: Order }),
  z.object({ ...common, event: z.literal("catalog.changed"), payload: z.unknown() }),
])

const STATUSES: Record<z.output<typeof Contract>["state"], ReportedStatus> = {
  TRIAL: "trialing",
  LIVE: "active",
  OVERDUE: "past_due",
  DRAFT: "other",
  STOPPED: "other",
}

const readContract = (type: string, kind: "created" | "updated" | "deleted", contract: z.output<typeof Contract>) => ({
  type,
  subscription: contract.contract,
  customer: contract.payer ?? null,
  facts:
    kind === "deleted"
      ? { kind }
      : {
          kind,
          price: contract.tariff,
          status: STATUSES[contract.state],
          until: contract.runs_until,
          trialEnd: contract.free_until ?? null,
        },
})

const readOrder = (order: z.output<typeof Order>, done: number): MessageContent | null =>
  order.contract === null
    ? null
    : {
        type: "order.done",
        subscription: order.contract,
        customer: order.payer,
        facts: {
          kind: "checkout",
          store: order.shop,
          plan: order.plan,
          session: order.order,
          storeSeq: order.shop_number ?? null,
          startedAt: order.started ?? done,
        },
      }

function readEvent(event: z.output<typeof Event>): MessageContent | null {
  switch (event.event) {
    case "contract.begun":
      return readContract(event.event, "created", event.payload)
    case "contract.changed":
      return readContract(event.event, "updated", event.payload)
    case "contract.stopped":
      return readContract(event.event, "deleted", event.payload)
    case "charge.collected":
    case "charge.declined": {
      const { charge, contract, payer, sum, rebate, currency, tariff, covers_until } = event.payload
      const invoice = {
        ...(rebate && { discountCents: rebate }),
        id: charge,
        price: tariff,
        amountCents: sum,
        currency,
        until: covers_until,
      }
      const kind = event.event === "charge.collected" ? "paid" : "failed"
      return { type: event.event, subscription: contract, customer: payer ?? null, facts: { kind, invoice } }
    }
    case "order.done":
      return readOrder(event.payload, event.occurred_at)
    case "order.lapsed":
    case "catalog.changed":
      return null
  }
}

const callApi = (ctx: ProviderCtx, path: string, body?: unknown) => {
  if (!acmepay.isConfigured(ctx.settings)) throw new Refusal("card_disabled")
  return sendProviderRequest(ctx, {
    method: body === undefined ? "GET" : "POST",
    base: API_URL,
    path,
    headers: { "X-Api-Token": ctx.settings.MARKETPLACE_TOKEN ?? "", "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
}

async function requestOrder(ctx: ProviderCtx, path: string, body?: unknown): Promise<CheckoutSession | null> {
  const response = await callApi(ctx, path, body)
  if (response.status === 404) return null
  const { success, data } = Order.safeParse(response.body)
  if (response.status !== 200 || !success) throw reportUnexpectedResponse(ctx, path, response.status)
  const status = ({ NEW: "open", DONE: "complete", LAPSED: "expired" } as const)[data.state]
  return {
    status,
    url: parseHttpUrl(data.link),
    payment: status === "complete" ? readOrder(data, Math.floor(ctx.now.getTime() / 1000)) : null,
  }
}

const buildRebate = ({ percentOff, amountOff, currency, months }: PurchaseDiscount) => ({
  off: percentOff === null ? amountOff : `${percentOff} %`,
  currency,
  months,
})

export const acmepay: Omit<CardProvider, "name"> & { name: typeof TEST_PROVIDER_NAME } = {
  name: TEST_PROVIDER_NAME,
  isConfigured: ({ MARKETPLACE_TOKEN }) => MARKETPLACE_TOKEN === SETTINGS.MARKETPLACE_TOKEN,
  async isSigned(_, { headers, body, receivedAt }) {
    const at = headers.get("Acmepay-Time") ?? ""
    if (!(Math.abs(receivedAt.getTime() - Date.parse(at)) <= MAX_AGE_MS)) return false
    return equalSecrets(headers.get("Acmepay-Digest") ?? "", await sign(WEBHOOK_SECRET, at, body))
  },
  parseWebhook(body) {
    const { success, data } = Event.safeParse(body)
    if (!success) return { kind: "unreadable" }
    if (data.event === "order.lapsed") return { kind: "checkout_expired", session: data.payload.order }
    const content = readEvent(data)
    if (!content) return { kind: "ignored" }
    return { kind: "message", message: { id: data.event_id, created: data.occurred_at, ...content } }
  },
  async readPrice(ctx, id) {
    const { status, body } = await callApi(ctx, `/tariffs/${id}`)
    if (status === 404) return null
    const { success, data } = Tariff.safeParse(body)
    if (status !== 200 || !success) throw reportUnexpectedResponse(ctx, "/tariffs", status)
    return { amountCents: data.sum, currency: data.currency, interval: data.every === "YEAR" ? "year" : "month" }
  },
  async createCheckout(ctx, purchase, idempotencyKey) {
    const { status, body } = await callApi(ctx, "/orders", {
      request: idempotencyKey,
      shop: purchase.store,
      shop_number: String(purchase.storeSeq),
      plan: purchase.plan,
      tariff: purchase.price,
      payer: "customer" in purchase.buyer ? purchase.buyer.customer : null,
      payer_email: "email" in purchase.buyer ? purchase.buyer.email : null,
      free_until: purchase.trialEnd?.toISOString() ?? null,
      rebate: purchase.discount && buildRebate(purchase.discount),
      back_to: purchase.returnUrl,
    })
    const { success, data } = Order.safeParse(body)
    const url = parseHttpUrl(data?.link)
    if (status !== 200 || !success || !url) throw reportUnexpectedResponse(ctx, "/orders", status)
    return { id: data.order, url }
  },
  readCheckout: (ctx, { id }) => requestOrder(ctx, `/orders/${id}`),
  expireCheckout: (ctx, { id }) => requestOrder(ctx, `/orders/${id}/lapse`, {}),
  async createPortal(ctx, customer, returnUrl) {
    const { status, body } = await callApi(ctx, "/self-service", { payer: customer, back_to: returnUrl })
    const url = parseHttpUrl(body.link)
    if (status !== 200 || !url) throw reportUnexpectedResponse(ctx, "/self-service", status)
    return url
  },
  async readSubscription(ctx, id) {
    const { status, body } = await callApi(ctx, `/contracts/${id}`)
    if (status === 404) {
      return { type: "contract.stopped", subscription: id, customer: null, facts: { kind: "deleted" } }
    }
    const { success, data } = Contract.safeParse(body)
    if (status !== 200 || !success) throw reportUnexpectedResponse(ctx, "/contracts", status)
    return readContract("contract.changed", data.state === "STOPPED" ? "deleted" : "updated", data)
  },
  async changePrice(ctx, id, { price, discount }, idempotencyKey) {
    const { status, body } = await callApi(ctx, `/contracts/${id}/tariff`, {
      tariff: price,
      request: idempotencyKey,
      // Without a value, the rebate stays.
      rebate: discount && buildRebate(discount),
    })
    const { success, data } = Contract.safeParse(body)
    if (status !== 200 || !success) throw reportUnexpectedResponse(ctx, "/contracts", status)
    return readContract("contract.changed", "updated", data)
  },
  async cancelSubscription(ctx, id) {
    const { status, body } = await callApi(ctx, `/contracts/${id}/stop`, {})
    if (status !== 404 && !(status === 200 && body.state === "STOPPED")) {
      throw reportUnexpectedResponse(ctx, "/contracts", status)
    }
  },
}
