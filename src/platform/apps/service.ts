// Reads, enables and disables a store's apps. The enabled apps are a column of the store's row, so a change is one
// guarded commit with its audit entry and event, and every read of the store has its apps.

import { findApp } from "../../apps/registry"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { applyChange, type Change } from "../../core/write/commit"
import { isNonEmpty } from "../../lib/non-empty"
import { loadStore } from "../stores/queries"
import type { StoreDetails } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { appsToEnable, assertNotRequired } from "./rules"
import { type Step, withAppDisabled, withAppsEnabled } from "./switch"

/**
 * Reads a store for its apps.
 * @throws Refusal `not_found`, `store_unavailable`
 */
export const readApps = async (ctx: Ctx, storeId: string): Promise<StoreDetails> =>
  requireSiteDatabase(ctx, await loadStore(ctx, storeId))

/**
 * Enables an app, and the apps it requires first. Does nothing when it is enabled.
 * @throws Refusal `not_found` for the store or the app; `store_unavailable`, `not_entitled`, `requirement_not_entitled`
 */
export const enableApp = (ctx: Ctx, storeId: string, slug: string): Promise<StoreDetails> =>
  applyChange(
    ctx,
    () => loadStore(ctx, storeId),
    (facts) => {
      const { store, subscription } = requireInstalled(ctx, facts, slug)
      const missing = appsToEnable(slug, store.apps, subscription?.plan)
      const next = withAppsEnabled(ctx, facts, missing)
      return { result: next.facts, change: buildChange(facts, next) }
    },
  )

/**
 * Disables an app; its rows stay for the next time it is enabled. Does nothing when it is disabled.
 * @throws Refusal `not_found` for the store or the app; `store_unavailable`, `still_required`
 */
export const disableApp = (ctx: Ctx, storeId: string, slug: string): Promise<StoreDetails> =>
  applyChange(
    ctx,
    () => loadStore(ctx, storeId),
    (facts) => {
      const { store } = requireInstalled(ctx, facts, slug)
      if (!store.apps.includes(slug)) return { result: facts }
      assertNotRequired(slug, store.apps)
      const next = withAppDisabled(ctx, facts, slug)
      return { result: next.facts, change: buildChange(facts, next) }
    },
  )

/** Builds the change; undefined when no app was switched. */
const buildChange = (facts: StoreDetails, { facts: next, auditLog }: Step): Change | undefined =>
  isNonEmpty(auditLog) ? { guard: guardedUpdate(facts, { apps: next.store.apps }), auditLog } : undefined

/** Asserts that the app exists and the store's site database is available. */
function requireInstalled(ctx: Ctx, facts: StoreDetails, slug: string): StoreDetails {
  if (!findApp(slug)) throw new Refusal("not_found")
  return requireSiteDatabase(ctx, facts)
}

/** Asserts that the store has a site database that is bound. */
function requireSiteDatabase(ctx: Ctx, facts: StoreDetails): StoreDetails {
  const { database, provisionedAt } = facts.store
  if (!database || !provisionedAt || !ctx.settings.SITE_DATABASES.includes(database)) {
    throw new Refusal("store_unavailable")
  }
  return facts
}
