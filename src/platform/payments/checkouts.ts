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
import { assertNever } from "../../lib/assert-never"
import { sha256 } from "../../lib/hash"
import { addMs, HOUR, MINUTE, SECOND } from "../../lib/time"
import type { StoreDetails } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import type { CardProvider, CheckoutSession, Purchase } from "./provider"
import { receiveMessage, removeCheckout } from "./receive"
import { replaceContentIds, resolveReference, toReference } from "./references"

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
 * @param provider sells the purchase; the store's current session may be of another one
 * @param facts the store that the purchase was decided on
 * @param open the store's current session
 * @returns the URL of the payment page
 * @throws Refusal `stripe_managed` when the current session is already paid, `card_disabled`, `provider_unreachable`
 * @throws WriteConflict when the store has changed in the meantime; its caller decides again
 */
export async function openCheckout(
  ctx: Ctx,
  provider: CardProvider,
  facts: StoreDetails,
  open: OpenCheckout | undefined,
  purchase: Purchase,
): Promise<string> {
  const terms = await sha256(JSON.stringify([provider.name, purchase]))
  const current = open && (await reuseOrExpire(ctx, facts.store.id, open, terms))
  if (current) return current
  const { seq, version } = facts.store
  // The minute is part of the key because the provider also replays failed responses.
  const minute = Math.floor(ctx.now.getTime() / MINUTE)
  const created = await provider.createCheckout(ctx, purchase, `checkout:${seq}:${version}:${minute}:${terms}`)
  if (created.id === null) return created.url
  const row = { session: toReference(provider, created.id), terms, createdAt: ctx.now }
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
    if (recorded?.session !== row.session) {
      // If this fails too, no one has the session's URL.
      await provider.expireCheckout(ctx, { id: created.id, store: facts.store.id }).catch(() => undefined)
      throw cause
    }
  }
  return created.url
}

/**
 * Returns the URL of the current session if it sells the same; otherwise ensures that it can no longer be paid.
 * @throws Refusal `stripe_managed` when it is already paid, `card_disabled`, `provider_unreachable`
 */
async function reuseOrExpire(ctx: Ctx, store: string, open: OpenCheckout, terms: string): Promise<string | null> {
  const { provider, id } = resolveReference(open.session)
  let session = await provider.readCheckout(ctx, { id, store })
  if (session && isPayable(session)) {
    const isRecent = ctx.now < addMs(open.createdAt, SESSION_REUSE_MS)
    if (session.status === "open" && session.url && open.terms === terms && isRecent) return session.url
    session = await provider.expireCheckout(ctx, { id, store })
  }
  if (session?.status !== "complete") return null
  await applyPaidSession(ctx, provider, open.session, session)
  throw new Refusal("stripe_managed")
}

/** Whether a session may still be paid. One of unknown status may be, so it is expired instead of reused. */
function isPayable({ status }: CheckoutSession): boolean {
  switch (status) {
    case "open":
    case "unknown":
      return true
    case "complete":
    case "expired":
      return false
    default:
      return assertNever(status)
  }
}

/** Applies a paid session whose message is delayed or lost. */
async function applyPaidSession(
  ctx: Ctx,
  provider: CardProvider,
  session: string,
  { payment }: CheckoutSession,
): Promise<void> {
  if (!payment) {
    ctx.log.error("a paid checkout session could not be applied", new Error("it is unreadable"), { session })
    throw new Refusal("provider_unreachable")
  }
  const created = Math.floor(ctx.now.getTime() / SECOND)
  const message = { id: `completed:${session}`, created, ...replaceContentIds(provider, payment) }
  await receiveMessage({ ...ctx, actor: SYSTEM, interface: "system" }, message)
}

/** Deletes the row of a session that the provider has expired. */
export async function deleteExpiredCheckout(ctx: Ctx, session: string): Promise<void> {
  await writeUnaudited(ctx, "cleanup", [removeCheckout(session)])
}
