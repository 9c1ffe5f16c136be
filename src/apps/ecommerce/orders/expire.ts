// Cancels orders that were not paid in time, returns their products to stock and mails their customers: after the days
// of their payment method, or after an hour while pending orders crowd the plan's monthly limit.
import { and, asc, eq, inArray, isNull, lte, sql } from "drizzle-orm"
import { enqueueAccountMails } from "../../../content/mails/outbox"
import { selectShopSettings } from "../../../content/shop/settings"
import type { ContentSite } from "../../../content/site"
import type { Ctx } from "../../../core/context"
import { forEachItem, runItem } from "../../../core/queue/for-each-item"
import { SYSTEM } from "../../../core/write/actor"
import { compareResources } from "../../../core/write/changes"
import { WriteConflict } from "../../../core/write/commit"
import { commitSite, type WrittenSite } from "../../../core/write/site-commit"
import { batch, siteDatabase } from "../../../db/client"
import { storeRestores } from "../../../db/schema/central/backups"
import { siteSettings } from "../../../db/schema/central/sites"
import { stores } from "../../../db/schema/central/stores"
import { isNotLocked } from "../../../db/site-locks"
import { acrossSites } from "../../../db/site-scope"
import { addMs, HOUR, yearMonth } from "../../../lib/time"
import { orders, PAYMENT_METHODS, type PaymentMethod } from "../tables"
import { returnToStock, selectExcessPendingOrders, selectOrder, setStatus } from "./queries"
import { arePendingOrdersOverQuota, computePaymentWindow } from "./rules"
import { type Order, orderResource } from "./schemas"
import { buildUpdateMailWrites } from "./update-mails"

/** Time to pay an order while pending orders crowd the monthly limit. */
const EXCESS_PAYMENT_WINDOW = HOUR

/** Orders of each payment method that one run cancels. */
const BATCH_SIZE = 200

/** Orders that one request to place an order cancels at most. */
const EXCESS_BATCH_SIZE = 20

/**
 * Cancels the orders that were not paid within the days of their payment method. Orders from before a restore are left
 * to the staff: they may have been paid since the backup was made.
 * @param database binding of a site database
 */
export async function expireOrders(ctx: Ctx, database: string): Promise<void> {
  const overdue = await selectLateOrders(ctx, database, [])
  if (!overdue.length) return
  const restores = await readRestores(ctx)
  const late = restores.length ? await selectLateOrders(ctx, database, restores) : overdue
  if (!late.length) return
  const shops = await readShops(ctx, new Set(late.map(({ siteId }) => siteId)))
  await forEachItem(
    ctx,
    "order-expiry",
    late,
    ({ id, siteId }) => {
      const site = { id: siteId, db: siteDatabase(ctx.env, database, siteId), store: null }
      return cancelUnpaid(ctx, site, id, shops.get(siteId))
    },
    ({ id }) => id,
  )
  enqueueAccountMails({ ...ctx, site: { database } })
}

/** The latest restore of a store. */
interface Restore {
  store: string
  at: Date
}

/** Reads the latest restore of each store, as long as its backup exists. */
const readRestores = ({ db }: Ctx): Promise<Restore[]> =>
  db
    .select({ store: storeRestores.storeId, at: sql`max(${storeRestores.createdAt})`.mapWith(storeRestores.createdAt) })
    .from(storeRestores)
    .where(and(eq(storeRestores.phase, "done"), eq(storeRestores.isDryRun, false)))
    .groupBy(storeRestores.storeId)

