// Changing a store: its name, its owner's address, its theme. The theme goes first, because it alone can refuse.
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { change, type AuditRecord } from "../../core/write/commit"
import { defaultPreset } from "../../themes/catalog"
import { withRequiredApps } from "../themes/requirements"
import { switchableTheme } from "../themes/rules"
import { loadStore } from "./queries"
import { type StoreFacts, searchText, storeResource, type UpdateStore } from "./schemas"
import { guardedUpdate } from "./service"

/**
 * Applies what differs; nothing at all when nothing does.
 * @throws Refusal `not_found`; with a theme `theme_unavailable`, `theme_not_entitled`, `theme_requirement_not_entitled`,
 *   `store_unavailable`, before anything is written
 */
export const updateStore = (ctx: Ctx, id: string, input: z.output<typeof UpdateStore>): Promise<StoreFacts> =>
  change(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      const themed = withTheme(ctx, facts, input.theme)
      const edited = withFields(ctx, themed.facts, input)
      const trail = [...themed.trail, ...edited.trail]
      if (!trail.length) return { answer: facts }
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
      return { answer: edited.facts, change: { guard: guardedUpdate(facts, values), trail } }
    },
  )

interface Step {
  facts: StoreFacts
  trail: AuditRecord[]
}

function withTheme(ctx: Ctx, facts: StoreFacts, slug: string | undefined): Step {
  const { store } = facts
  if (slug === undefined) return { facts, trail: [] }
  if (!store.database || !store.provisionedAt) throw new Refusal("store_unavailable")
  // A theme that is on stays on, also where the plan of today would not give it.
  if (slug === store.theme) return { facts, trail: [] }
  const theme = switchableTheme(slug, facts.subscription)
  const look = { theme: slug, preset: defaultPreset(theme), updatedAt: ctx.now }
  const switched = withRequiredApps(ctx, { ...facts, store: { ...store, ...look } }, theme)
  const data = { theme: { from: store.theme, to: slug } }
  const event = { type: "store.theme_changed", store: storeResource(ctx.settings, switched.facts), data }
  return {
    facts: switched.facts,
    trail: [
      { audit: { storeId: store.id, type: "theme_changed", data: data.theme }, events: [event] },
      ...switched.trail,
    ],
  }
}

function withFields(ctx: Ctx, facts: StoreFacts, input: z.output<typeof UpdateStore>): Step {
  const { store } = facts
  const changes: Record<string, { from: string; to: string }> = {}
  if (input.name !== undefined && input.name !== store.name) changes.name = { from: store.name, to: input.name }
  if (input.owner_email !== undefined && input.owner_email !== store.ownerEmail) {
    changes.owner_email = { from: store.ownerEmail, to: input.owner_email }
  }
  if (!Object.keys(changes).length) return { facts, trail: [] }
  const next = {
    ...facts,
    store: {
      ...store,
      name: input.name ?? store.name,
      ownerEmail: input.owner_email ?? store.ownerEmail,
      updatedAt: ctx.now,
    },
  }
  // One entry a field, for the trail; one event for all of them, behind the last.
  const event = { type: "store.updated", store: storeResource(ctx.settings, next), data: { changes } }
  const trail = Object.entries(changes).map(
    ([field, { from, to }], index, all): AuditRecord => ({
      audit: { storeId: store.id, type: "store_updated", data: { field, from, to } },
      events: index === all.length - 1 ? [event] : [],
    }),
  )
  return { facts: next, trail }
}
