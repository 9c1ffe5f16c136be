// Updates a store's name, owner address and theme. The theme is applied first, because only that can be refused.
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Precondition } from "../../core/http/precondition"
import { Refusal } from "../../core/http/refusal"
import { type AuditRecord, applyChange } from "../../core/write/commit"
import type { EventDraft } from "../../core/write/events"
import { type InputColumns, listFields } from "../../lib/every-field"
import type { NonEmpty } from "../../lib/non-empty"
import { defaultPreset } from "../../themes/catalog"
import { enableRequiredApps } from "../themes/requirements"
import { getSwitchableTheme } from "../themes/rules"
import { loadStore } from "./queries"
import { type StoreDetails, searchText, storeResource, type UpdateStore } from "./schemas"
import { guardedUpdate, storeTag, withNextVersion } from "./service"

type Input = z.output<typeof UpdateStore>

type Store = StoreDetails["store"]

/** The column of each field that is stored as it is sent. */
const INPUT_COLUMNS = {
  name: "name",
  owner_email: "ownerEmail",
  theme: { omitted: "applied together with its preset and the apps that it requires" },
} as const satisfies InputColumns<Input, Store>

interface UpdateOptions {
  buildEvents?: (before: Store, after: Store) => EventDraft[]
  assertUnchanged?: ((current: Store) => void | Promise<void>) | undefined
}

/**
 * Applies the fields that differ; writes nothing when none does.
 * @param options `buildEvents` builds further events of the change; `assertUnchanged` throws for a store that changed
 *   since the caller read it
 * @throws Refusal `not_found`; `precondition_failed`; for a theme `theme_unavailable`, `theme_not_entitled`,
 *   `theme_requirement_not_entitled`, `store_unavailable`, before anything is written
 */
export const updateStore = (
  ctx: Ctx,
  id: string,
  input: Input,
  precondition?: Precondition,
  { buildEvents = () => [], assertUnchanged }: UpdateOptions = {},
): Promise<StoreDetails> =>
  applyChange(
    ctx,
    () => loadStore(ctx, id),
    async (facts) => {
      precondition?.(storeTag(facts))
      await assertUnchanged?.(facts.store)
      const themed = withTheme(ctx, facts, input.theme)
      const edited = withFields(ctx, themed.facts, input)
      const { store } = edited.facts
      const [first, ...others] = [...themed.auditLog, ...edited.auditLog]
      if (!first) return { result: facts }
      const events = [...(first.events ?? []), ...buildEvents(facts.store, store)]
      const auditLog: NonEmpty<AuditRecord> = [{ ...first, events }, ...others]
      const values = {
        ...getChangedColumns(facts.store, store),
        searchText: searchText(id, store.name, store.ownerEmail),
      }
      return {
        result: withNextVersion(edited.facts),
        change: { guard: guardedUpdate(facts, values), auditLog },
      }
    },
  )

/** The columns that a change makes different. */
export const getChangedColumns = (before: Store, after: Store): Partial<Store> =>
  Object.fromEntries(Object.entries(after).filter(([column, value]) => value !== before[column as keyof Store]))

interface Step {
  facts: StoreDetails
  auditLog: AuditRecord[]
}

/**
 * Switches the theme, with the apps that it requires.
 * @throws Refusal as `updateStore`
 */
export function withTheme(ctx: Ctx, facts: StoreDetails, slug: string | undefined): Step {
  const { store } = facts
  if (slug === undefined) return { facts, auditLog: [] }
  if (!store.database || !store.provisionedAt) throw new Refusal("store_unavailable")
  // The current theme may stay even if the plan no longer includes it.
  if (slug === store.theme) return { facts, auditLog: [] }
  const theme = getSwitchableTheme(slug, facts.subscription)
  const appearance = { theme: slug, preset: defaultPreset(theme), updatedAt: ctx.now }
  const switched = enableRequiredApps(ctx, { ...facts, store: { ...store, ...appearance } }, theme)
  const change = { from: store.theme, to: slug }
  const data = { store: storeResource(ctx.settings, switched.facts), theme: change }
  return {
    facts: switched.facts,
    auditLog: [
      {
        audit: { storeId: store.id, type: "theme_changed", data: change },
        events: [{ type: "store.theme_changed", data }],
      },
      ...switched.auditLog,
    ],
  }
}

function withFields(ctx: Ctx, facts: StoreDetails, input: Input): Step {
  const { store } = facts
  const changed = listFields(INPUT_COLUMNS).flatMap(([field, column]) => {
    const [from, to] = [store[column], input[field]]
    return to === undefined || to === from ? [] : [{ field, column, from, to }]
  })
  if (!changed.length) return { facts, auditLog: [] }
  const columns: Partial<Store> = Object.fromEntries(changed.map(({ column, to }) => [column, to]))
  const next = { ...facts, store: { ...store, ...columns, updatedAt: ctx.now } }
  const changes = Object.fromEntries(changed.map(({ field, from, to }) => [field, { from, to }]))
  // One audit entry per field, but one event for all fields, with the last entry.
  const data = { store: storeResource(ctx.settings, next), changes }
  const auditLog = changed.map(
    ({ field, from, to }, index): AuditRecord => ({
      audit: { storeId: store.id, type: "store_updated", data: { field, from, to } },
      events: index === changed.length - 1 ? [{ type: "store.updated", data }] : [],
    }),
  )
  return { facts: next, auditLog }
}
