// Places orders: for users and for guests, at the current prices, shipping and taxes.
import { sql } from "drizzle-orm"
import { type Shop, selectShopSettings, toShop } from "../../../content/shop/settings"
import { authenticate, type User, type UserCtx, writeAsUser } from "../../../content/user"
import type { Input } from "../../../core/http/input"
import { Refusal } from "../../../core/http/refusal"
import type { Locale } from "../../../core/i18n/locale"
import { selectSiteCounter } from "../../../core/list/site-totals"
import { retryOnConflict, WriteConflict } from "../../../core/write/commit"
import { assertValidKey } from "../../../core/write/idempotency"
import type { ShopEventDraft } from "../../../core/write/site-events"
import { batch, type Read, type Results } from "../../../db/client"
import { isCheckViolation } from "../../../db/errors"
import { fullName } from "../../../lib/full-name"
import { equalSecrets, hmacSha256, randomBase62, sha256 } from "../../../lib/hash"
import { clientNetwork } from "../../../lib/ip"
import { yearMonth } from "../../../lib/time"
import { type Address, GUEST_USER_ID } from "../tables"
import { cancelExcessPendingOrders } from "./expire"
import { buildOrderMailWrites, sendOrderMails } from "./mails"
import {
  countPendingOfGuests,
  countPendingOfNetwork,
  countPendingOfUser,
  lastNumber,
  lastOrderId,
  placeOrderWrites,
  selectOrderByIdempotencyKey,
  selectPublishedProducts,
} from "./queries"
import {
  computePendingLimits,
  computeTotals,
  findGuestErrors,
  findItemErrors,
  listPaymentMethods,
  listShippingMethods,
  type Totals,
} from "./rules"
import { type Order, orderResource, type PlaceOrder } from "./schemas"
import type { OrderWithItems } from "./service"

/** An order, and the secret key of its page; null if the key of an earlier placement is no longer known. */
export interface PlacedOrder extends OrderWithItems {
  key: string | null
}

/** Throws if a new order may not have these totals, because the customer saw others. */
export type ConfirmTotals = (totals: Totals) => void

/**
 * Places an order at the current prices and takes its products out of stock. Mails it to the customer and to the shop.
 * @param idempotencyKey a request that is repeated with it returns the order that the first one placed
 * @param confirm throws unless the order may cost this, before anything is written
 * @throws Refusal `unauthenticated`, also for guests where the shop takes no orders of guests; `email_unverified`;
 *   `validation_failed` for a product that is not published, has too little stock or another currency, or is ordered in
 *   a larger quantity than the shop allows, for a method that the shop does not offer, and for a guest without name and
 *   address; `idempotency_mismatch` for a key that was used with another order; `limit_reached` when the plan's orders
 *   of the month are used up; `unpaid_orders` when the user or the client's network has too many pending orders
 */
