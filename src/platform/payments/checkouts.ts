// Starts card checkouts: at most one session per store is open at the provider, however often and by how many people it is asked for.
import { eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { SYSTEM } from "../../core/write/actor"
import { writeUnaudited, commit, WriteConflict } from "../../core/write/commit"
import type { CentralDatabase } from "../../db/client"
import { cardCheckouts } from "../../db/schema/central/card-checkouts"
import { stores } from "../../db/schema/central/stores"
import { insert } from "../../db/write"
import { sha256 } from "../../lib/hash"
import { HOUR, later, MINUTE, SECOND } from "../../lib/time"
import type { StoreFacts } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { readMessage } from "./message"
import { checkoutFields, createCheckout, expireCheckout, type Purchase, readCheckout } from "./provider"
import { receiveMessage, removeCheckout } from "./receive"

/** The provider expires a session after 24 hours; one that has less than an hour left is replaced. */
const REUSABLE_FOR = 23 * HOUR

type OpenCheckout = typeof cardCheckouts.$inferSelect

/** The statement that reads the open checkout session of a store. */
export const selectCheckout = (db: CentralDatabase, storeId: string) =>
  db
    .select()
    .from(cardCheckouts)
    .where(eq(cardCheckouts.storeSeq, sql`(select ${stores.seq} from ${stores} where ${stores.id} = ${storeId})`))

/**
 * Opens a checkout session, or reuses the open one when nothing about the purchase has changed.
 * @param facts the store that the purchase was decided on
 * @param open the store's session so far
 * @returns the address of the page on which the purchase is paid
 * @throws Refusal `stripe_managed` when the session so far is paid, `card_disabled`, `provider_unreachable`
 * @throws LostRace when the store has changed meanwhile; its caller decides again
 */
export async function openCheckout(
  ctx: Ctx,
  facts: StoreFacts,
  open: OpenCheckout | undefined,
  purchase: Purchase,
): Promise<string> {
  const fields = checkoutFields(purchase)
  const terms = await sha256(JSON.stringify(fields))
  let previous = open ? await readCheckout(ctx, open.session) : null
  // A compatible provider may name no status: such a session may still be paid, and is not used again.
  if (open && previous && previous.status !== "complete" && previous.status !== "expired") {
    const isCurrent =
      previous.status === "open" && open.terms === terms && ctx.now < later(open.createdAt, REUSABLE_FOR)
    if (isCurrent && typeof previous.url === "string") return previous.url
    previous = await expireCheckout(ctx, open.session)
  }
  if (open && previous?.status === "complete") {
    await receiveCompleted(ctx, { client_reference_id: facts.store.id, ...previous, id: open.session })
    throw new Refusal("stripe_managed")
  }
  const { seq, version } = facts.store
  // The provider repeats failed responses of a key as well, hence the minute.
  const minute = Math.floor(ctx.now.getTime() / MINUTE)
  const session = await createCheckout(ctx, fields, `checkout:${seq}:${version}:${minute}:${terms}`)
  if (session.id === null) return session.url
  const row = { session: session.id, terms, createdAt: ctx.now }
  try {
    await commit(ctx, {
      guard: guardedUpdate(facts, {}),
      writes: [
        insert(cardCheckouts)
          .values({ storeSeq: seq, ...row })
          .onConflictDoUpdate({ target: cardCheckouts.storeSeq, set: row }),
      ],
      trail: { auditSkipped: "nothing is bought before the session is paid" },
    })
  } catch (cause) {
    if (!(cause instanceof WriteConflict)) throw cause
    // A double click gets the same session twice, and the first one recorded it.
    const [recorded] = await selectCheckout(ctx.db, facts.store.id)
    if (recorded?.session !== session.id) {
      // Where this fails, too, nobody knows the session's address.
      await expireCheckout(ctx, session.id).catch(() => undefined)
      throw cause
    }
  }
  return session.url
}

/** Applies a paid session whose message has not come yet, or was lost. */
async function receiveCompleted(ctx: Ctx, session: Record<string, unknown>): Promise<void> {
  const message = readMessage({
    id: `completed:${session.id}`,
    type: "checkout.session.completed",
    created: Math.floor(ctx.now.getTime() / SECOND),
    data: { object: session },
  })
  if (typeof message === "string") {
    ctx.log.error("a paid checkout session could not be applied", new Error(message), { session: String(session.id) })
    throw new Refusal("provider_unreachable", { status: 502 })
  }
  await receiveMessage({ ...ctx, actor: SYSTEM, interface: "system" }, message)
}

/** Forgets a session that the provider has expired. */
export async function forgetCheckout(ctx: Ctx, session: string): Promise<void> {
  await writeUnaudited(ctx, "an expired checkout session", [removeCheckout(session)])
}
