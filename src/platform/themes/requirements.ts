// The apps that a theme requires, switched on at the store that puts the theme on.

import type { Ctx } from "../../core/context"
import type { AuditRecord } from "../../core/write/commit"
import type { Theme } from "../../themes/catalog"
import { switchOn } from "../apps/switch"
import type { StoreFacts } from "../stores/schemas"
import { requiredApps } from "./rules"

/**
 * Switches on what a store lacks of its theme's apps, and of what these require.
 * @returns the store with them, and what happened
 */
export function withRequiredApps(
  ctx: Ctx,
  facts: StoreFacts,
  theme: Theme,
): { facts: StoreFacts; trail: AuditRecord[] } {
  const missing = requiredApps(theme).filter((app) => !facts.store.apps.includes(app))
  return switchOn(ctx, facts, missing)
}
