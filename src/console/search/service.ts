// One box for everything: what a text names exactly, and what holds it.
import { desc, eq, inArray, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { isOfEvent } from "../../core/write/event-log"
import { batch } from "../../db/client"
import { auditEntries } from "../../db/schema/central/audit"
import { domains } from "../../db/schema/central/domains"
import { apiKeys } from "../../db/schema/central/keys"
import { licenses } from "../../db/schema/central/licenses"
import { orders } from "../../db/schema/central/orders"
import { stores } from "../../db/schema/central/stores"
import { webhookDeliveries, webhookEvents } from "../../db/schema/central/webhooks"
// layers: a search over all that an operator looks for, licenses among it
import { codeKey } from "../../license/licenses/schemas"
import { someMatches, storeFacts, toFacts } from "../../platform/stores/queries"
import { ListStores } from "../../platform/stores/schemas"

const MOST = 20

/** What a row number can be. */
const NUMBER = /^#?(\d{1,15})$/

/**
 * Looks a text up everywhere, in one round trip.
 * @param q at most 200 characters
 */
export async function searchEverything(ctx: Ctx, q: string) {
  const text = q.trim()
  const folded = ListStores.shape.q.parse(text) ?? ""
  const upper = text.toUpperCase()
  const number = Number(NUMBER.exec(text)?.[1] ?? -1)
  const [found, exact, byDomain, events, told, numbered, paid, keys, coded, entries] = await batch(ctx.db, [
    storeFacts(ctx.db)
      .where(inArray(stores.seq, someMatches(folded, MOST)))
      .orderBy(desc(stores.seq)),
    ctx.db.select({ id: stores.id }).from(stores).where(eq(stores.id, text.toLowerCase())),
    ctx.db
      .select({ domain: domains.domain, storeId: domains.storeId })
      .from(domains)
      .where(eq(domains.domain, text.toLowerCase())),
    ctx.db
      .select({ id: webhookEvents.id, type: webhookEvents.type })
      .from(webhookEvents)
      .where(eq(webhookEvents.id, upper)),
    ctx.db
      .select({ id: webhookDeliveries.id, event: webhookDeliveries.event })
      .from(webhookDeliveries)
      .where(
        isOfEvent(
          sql`${webhookDeliveries.id}`,
          sql`(select ${webhookEvents.seq} from ${webhookEvents} where ${eq(webhookEvents.id, upper)})`,
        ),
      )
      .limit(MOST),
    ctx.db
      .select({ id: webhookDeliveries.id, event: webhookDeliveries.event })
      .from(webhookDeliveries)
      .where(eq(webhookDeliveries.id, number)),
    ctx.db
      .select({ reference: orders.reference, storeId: orders.storeId })
      .from(orders)
      .where(eq(orders.reference, upper)),
    ctx.db
      .select({ id: apiKeys.id, name: apiKeys.name, keyPrefix: apiKeys.keyPrefix })
      .from(apiKeys)
      .where(eq(apiKeys.keyPrefix, prefixOf(text)))
      .limit(MOST),
    ctx.db
      .select({ id: licenses.id })
      .from(licenses)
      .where(eq(licenses.codeKey, codeKey(text))),
    ctx.db
      .select({ id: auditEntries.id, type: auditEntries.type })
      .from(auditEntries)
      .where(eq(auditEntries.requestId, upper))
      .limit(MOST),
  ])
  return {
    stores: folded ? found.map(toFacts) : [],
    store: exact[0] ?? null,
    domains: byDomain,
    event: events[0] ?? null,
    deliveries: [...numbered, ...told],
    order: paid[0] ?? null,
    keys,
    license: coded[0] ?? null,
    entries,
  }
}

/** The visible part of an API key, also of one that was pasted whole. */
const prefixOf = (text: string): string => /^tnk_[0-9A-Za-z]{8}/.exec(text)?.[0] ?? text
