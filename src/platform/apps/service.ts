// The verbs of a store's apps. Which apps are on stands on the store's own row, so that a switch is one guarded commit with its
// trail and its event, and every host that reads the store knows its apps.

import { findPlugin } from "../../apps/registry"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { change } from "../../core/write/commit"
import { loadStore } from "../stores/queries"
import type { StoreFacts } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { appsToEnable, assertDispensable } from "./rules"
import { switchOff, switchOn } from "./switch"

/**
 * The store whose apps are asked for.
 * @throws Refusal `not_found`, `store_unavailable`
 */
export const readApps = async (ctx: Ctx, storeId: string): Promise<StoreFacts> =>
  reachable(ctx, await loadStore(ctx, storeId))

/**
 * Switches an app on, and before it what it requires. Changes nothing when it is on.
 * @throws Refusal `not_found` for the store or the app; `store_unavailable`, `not_entitled`, `requirement_not_entitled`
 */
export const enableApp = (ctx: Ctx, storeId: string, slug: string): Promise<StoreFacts> =>
  change(
    ctx,
    () => loadStore(ctx, storeId),
    (facts) => {
      const { store, subscription } = installed(ctx, facts, slug)
      const missing = appsToEnable(slug, store.apps, subscription?.plan)
      if (!missing.length) return { answer: facts }
      const next = switchOn(ctx, facts, missing)
      return { answer: next.facts, change: changeOf(facts, next) }
    },
  )

/**
 * Switches an app off; its rows stay for the day it is switched on again. Changes nothing when it is off.
 * @throws Refusal `not_found` for the store or the app; `store_unavailable`, `still_required`
 */
export const disableApp = (ctx: Ctx, storeId: string, slug: string): Promise<StoreFacts> =>
  change(
    ctx,
    () => loadStore(ctx, storeId),
    (facts) => {
      const { store } = installed(ctx, facts, slug)
      if (!store.apps.includes(slug)) return { answer: facts }
      assertDispensable(slug, store.apps)
      const next = switchOff(ctx, facts, slug)
      return { answer: next.facts, change: changeOf(facts, next) }
    },
  )

const changeOf = (facts: StoreFacts, next: ReturnType<typeof switchOn>) => ({
  guard: guardedUpdate(facts, { apps: next.facts.store.apps }),
  trail: next.trail,
})

/** The store, once it is settled that it can have this app at all. */
function installed(ctx: Ctx, facts: StoreFacts, slug: string): StoreFacts {
  if (!findPlugin(slug)) throw new Refusal("not_found")
  return reachable(ctx, facts)
}

/** The store, once it is settled that it was given a site database, and one that is bound today. */
function reachable(ctx: Ctx, facts: StoreFacts): StoreFacts {
  const { database, provisionedAt } = facts.store
  if (!database || !provisionedAt || !ctx.settings.SITE_DATABASES.includes(database)) {
    throw new Refusal("store_unavailable")
  }
  return facts
}
