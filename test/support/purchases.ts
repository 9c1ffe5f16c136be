// Records purchases, which let customers review products.
import { env } from "cloudflare:workers"

/** Stores a paid order of a product. */
export async function recordPurchase(userId: number, productId: number): Promise<void> {
  await env.SITES_1.batch([
    env.SITES_1.prepare(
      `insert into orders (site_id, user_id, status, currency, total_cents, created_at, updated_at)
       select site_id, id, 'paid', 'EUR', 100, 1, 1 from users where id = ?`,
    ).bind(userId),
    env.SITES_1.prepare(
      `insert into order_items (site_id, order_id, position, product_id, name, price_cents, quantity)
       select site_id, id, 0, ?, 'Bought', 100, 1 from orders where id = last_insert_rowid()`,
    ).bind(productId),
  ])
}