/** Selects orders of each payment method that were not paid in time, without those from before a restore. */
async function selectLateOrders(ctx: Ctx, database: string, restores: readonly Restore[]) {
  const db = siteDatabase(ctx.env, database, acrossSites("unpaid_orders"))
  const restored = JSON.stringify(restores.map(({ store, at }) => [store, at.getTime()]))
  const selectLate = (method: PaymentMethod | null) =>
    db
      .select({ id: orders.id, siteId: orders.siteId })
      .from(orders)
      .where(
        and(
          // A literal, as in the condition of the partial index, which a parameter does not match.
          sql`${orders.status} = 'pending'`,
          method ? eq(orders.paymentMethod, method) : isNull(orders.paymentMethod),
          lte(orders.createdAt, addMs(ctx.now, -computePaymentWindow(method))),
          isNotLocked(orders.siteId),
          sql`not exists (select 1 from json_each(${restored}) as restore
            where restore.value ->> 0 = ${orders.siteId} and restore.value ->> 1 >= ${orders.createdAt})`,
        ),
      )
      .orderBy(asc(orders.createdAt))
      .limit(BATCH_SIZE)
  return (await batch(db, [null, ...PAYMENT_METHODS].map(selectLate))).flat()
}

/** The details of the sending shop in a mail. */
interface MailingShop {
  seq: number
  name: string
  language: string | null
}

/** Reads the stores by their ids. */
async function readShops({ db }: Ctx, ids: Set<string>): Promise<Map<string, MailingShop>> {
  const rows = await db
    .select({ id: stores.id, seq: stores.seq, name: stores.name, language: siteSettings.language })
    .from(stores)
    .leftJoin(siteSettings, eq(siteSettings.siteId, stores.id))
    .where(inArray(stores.id, sql`(select value from json_each(${JSON.stringify([...ids])}))`))
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Cancels pending orders older than an hour while they take up too much of the plan's monthly limit: those of the
 * networks with the most pending orders, newest first. Runs in the background of a request to place an order; if a run
 * is lost, the next request completes it.
 * @param limit orders per month of the plan
 */
export async function cancelExcessPendingOrders(ctx: Ctx, site: ContentSite, limit: number): Promise<void> {
  const month = yearMonth(ctx.now)
  const before = addMs(ctx.now, -EXCESS_PAYMENT_WINDOW)
  const [[count], due] = await batch(
    site.db,
    selectExcessPendingOrders(site, { month, before, max: EXCESS_BATCH_SIZE }),
  )
  let [free, pending] = [limit - (count?.placed ?? 0), count?.pending ?? 0]
  const shop = site.store ? { ...site.store, language: site.language } : undefined
  // lint: each order is cancelled in its own transaction
  for (const { id } of due) {
    if (!arePendingOrdersOverQuota({ free, pending })) break
    const cancel = () => cancelUnpaid({ ...ctx, actor: SYSTEM, interface: "system", address: null }, site, id, shop)
    if (!(await runItem(ctx, "order-expiry", cancel, id))) continue
    free += 1
    pending -= 1
  }
  if (due.length > 0) enqueueAccountMails({ ...ctx, site })
}

/** @param shop whose mail tells the customer; undefined sends none */
async function cancelUnpaid(ctx: Ctx, site: WrittenSite, id: number, shop: MailingShop | undefined): Promise<void> {
  try {
    const [[order], items, [settings]] = await batch(site.db, [
      ...selectOrder(site, id),
      selectShopSettings({ site: site.id }),
    ])
    if (order?.status !== "pending") return
    const cancelled: Order = { ...order, status: "cancelled", updatedAt: ctx.now }
    const after = orderResource(cancelled, items)
    const mails = shop
      ? buildUpdateMailWrites({ ...ctx, site: { id: site.id, store: { seq: shop.seq } } }, cancelled, "expired", {
          ...shop,
          contactEmail: settings?.settings.contact_email ?? null,
        })
      : []
    await commitSite(ctx, site, {
      guard: setStatus(site.id, order, "cancelled", ctx.now),
      writes: [returnToStock(site.id, order.id), ...mails],
      auditLog: [{ subject: "order", id: order.id, action: "cancelled", data: { reason: "unpaid" } }],
      events: [
        {
          type: "shop.order.updated",
          data: { order: after, changes: compareResources(orderResource(order, items), after, ["updated_at"]) },
        },
      ],
    })
  } catch (cause) {
    // The order was paid or cancelled in the meantime.
    if (!(cause instanceof WriteConflict)) throw cause
  }
}
