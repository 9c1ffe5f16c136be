// Starts card checkouts. At most one session per store is open at the provider, also with concurrent requests.
import { eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { SYSTEM } from "../../core/write/actor"
import { commit, WriteConflict, writeUnaudited } from "../../core/write/commit"
import type { CentralDatabase } from "../../db/client"
import { cardCheckouts } from "../../db/schema/central/card-checkouts"
import { stores } from "../../db/schema/central/stores"
import { insert } from "../../db/write"
import { sha256 } from "../../lib/hash"
import { addMs, HOUR, MINUTE, SECOND } from "../../lib/time"
import type { StoreDetails } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { parseMessage } from "./message"
import {
  buildCheckoutFields,
  createCheckoutSession,
  expireCheckoutSession,
  type Purchase,
  readCheckoutSession,
} from "./provider"
import { receiveMessage, removeCheckout } from "./receive"

/** The provider expires a session after 24 hours. Sessions with less than an hour left are replaced. */
const SESSION_REUSE_MS = 23 * HOUR

type OpenCheckout = typeof cardCheckouts.$inferSelect

/** Selects the open checkout session of a store. */
export const selectCheckout = (db: CentralDatabase, storeId: string) =>
  db
    .select()
    .from(cardCheckouts)
    .where(eq(cardCheckouts.storeSeq, sql`(select ${stores.seq} from ${stores} where ${stores.id} = ${storeId})`))

/**
 * Creates a checkout session, or reuses the open one if the purchase is unchanged.
 * @param facts the store that the purchase was decided on
 * @param open the store's current session
 * @returns the URL of the payment page
 * @throws Refusal `stripe_managed` when the current session is already paid, `card_disabled`, `provider_unreachable`
 * @throws WriteConflict when the store has changed meanwhile; its caller decides again
 */
export async function openCheckout(
  ctx: Ctx,
  facts: StoreDetails,
  open: OpenCheckout | undefined,
  purchase: Purchase,
): Promise<string> {
  const fields = buildCheckoutFields(purchase)
  const terms = await sha256(JSON.stringify(fields))
  let previous = open ? await readCheckoutSession(ctx, open.session) : null
  // A compatible provider may omit the status. Such a session may still be paid, so it is expired instead of reused.
  if (open && previous && previous.status !== "complete" && previous.status !== "expired") {
    const isCurrent =
      previous.status === "open" && open.terms === terms && ctx.now < addMs(open.createdAt, SESSION_REUSE_MS)
    if (isCurrent && typeof previous.url === "string") return previous.url
    previous = await expireCheckoutSession(ctx, open.session)
  }
  if (open && previous?.status === "complete") {
    await applyCompletedSession(ctx, { client_reference_id: facts.store.id, ...previous, id: open.session })
    throw new Refusal("stripe_managed")
  }
  const { seq, version } = facts.store
  // The minute is part of the key because the provider also replays failed responses.
  const minute = Math.floor(ctx.now.getTime() / MINUTE)
  const session = await createCheckoutSession(ctx, fields, `checkout:${seq}:${version}:${minute}:${terms}`)
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
      auditLog: { auditSkipped: "external_state" },
    })
  } catch (cause) {
    if (!(cause instanceof WriteConflict)) throw cause
    // A double click gets the same session twice, and the first request has stored it.
    const [recorded] = await selectCheckout(ctx.db, facts.store.id)
    if (recorded?.session !== session.id) {
      // If this fails too, no one has the session's URL.
      await expireCheckoutSession(ctx, session.id).catch(() => undefined)
      throw cause
    }
  }
  return session.url
}

/** Applies a paid session whose message is delayed or lost. */
async function applyCompletedSession(ctx: Ctx, session: Record<string, unknown>): Promise<void> {
  const message = parseMessage({
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

/** Deletes the row of a session that the provider has expired. */
export async function deleteExpiredCheckout(ctx: Ctx, session: string): Promise<void> {
  await writeUnaudited(ctx, "cleanup", [removeCheckout(session)])
}
