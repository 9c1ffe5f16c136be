// Enables and disables apps as a step of a change: returns the next state and its audit records.

import type { Ctx } from "../../core/context"
import type { AuditRecord } from "../../core/write/commit"
import { type StoreDetails, storeResource } from "../stores/schemas"

export interface Step {
  facts: StoreDetails
  auditLog: AuditRecord[]
}

/** Enables apps in this order, with one audit entry and event each. */
export function withAppsEnabled(ctx: Ctx, facts: StoreDetails, slugs: readonly string[]): Step {
  const next = withApps(facts, [...facts.store.apps, ...slugs])
  return { facts: next, auditLog: slugs.map((slug) => buildAppRecord(ctx, next, slug, "enabled")) }
}

/** Disables an app. */
export function withAppDisabled(ctx: Ctx, facts: StoreDetails, slug: string): Step {
  const next = withApps(
    facts,
    facts.store.apps.filter((app) => app !== slug),
  )
  return { facts: next, auditLog: [buildAppRecord(ctx, next, slug, "disabled")] }
}

const withApps = (facts: StoreDetails, apps: string[]): StoreDetails => ({ ...facts, store: { ...facts.store, apps } })

const APP_EVENTS = { enabled: "app.enabled", disabled: "app.disabled" } as const

const buildAppRecord = (ctx: Ctx, facts: StoreDetails, slug: string, to: "enabled" | "disabled"): AuditRecord => ({
  audit: { storeId: facts.store.id, type: `app_${to}`, data: { [to === "enabled" ? "to" : "from"]: slug } },
  events: [{ type: APP_EVENTS[to], data: { store: storeResource(ctx.settings, facts), app: { slug } } }],
})