export async function placeOrder(
  ctx: UserCtx,
  input: Input<typeof PlaceOrder>,
  idempotencyKey: string | undefined,
  confirm?: ConfirmTotals,
): Promise<PlacedOrder> {
  const { site, now, settings } = ctx
  const limit = site.subscription?.plan?.limits.orders ?? 0
  const pending = computePendingLimits(limit)
  const month = yearMonth(now)
  const network = await networkHash(ctx)
  const requested = input.valid.items ?? []
  const keyHashes = await hashIdempotencyKey(ctx, idempotencyKey, input.valid.customer?.email)
  const onceHash = keyHashes[0]?.hash ?? null
  const onceRequest = onceHash && (await sha256(JSON.stringify(input.valid)))
  const key = await createOrderKey(ctx, { secret: settings.APP_KEY.current, hash: onceHash })
  let cancelsExcess = false
  return retryOnConflict(async () => {
    const { user, results } = await loadForCaller(ctx, (userId) => [
      selectPublishedProducts(
        site,
        requested.map((item) => item.product_id),
      ),
      site.db
        .select({
          placed: selectSiteCounter(site.id, "orders", month).mapWith(Number).as("placed"),
          ofCustomer: (userId ? countPendingOfUser(site, userId) : countPendingOfGuests(site, network))
            .mapWith(Number)
            .as("ofCustomer"),
          ofNetwork: countPendingOfNetwork(site, network).mapWith(Number).as("ofNetwork"),
        })
        .from(sql`(select 1)`),
      selectShopSettings({ site: site.id }),
      ...selectOrderByIdempotencyKey(
        site,
        keyHashes.map(({ hash }) => hash),
      ),
    ])
    const [sold, [count], [settingsRow], [earlier], earlierItems] = results
    if (earlier) {
      if (input.hasErrors || earlier.onceRequest !== onceRequest) throw new Refusal("idempotency_mismatch")
      const used = keyHashes.find(({ hash }) => hash === earlier.onceHash)
      const earlierKey = used ? await createOrderKey(ctx, used) : key
      const isSameKey = earlier.keyHash !== null && equalSecrets(await sha256(earlierKey), earlier.keyHash)
      return { order: { ...earlier, staffNote: null }, items: [...earlierItems], key: isSameKey ? earlierKey : null }
    }
    if (!count) throw new Error("The orders were not counted")
    const shop = toShop(site, settingsRow)
    if (!user && !shop.guest_orders) throw new Refusal("unauthenticated")
    const decided = decide(input, { user, shop, sold, locale: ctx.locale })
    confirm?.(decided.columns)
    const hasTooMany = count.ofCustomer >= pending.user || count.ofNetwork >= pending.network
    // Near the monthly limit, pending orders may have to expire early, but not for a client that has too many of them.
    if (limit > 0 && !hasTooMany && !cancelsExcess && (limit - count.placed) * 5 < limit) {
      cancelsExcess = true
      ctx.inBackground(cancelExcessPendingOrders(ctx, site, limit))
    }
    if (limit > 0 && count.placed >= limit) throw new Refusal("limit_reached")
    if (hasTooMany) throw new Refusal("unpaid_orders")
    const order = {
      ...decided.columns,
      keyHash: await sha256(key),
      onceHash,
      onceRequest,
      now,
      limit,
      month,
      network,
      pending,
    }
    const mails = await buildOrderMailWrites(ctx, {
      ...decided,
      shop,
      key,
      isConfirmed: Boolean(user?.emailVerifiedAt) && decided.columns.customerEmail === user?.email,
    })
    const [[placed], , lines] = await conflictIfSoldOut(
      writeAsUser(
        ctx,
        () => [...placeOrderWrites(site, { ...order, items: decided.items, shopRevision: shop.revision }), ...mails],
        { events: [buildPlacedEvent(ctx, decided, user)] },
      ),
    )
    if (!placed) throw new Error("The order was not stored")
    sendOrderMails(ctx)
    return { order: placed, items: lines, key }
  })
}

/** The hash of an `Idempotency-Key`, and the `APP_KEY` that it was computed with. */
interface IdempotencyKeyHash {
  secret: Uint8Array<ArrayBuffer>
  hash: string
}

/**
 * Computes the hashes of an `Idempotency-Key` and its caller, so that callers cannot use up each other's keys: a user is
 * recognized by the token, a guest by the email address of the order.
 * @returns the hash with the current `APP_KEY`, then the one with the previous one, so that a request that is repeated
 *   across a rotation finds its order; none without a key
 */
async function hashIdempotencyKey(
  { caller, settings, site }: UserCtx,
  key: string | undefined,
  email: string | undefined,
): Promise<IdempotencyKeyHash[]> {
  if (key === undefined) return []
  assertValidKey(key)
  const customer = caller.token ? `token ${caller.token.hash}` : `guest ${email?.toLowerCase() ?? ""}`
  const text = `order once\n${site.id}\n${customer}\n${key}`
  const { current, previous } = settings.APP_KEY
  return Promise.all(
    [current, previous].flatMap((secret) =>
      secret ? [hmacSha256(secret, text).then((hash) => ({ secret, hash: hash.toHex() }))] : [],
    ),
  )
}

/** Authenticates the user and reads, or reads for a guest. */
async function loadForCaller<const Reads extends readonly Read[]>(
  ctx: UserCtx,
  reads: (userId: ReturnType<typeof sql<number>> | null) => Reads,
): Promise<{ user: User | null; results: Results<Reads> }> {
  if (ctx.caller.token) return authenticate(ctx, (userId) => reads(userId))
  return { user: null, results: await batch(ctx.site.db, reads(null)) }
}

type SoldProduct = Awaited<ReturnType<typeof selectPublishedProducts>>[number]

/** An item of an order with the product's name and price. */
interface DecidedItem {
  product_id: number
  quantity: number
  name: string
  priceCents: number
}

