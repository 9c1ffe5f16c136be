// Switching apps on and off, as a step of a change: the store as it is afterwards, and what happened.

import type { Ctx } from "../../core/context"
import type { AuditRecord } from "../../core/write/commit"
import { type StoreFacts, storeResource } from "../stores/schemas"

interface Step {
  facts: StoreFacts
  trail: AuditRecord[]
}

/** Switches apps on, in this order; one entry and one event each. */
export function switchOn(ctx: Ctx, facts: StoreFacts, slugs: readonly string[]): Step {
  const next = withApps(facts, [...facts.store.apps, ...slugs])
  return { facts: next, trail: slugs.map((slug) => switched(ctx, next, slug, "enabled")) }
}

/** Switches an app off. */
export function switchOff(ctx: Ctx, facts: StoreFacts, slug: string): Step {
  const next = withApps(
    facts,
    facts.store.apps.filter((app) => app !== slug),
  )
  return { facts: next, trail: [switched(ctx, next, slug, "disabled")] }
}

const withApps = (facts: StoreFacts, apps: string[]): StoreFacts => ({ ...facts, store: { ...facts.store, apps } })

const switched = (ctx: Ctx, facts: StoreFacts, slug: string, to: "enabled" | "disabled"): AuditRecord => ({
  audit: { storeId: facts.store.id, type: `app_${to}`, data: { [to === "enabled" ? "to" : "from"]: slug } },
  events: [{ type: `app.${to}`, store: storeResource(ctx.settings, facts), data: { app: { slug } } }],
})
