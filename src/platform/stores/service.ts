// Lists, reads, suspends and resumes stores. Creating, updating, removing and provisioning have their own files.

import { and, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { type Precondition, versionTag } from "../../core/http/precondition"
import type { Page } from "../../core/list/page"
import { applyChange, type Change } from "../../core/write/commit"
import type { StoreAuditType } from "../../db/schema/central/audit"
import { type StoreStatus, stores } from "../../db/schema/central/stores"
import { update, type Write } from "../../db/write"
import { subscriptionResource } from "../subscriptions/schemas"
import { loadStore, loadStorePage } from "./queries"
import { assertResumable, assertSuspendable } from "./rules"
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
 * Takes a store offline.
 * @throws Refusal `not_found`, `precondition_failed`, `not_provisioned`, `illegal_transition`
 */
export const suspendStore = (ctx: Ctx, id: string, precondition?: Precondition): Promise<StoreDetails> =>
  applyChange(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      precondition?.(storeTag(facts))
      assertSuspendable(facts.store)
      return changeStatus(ctx, facts, "suspended", "suspended", "store.suspended")
    },
  )

/**
 * Brings a suspended store back online.
 * @throws Refusal `not_found`, `precondition_failed`, `not_provisioned`, `illegal_transition`
 */
export const resumeStore = (ctx: Ctx, id: string, precondition?: Precondition): Promise<StoreDetails> =>
  applyChange(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      precondition?.(storeTag(facts))
      assertResumable(facts.store)
      return changeStatus(ctx, facts, "ready", "resumed", "store.resumed")
    },
  )

/** Builds the change of a store's status, with its audit entry and event. */
function changeStatus(
  ctx: Ctx,
  facts: StoreDetails,
  to: StoreStatus,
  type: StoreAuditType,
  event: "store.suspended" | "store.resumed",
): { change: Change; result: StoreDetails } {
  const next = { ...facts, store: { ...facts.store, status: to, updatedAt: ctx.now } }
  return {
    result: next,
    change: {
      guard: guardedUpdate(facts, { status: to, updatedAt: ctx.now }),
      auditLog: [
        {
          audit: { storeId: facts.store.id, type, from: facts.store.status, to },
          events: [
            {
              type: event,
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