/**
 * Decides on the columns of a new order.
 * @throws Refusal `validation_failed`
 */
function decide(
  input: Input<typeof PlaceOrder>,
  { user, shop, sold, locale }: { user: User | null; shop: Shop; sold: readonly SoldProduct[]; locale: Locale },
) {
  const offered = { payment: listPaymentMethods(shop), shipping: listShippingMethods(shop) }
  const { payment_method: payment, shipping_method: shipping } = input.valid
  const values = input.complete({
    items: findItemErrors(input.valid.items ?? [], sold, shop),
    customer: user ? null : findGuestErrors(input.valid.customer),
    payment_method: payment && !offered.payment.includes(payment) ? "selected" : null,
    shipping_method: shipping && !offered.shipping.includes(shipping) ? "selected" : null,
  })
  const items = values.items.flatMap(({ product_id, quantity }): DecidedItem[] => {
    const product = sold.find(({ id }) => id === product_id)
    return product ? [{ product_id, quantity, name: product.name, priceCents: product.priceCents }] : []
  })
  const { customer, shipping_address: address } = values
  const shippingMethod = values.shipping_method ?? "flat"
  const columns = {
    userId: user?.id ?? GUEST_USER_ID,
    currency: sold[0]?.currency ?? "",
    note: values.note ?? null,
    ...computeTotals(items, shop, shippingMethod),
    customerName: customer?.name ?? (user && fullName(user)),
    customerEmail: customer?.email ?? user?.email ?? null,
    customerPhone: customer?.phone ?? user?.phone ?? null,
    locale,
    shippingAddress: address ? toAddress(address) : null,
    // The only method that is offered needs no choice.
    paymentMethod: payment ?? (offered.payment.length === 1 ? (offered.payment[0] ?? null) : null),
    shippingMethod,
  } satisfies Partial<Order>
  return { columns, items }
}

/** Builds the event of a new order, whose id and number only the database knows. */
function buildPlacedEvent(
  { site, now }: UserCtx,
  { columns, items }: ReturnType<typeof decide>,
  user: User | null,
): ShopEventDraft {
  const number = lastNumber(site.id)
  const order: Order = {
    ...columns,
    id: 0,
    siteId: site.id,
    number: 0,
    status: "pending",
    tracking: null,
    staffNote: null,
    keyHash: null,
    onceHash: null,
    onceRequest: null,
    network: null,
    attachedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  const lines = items.map(({ product_id, ...item }, position) => ({
    ...item,
    siteId: site.id,
    orderId: 0,
    position,
    productId: product_id,
    stockTaken: null,
  }))
  return {
    type: "shop.order.placed",
    data: { order: orderResource(order, lines) },
    fill: {
      "$.data.order.id": lastOrderId(site.id),
      "$.data.order.number": sql`cast(${number} as text)`,
    },
    actor: user ? { id: user.id, name: fullName(user) } : { name: columns.customerName ?? "" },
  }
}

const toAddress = ({
  line1,
  line2 = null,
  city,
  state = null,
  postal_code = null,
  country = null,
}: Partial<Address> & Pick<Address, "line1" | "city">): Address => ({ line1, line2, city, state, postal_code, country })

/**
 * Creates the secret key in the link to an order's page. A repeated request gets the same one, although only its hash is
 * stored.
 */
async function createOrderKey(
  { site }: UserCtx,
  { secret, hash }: { secret: Uint8Array<ArrayBuffer>; hash: string | null },
): Promise<string> {
  const seed = hash ?? randomBase62(32)
  return (await hmacSha256(secret, `order key\n${site.id}\n${seed}`)).toHex().slice(0, 40)
}

/**
 * Computes a keyed hash of the client's network: the IPv4 address, or the IPv6 /48 that one customer can have. The key
 * prevents the addresses from being guessed from a copy of the database.
 */
async function networkHash({ address, settings, site }: UserCtx): Promise<string> {
  const { network, wider } = clientNetwork(address ?? "")
  const hash = await hmacSha256(settings.APP_KEY.current, `order network\n${site.id}\n${wider ?? network}`)
  return hash.toHex().slice(0, 32)
}

/** @throws WriteConflict when a concurrent order took the last item in stock */
const conflictIfSoldOut = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((cause) => {
    throw isCheckViolation(cause, "products_stock") ? new WriteConflict("The stock is used up", { cause }) : cause
  })
