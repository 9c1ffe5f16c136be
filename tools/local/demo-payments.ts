// Mocks the payment provider on loopback: any card pays, and signed webhooks follow as from the real one.
// `npm start -- --demo-payments` runs it, so that payments can be tried without an account.
import { createHmac, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

const MONTH = 30 * 86_400

interface Checkout {
  fields: URLSearchParams
  status: "open" | "complete" | "expired"
  created: number
  /** Idempotency-Key of the request that created it. */
  key: string | undefined
  subscription: Subscription | null
}

interface Subscription {
  id: string
  customer: string
  price: string
  status: "active" | "trialing" | "past_due" | "canceled"
  periodEnd: number
  /** The end of its trial, also of a past one. */
  trialEnd: number | null
  /** When its cancellation at the end of the period was requested, in Unix seconds. */
  canceledAt: number | null
  returnUrl: string
  /** The coupon, and how many invoices get its discount. */
  coupon: { percentOff: number; amountOff: number; invoicesLeft: number } | null
}

interface DemoPayments {
  /** Value for STRIPE_API_URL. */
  url: string
  close(): void
}

/**
 * Starts the mock provider on a free port.
 * @param webhook URL that receives its webhooks
 * @param secret signs the webhooks
 */
export async function startDemoPayments(webhook: string, secret: string): Promise<DemoPayments> {
  const checkouts = new Map<string, Checkout>()
  const subscriptions = new Map<string, Subscription>()
  const coupons = new Map<string, URLSearchParams>()
  const id = (kind: string) => `${kind}_demo_${randomBytes(8).toString("hex")}`
  const now = () => Math.floor(Date.now() / 1000)

  const sendWebhook = async (type: string, object: Record<string, unknown>) => {
    const body = JSON.stringify({ id: id("evt"), object: "event", type, created: now(), data: { object } })
    const time = now()
    const v1 = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")
    const response = await fetch(webhook, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Stripe-Signature": `t=${time},v1=${v1}` },
      body,
    })
    await response.body?.cancel()
    console.log(`Demo payments: ${type} was delivered with status ${response.status}.`)
  }
  const serializeSubscription = (subscription: Subscription) => ({
    id: subscription.id,
    object: "subscription",
    customer: subscription.customer,
    status: subscription.status,
    cancel_at_period_end: subscription.canceledAt !== null,
    cancel_at: subscription.canceledAt === null ? null : subscription.periodEnd,
    canceled_at: subscription.canceledAt,
    trial_end: subscription.trialEnd,
    items: {
      data: [
        { id: `si_${subscription.id}`, price: { id: subscription.price }, current_period_end: subscription.periodEnd },
      ],
    },
  })
  // The IDs of demo prices end in the amount in cents: `price_demo_1900`.
  const getPriceCents = (price: string) => Number(/(\d+)$/.exec(price)?.[1] ?? 1900)
  const buildInvoice = (subscription: Subscription, paid: boolean) => {
    const { price, coupon } = subscription
    const full = getPriceCents(price)
    const isDiscounted = coupon !== null && coupon.invoicesLeft > 0
    const discount = isDiscounted ? Math.round((full * coupon.percentOff) / 100) + coupon.amountOff : 0
    if (isDiscounted && paid) coupon.invoicesLeft--
    return {
      id: id("in"),
      object: "invoice",
      customer: subscription.customer,
      parent: { subscription_details: { subscription: subscription.id } },
      amount_due: full - discount,
      amount_paid: paid ? full - discount : 0,
      total_discount_amounts: [{ amount: discount }],
      currency: "usd",
      lines: { data: [{ period: { end: subscription.periodEnd }, pricing: { price_details: { price } } }] },
    }
  }

  const serializeCheckout = (session: string, base: string, { fields, status, created, subscription }: Checkout) => ({
    id: session,
    object: "checkout.session",
    mode: "subscription",
    status,
    url: status === "open" ? `${base}/checkout/${session}` : null,
    created,
    client_reference_id: fields.get("client_reference_id"),
    metadata: { plan: fields.get("metadata[plan]"), store_seq: fields.get("metadata[store_seq]") },
    customer: subscription?.customer ?? fields.get("customer"),
    subscription: subscription?.id ?? null,
  })

  function readCoupon(name: string | null): Subscription["coupon"] {
    const fields = coupons.get(name ?? "")
    if (!fields) return null
    const isRepeating = fields.get("duration") === "repeating"
    return {
      percentOff: Number(fields.get("percent_off") ?? 0),
      amountOff: Number(fields.get("amount_off") ?? 0),
      invoicesLeft: isRepeating ? Number(fields.get("duration_in_months")) : Number.POSITIVE_INFINITY,
    }
  }

  async function pay(session: string, checkout: Checkout, base: string): Promise<string> {
    const { fields } = checkout
    const trialEnd = Number(fields.get("subscription_data[trial_end]") ?? 0)
    const subscription: Subscription = {
      id: id("sub"),
      customer: fields.get("customer") ?? id("cus"),
      price: fields.get("line_items[0][price]") ?? "",
      status: trialEnd ? "trialing" : "active",
      periodEnd: trialEnd || now() + MONTH,
      trialEnd: trialEnd || null,
      canceledAt: null,
      returnUrl: fields.get("cancel_url") ?? "/",
      coupon: readCoupon(fields.get("discounts[0][coupon]")),
    }
    subscriptions.set(subscription.id, subscription)
    Object.assign(checkout, { status: "complete", subscription })
    await sendWebhook("checkout.session.completed", serializeCheckout(session, base, checkout))
    await sendWebhook("customer.subscription.created", serializeSubscription(subscription))
    if (!trialEnd) await sendWebhook("invoice.paid", buildInvoice(subscription, true))
    return fields.get("success_url") ?? "/"
  }

  async function applyPortalAction(subscription: Subscription, action: string): Promise<void> {
    if (subscription.status === "canceled") return
    if (action === "renew" && subscription.canceledAt === null) {
      const isFirst = subscription.status === "trialing"
      subscription.periodEnd += MONTH
      subscription.status = "active"
      if (isFirst) {
        // The payment at the end of the trial was made, so the trial is over.
        subscription.trialEnd = now()
        await sendWebhook("customer.subscription.updated", serializeSubscription(subscription))
      }
      await sendWebhook("invoice.paid", buildInvoice(subscription, true))
    } else if (action === "fail") {
      subscription.status = "past_due"
      await sendWebhook("invoice.payment_failed", buildInvoice(subscription, false))
    } else if (action === "cancel" || action === "keep") {
      subscription.canceledAt = action === "cancel" ? now() : null
      await sendWebhook("customer.subscription.updated", serializeSubscription(subscription))
    } else if (action === "renew" || action === "end") {
      subscription.status = "canceled"
      await sendWebhook("customer.subscription.deleted", serializeSubscription(subscription))
    }
  }

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    const [, first = "", second = "", third = "", fourth = "", fifth = ""] = pathname.split("/")
    const fields = new URLSearchParams(request.method === "POST" ? await readBody(request) : "")
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body))
    const base = `http://${request.headers.host}`
    if (first === "v1" && second === "checkout" && fourth) {
      const found = checkouts.get(fourth)
      if (!found) return void json(404, { error: { message: "No such checkout.session" } })
      if (fifth === "expire") {
        if (found.status !== "open") return void json(400, { error: { message: "The session is not open" } })
        found.status = "expired"
        await sendWebhook("checkout.session.expired", serializeCheckout(fourth, base, found))
      }
      return void json(200, serializeCheckout(fourth, base, found))
    }
    if (first === "v1" && request.method === "POST" && second === "checkout") {
      const key = request.headers["idempotency-key"]?.toString()
      const repeated = [...checkouts].find(([, checkout]) => key && checkout.key === key)
      const created: Checkout = { fields, status: "open", created: now(), key, subscription: null }
      const [session, checkout] = repeated ?? [id("cs"), created]
      checkouts.set(session, checkout)
      return void json(200, serializeCheckout(session, base, checkout))
    }
    if (first === "v1" && second === "coupons") {
      const name = request.method === "POST" ? (fields.get("id") ?? "") : decodeURIComponent(third)
      const isKnown = coupons.has(name)
      if (request.method === "POST" && isKnown) return void json(400, { error: { message: "Coupon already exists." } })
      if (request.method === "POST") coupons.set(name, fields)
      return void json(coupons.has(name) ? 200 : 404, { id: name, object: "coupon" })
    }
    if (first === "v1" && second === "prices") {
      const recurring = { interval: "month", interval_count: 1 }
      return void json(200, { id: third, unit_amount: getPriceCents(third), currency: "usd", recurring })
    }
    if (first === "v1" && request.method === "POST" && second === "billing_portal") {
      const found = [...subscriptions.values()].findLast(({ customer }) => customer === fields.get("customer"))
      if (!found) return void json(404, { error: { message: "No such customer" } })
      found.returnUrl = fields.get("return_url") ?? found.returnUrl
      return void json(200, { url: `${base}/portal/${found.id}` })
    }
    if (first === "v1" && second === "subscriptions") {
      const found = subscriptions.get(third)
      const price = fields.get("items[0][price]")
      if (found && price) {
        found.price = price
        if (fields.get("cancel_at_period_end") === "false") found.canceledAt = null
        await sendWebhook("customer.subscription.updated", serializeSubscription(found))
      }
      if (found && request.method === "DELETE") {
        await applyPortalAction(found, "end")
        console.log(`Demo payments: ${found.id} was canceled.`)
      }
      return void (found
        ? json(200, serializeSubscription(found))
        : json(404, { error: { message: "No such subscription" } }))
    }
    const checkout = first === "checkout" ? checkouts.get(second) : undefined
    if (checkout) {
      if (checkout.status !== "open") return html(response, CLOSED_PAGE)
      if (request.method !== "POST") return html(response, CHECKOUT_PAGE)
      const successUrl = await pay(second, checkout, base)
      return void response.writeHead(303, { Location: successUrl }).end()
    }
    const subscription = first === "portal" ? subscriptions.get(second) : undefined
    if (subscription) {
      if (request.method !== "POST") return html(response, renderPortal(subscription))
      await applyPortalAction(subscription, fields.get("action") ?? "")
      return void response.writeHead(303, { Location: subscription.returnUrl }).end()
    }
    response.writeHead(404).end("Not found.")
  }

  const server = createServer((request, response) => {
    handleRequest(request, response).catch((error) => {
      console.error(`Demo payments: ${error}`)
      response.writeHead(500).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

const STYLE =
  "body{font:17px/1.5 system-ui,sans-serif;max-width:420px;margin:12vh auto;padding:0 20px}input,button{font:inherit;padding:10px;width:100%;margin:6px 0;box-sizing:border-box}"

const renderPage = (title: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style><h1>${title}</h1>${body}</html>`

const CHECKOUT_PAGE = renderPage(
  "Demo payment",
  `<p>This is a demo. No card is charged.</p><form method="post"><label>Card number<input name="card" value="4242 4242 4242 4242"></label><button>Pay</button></form>`,
)

const CLOSED_PAGE = renderPage("Demo payment", "<p>This checkout session is complete or has expired.</p>")

/** Renders the buttons for the subscription's state. As at the real provider, it is cancelled at the end of the period. */
function renderPortal({ status, canceledAt, periodEnd }: Subscription): string {
  const button = (action: string, label: string) => `<button name="action" value="${action}">${label}</button>`
  const end = new Date(periodEnd * 1000).toISOString().slice(0, 10)
  if (status === "canceled") return renderPage(PORTAL_TITLE, "<p>The subscription has ended.</p>")
  if (canceledAt !== null) {
    const buttons = button("keep", "Don't cancel subscription") + button("renew", "The period ends")
    return renderPage(PORTAL_TITLE, `<p>The subscription ends on ${end}, UTC.</p><form method="post">${buttons}</form>`)
  }
  const payments = button("renew", "Next payment succeeds") + button("fail", "Next payment fails")
  const cancel = button("cancel", `Cancel subscription on ${end}, UTC`)
  return renderPage(PORTAL_TITLE, `<form method="post">${payments}${cancel}</form>`)
}

const PORTAL_TITLE = "Demo billing portal"

const html = (response: ServerResponse, text: string): void => {
  response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(text)
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ""
  for await (const part of request) {
    text += part
    if (text.length > 100_000) throw new Error("the body is too large")
  }
  return text
}
