// Changes a store's theme and preset together, for its owner and staff.
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import { type AuditRecord, applyChange } from "../../core/write/commit"
import { isNonEmpty } from "../../lib/non-empty"
import { findTheme } from "../../themes/catalog"
import { loadStore } from "./queries"
import { type StoreDetails, storeResource } from "./schemas"
import { guardedUpdate, withNextVersion } from "./service"
import { getChangedColumns, withTheme } from "./update"

/** The input of a change: slugs of the theme, and of one of its presets. */
interface Appearance {
  theme: string
  preset: string
}

/** Whether a theme has a preset. */
export const hasPreset = ({ theme, preset }: Appearance): boolean =>
  findTheme(theme)?.presets.some(({ slug }) => slug === preset) ?? false

/**
 * Switches to a theme, with the apps that it requires, and to one of its presets. Writes nothing when neither differs.
 * @throws Refusal `validation_failed` for a preset of another theme; else as `updateStore` for a theme
 */
export const changeAppearance = (ctx: Ctx, id: string, appearance: Appearance): Promise<StoreDetails> =>
  applyChange(
    ctx,
    () => loadStore(ctx, id),
    (facts) => {
      const themed = withTheme(ctx, facts, appearance.theme)
      if (!hasPreset(appearance)) throw invalid("preset", "selected")
      const changed = withPreset(ctx, themed.facts, appearance.preset)
      const auditLog = [...themed.auditLog, ...changed.auditLog]
      if (!isNonEmpty(auditLog)) return { result: facts }
      return {
        result: withNextVersion(changed.facts),
        change: { guard: guardedUpdate(facts, getChangedColumns(facts.store, changed.facts.store)), auditLog },
      }
    },
  )

function withPreset(ctx: Ctx, facts: StoreDetails, preset: string): { facts: StoreDetails; auditLog: AuditRecord[] } {
  const { store } = facts
  const change = { from: store.preset, to: preset }
  if (change.from === change.to) return { facts, auditLog: [] }
  const next = { ...facts, store: { ...store, preset, updatedAt: ctx.now } }
  const data = { store: storeResource(ctx.settings, next), changes: { preset: change } }
  return {
    facts: next,
    auditLog: [
      {
        audit: { storeId: store.id, type: "store_updated", data: { field: "preset", ...change } },
        events: [{ type: "store.updated", data }],
      },
    ],
  }
}
