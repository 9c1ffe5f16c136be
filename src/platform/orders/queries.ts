// Builds the queries for orders and payments, and the statements of their gapless number sequences.
import { and, desc, eq, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { CentralDatabase } from "../../db/client"
import { type OrderStatus, orders, payments, sequences } from "../../db/schema/central/orders"
import { stores } from "../../db/schema/central/stores"
import { insert, insertSelect, type Write } from "../../db/write"

/** Selects an order by its reference. */
export const selectOrder = (db: CentralDatabase, reference: string) =>
  db.select().from(orders).where(eq(orders.reference, reference))

/** The incarnation that has the name now, which excludes earlier ones. */
const storeSeqOf = (storeId: string | Placeholder) =>
  sql`(select ${stores.seq} from ${stores} where ${stores.id} = ${storeId})`

/** Selects a store's pending order. */
export const selectOpenOrder = (db: CentralDatabase, storeId: string) =>
  db
    .select()
    .from(orders)
    .where(and(eq(orders.storeSeq, storeSeqOf(storeId)), eq(orders.status, "pending")))

/** Selects orders, newest first. */
export const selectOrders = (
  db: CentralDatabase,
  filter: { storeId?: string | Placeholder; status?: OrderStatus },
  limit: number,
) =>
  db
    .select()
    .from(orders)
    .where(
      and(
        filter.storeId === undefined ? undefined : eq(orders.storeSeq, storeSeqOf(filter.storeId)),
        filter.status && eq(orders.status, filter.status),
      ),
    )
    .orderBy(desc(orders.id))
    .limit(limit)

/** Selects payments, newest first. */
export const selectPayments = (db: CentralDatabase, storeId: string | Placeholder | undefined, limit: number) =>
  db
    .select()
    .from(payments)
    .where(storeId === undefined ? undefined : eq(payments.storeSeq, storeSeqOf(storeId)))
    .orderBy(desc(payments.id))
    .limit(limit)

/**
 * Increments a sequence. From then on `formatSequence` returns the new value in the same batch; a failed batch uses no
 * number.
 */
export const incrementSequence = (name: string): Write =>
  insert(sequences)
    .values({ name, value: 1 })
    .onConflictDoUpdate({ target: sequences.name, set: { value: sql`${sequences.value} + 1` } })

/** Increments a sequence only where a condition holds when the statement runs. */
export const incrementSequenceIf = (name: string, condition: SQL): Write =>
  insertSelect(sequences, { name, value: 1 }, sql`where ${condition}`).onConflictDoUpdate({
    target: sequences.name,
    set: { value: sql`${sequences.value} + 1` },
  })

/** The current value of a sequence, as six digits. */
export const formatSequence = (name: string): SQL =>
  sql`printf('%06d', (select ${sequences.value} from ${sequences} where ${sequences.name} = ${name}))`
