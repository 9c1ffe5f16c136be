// Reads of orders and payments, and the statements that count their numbers up.
import { and, desc, eq, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { CentralDatabase } from "../../db/client"
import { type OrderStatus, orders, payments, sequences } from "../../db/schema/central/orders"
import { stores } from "../../db/schema/central/stores"
import { insert, type Write } from "../../db/write"

/** The statement that finds an order by its reference. */
export const selectOrder = (db: CentralDatabase, reference: string) =>
  db.select().from(orders).where(eq(orders.reference, reference))

/** The store as it is named today, so that an earlier one of that name stays out. */
const seqOf = (storeId: string | Placeholder) =>
  sql`(select ${stores.seq} from ${stores} where ${stores.id} = ${storeId})`

/** The statement that finds a store's order that is open. */
export const selectOpenOrder = (db: CentralDatabase, storeId: string) =>
  db
    .select()
    .from(orders)
    .where(and(eq(orders.storeSeq, seqOf(storeId)), eq(orders.status, "pending")))

/** The statement that lists orders, the newest first. */
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
        filter.storeId === undefined ? undefined : eq(orders.storeSeq, seqOf(filter.storeId)),
        filter.status && eq(orders.status, filter.status),
      ),
    )
    .orderBy(desc(orders.id))
    .limit(limit)

/** The statement that lists payments, the newest first. */
export const selectPayments = (db: CentralDatabase, storeId: string | Placeholder | undefined, limit: number) =>
  db
    .select()
    .from(payments)
    .where(storeId === undefined ? undefined : eq(payments.storeSeq, seqOf(storeId)))
    .orderBy(desc(payments.id))
    .limit(limit)

/** Counts a sequence up by one; `numberOf` is its value from then on in the batch. A batch that fails takes no number. */
export const countUp = (name: string): Write =>
  insert(sequences)
    .values({ name, value: 1 })
    .onConflictDoUpdate({ target: sequences.name, set: { value: sql`${sequences.value} + 1` } })

/** The number a sequence has come to, in six digits. */
export const numberOf = (name: string): SQL =>
  sql`printf('%06d', (select ${sequences.value} from ${sequences} where ${sequences.name} = ${name}))`
