// Enables the apps that a theme requires when a store switches to the theme.

import type { Ctx } from "../../core/context"
import type { AuditRecord } from "../../core/write/commit"
import type { Theme } from "../../themes/catalog"
import { withAppsEnabled } from "../apps/switch"
import type { StoreDetails } from "../stores/schemas"
import { listRequiredApps } from "./rules"

/**
 * Enables the missing apps that a theme requires, including their own requirements.
 * @returns the store with these apps, and the audit records
 */
export function enableRequiredApps(
  ctx: Ctx,
  facts: StoreDetails,
  theme: Theme,
): { facts: StoreDetails; auditLog: AuditRecord[] } {
  const missing = listRequiredApps(theme).filter((app) => !facts.store.apps.includes(app))
  return withAppsEnabled(ctx, facts, missing)
}
