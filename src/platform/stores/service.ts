// Lists, reads and suspends stores. Creating, updating, resuming, removing and provisioning have their own files.

import { and, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { type Precondition, versionTag } from "../../core/http/precondition"
import type { Page } from "../../core/list/page"
import { applyChange, type Change } from "../../core/write/commit"
import { stores } from "../../db/schema/central/stores"
import { update, type Write } from "../../db/write"
import { formatTimestamp } from "../../lib/time"
import { buildMailWrite, enqueueMailRun } from "../../mails/outbox"
import { buildOwnerMail } from "../subscriptions/mail"
import { type OperatorAction, subscriptionResource } from "../subscriptions/schemas"
import { loadStore, loadStorePage } from "./queries"
import { assertSuspendable } from "./rules"
import { type ListStores, type StoreDetails, storeResource } from "./schemas"

/**
 * Lists stores, newest first.
 * @param seqs the only stores to list; null for all
 */
export const listStores = (
  ctx: Ctx,
  input: z.output<typeof ListStores>,
  seqs: readonly number[] | null = null,
): Promise<Page<StoreDetails>> =>
  loadStorePage(ctx.db, input, {
    status: input.status,
    q: input.q,
    updatedSince: input.updated_since,
    seqs,
  })

/** Returns the ETag of a store: its version, which changes with the store, its subscription, domains and apps. */
export const storeTag = ({ store }: Pick<StoreDetails, "store">): string => versionTag(store.seq, store.version)

/** Returns the current incarnation of each of these stores. */
export const readIncarnations = (ctx: Ctx, ids: readonly string[]) =>
  ctx.db
    .select({ id: stores.id, seq: stores.seq, createdAt: stores.createdAt })
    .from(stores)
    .where(sql`${stores.id} in (select value from json_each(${JSON.stringify(ids)}))`)

/** @throws Refusal `not_found` */
export const readStore = (ctx: Ctx, id: string): Promise<StoreDetails> => loadStore(ctx, id)

/**
 * Takes a store offline, in every state of its subscription. A payment does not reopen it.
 * @param input the reason is shown to the owner, never to visitors
 * @throws Refusal `not_found`, `precondition_failed`, `not_provisioned`, `illegal_transition`
 */
export async function suspendStore(
  ctx: Ctx,
  id: string,
  input: OperatorAction = { notify: false },
  precondition?: Precondition,
): Promise<StoreDetails> {
  const facts = await applyChange(
    ctx,
    () => loadStore(ctx, id),
    (loaded) => {
      precondition?.(storeTag(loaded))
      assertSuspendable(loaded.store)
      const values = {
        status: "suspended",
        operatorSuspendedAt: ctx.now,
        suspensionReason: input.reason ?? null,
      } as const
      return changeStatus(ctx, loaded, values, "suspended", input)
    },
  )
  if (input.notify) enqueueMailRun(ctx)
  return facts
}

/** The columns that suspending and resuming change. */
type SuspensionValues = Pick<StoreDetails["store"], "status" | "operatorSuspendedAt" | "suspensionReason">

const STATUS_EVENTS = { suspended: "store.suspended", resumed: "store.resumed" } as const

/** Builds the change of a store's status, with its audit entry, event and mail. */
export function changeStatus(
  ctx: Ctx,
  facts: StoreDetails,
  values: SuspensionValues,
  type: "suspended" | "resumed",
  { reason, notify }: OperatorAction,
): { change: Change; result: StoreDetails } {
  const next = { ...facts, store: { ...facts.store, ...values, updatedAt: ctx.now } }
  const about = formatTimestamp(ctx.now)
  const mail = buildOwnerMail(ctx.settings, next, `${type}_by_operator`, about, { reason: reason ?? null })
  return {
    result: withNextVersion(next),
    change: {
      guard: guardedUpdate(facts, { ...values, updatedAt: ctx.now }),
      writes: notify ? [buildMailWrite(ctx, mail)] : [],
      auditLog: [
        {
          audit: {
            storeId: facts.store.id,
            type,
            from: facts.store.status,
            to: values.status,
            ...(reason && { data: { reason } }),
          },
          events: [
            {
              type: STATUS_EVENTS[type],
              data: {
                store: storeResource(ctx.settings, next),
                subscription: facts.subscription && subscriptionResource(facts.subscription),
              },
              withLog: true,
            },
          ],
        },
      ],
    },
  }
}

/** Returns a store as `guardedUpdate` leaves it. */
export const withNextVersion = (facts: StoreDetails): StoreDetails => ({
  ...facts,
  store: { ...facts.store, version: facts.store.version + 1 },
})

/**
 * Builds an update of a store's row that takes effect only while the row's version is the one that was loaded.
 * @param condition an additional condition
 */
export const guardedUpdate = (
  { store }: Pick<StoreDetails, "store">,
  values: Partial<typeof stores.$inferInsert>,
  condition?: SQL,
): Write =>
  update(stores)
    .set({ ...values, version: store.version + 1 })
    .where(and(eq(stores.id, store.id), eq(stores.seq, store.seq), eq(stores.version, store.version), condition))
