// Updates a store's name, owner address and theme. The theme is applied first, because only that can be refused.
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { type AuditRecord, applyChange } from "../../core/write/commit"
import { isNonEmpty } from "../../lib/non-empty"
import { defaultPreset } from "../../themes/catalog"
import { enableRequiredApps } from "../themes/requirements"
import { getSwitchableTheme } from "../themes/rules"
import { loadStore } from "./queries"
import { type StoreDetails, searchText, storeResource, type UpdateStore } from "./schemas"
import { guardedUpdate } from "./service"

/**
 * Applies the fields that differ; writes nothing when none does.
 * @throws Refusal `not_found`; for a theme `theme_unavailable`, `theme_not_entitled`, `theme_requirement_not_entitled`,
 *   `store_unavailable`, before anything is written
 */
export const updateStore = (ctx: Ctx, id: string, input: z.output<typeof UpdateStore>): Promise<StoreDetails> =>
  applyChange(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      const themed = withTheme(ctx, facts, input.theme)
      const edited = withFields(ctx, themed.facts, input)
      const auditLog = [...themed.auditLog, ...edited.auditLog]
      if (!isNonEmpty(auditLog)) return { result: facts }
      const { name, ownerEmail, theme, preset, apps } = edited.facts.store
      const values = {
        name,
        ownerEmail,
        theme,
        preset,
        apps,
        searchText: searchText(id, name, ownerEmail),
        updatedAt: ctx.now,
      }
      return { result: edited.facts, change: { guard: guardedUpdate(facts, values), auditLog } }
    },
  )

interface Step {
  facts: StoreDetails
  auditLog: AuditRecord[]
}

function withTheme(ctx: Ctx, facts: StoreDetails, slug: string | undefined): Step {
  const { store } = facts
  if (slug === undefined) return { facts, auditLog: [] }
  if (!store.database || !store.provisionedAt) throw new Refusal("store_unavailable")
  // The current theme may stay even if the plan no longer includes it.
  if (slug === store.theme) return { facts, auditLog: [] }
  const theme = getSwitchableTheme(slug, facts.subscription)
  const appearance = { theme: slug, preset: defaultPreset(theme), updatedAt: ctx.now }
  const switched = enableRequiredApps(ctx, { ...facts, store: { ...store, ...appearance } }, theme)
  const data = { theme: { from: store.theme, to: slug } }
  const event = { type: "store.theme_changed", store: storeResource(ctx.settings, switched.facts), data }
  return {
    facts: switched.facts,
    auditLog: [
      { audit: { storeId: store.id, type: "theme_changed", data: data.theme }, events: [event] },
      ...switched.auditLog,
    ],
  }
}

function withFields(ctx: Ctx, facts: StoreDetails, input: z.output<typeof UpdateStore>): Step {
  const { store } = facts
  const changes: Record<string, { from: string; to: string }> = {}
  if (input.name !== undefined && input.name !== store.name) changes.name = { from: store.name, to: input.name }
  if (input.owner_email !== undefined && input.owner_email !== store.ownerEmail) {
    changes.owner_email = { from: store.ownerEmail, to: input.owner_email }
  }
  if (!Object.keys(changes).length) return { facts, auditLog: [] }
  const next = {
    ...facts,
    store: {
      ...store,
      name: input.name ?? store.name,
      ownerEmail: input.owner_email ?? store.ownerEmail,
      updatedAt: ctx.now,
    },
  }
  // One audit entry per field, but one event for all fields, with the last entry.
  const event = { type: "store.updated", store: storeResource(ctx.settings, next), data: { changes } }
  const auditLog = Object.entries(changes).map(
    ([field, { from, to }], index, all): AuditRecord => ({
      audit: { storeId: store.id, type: "store_updated", data: { field, from, to } },
      events: index === all.length - 1 ? [event] : [],
    }),
  )
  return { facts: next, auditLog }
}
