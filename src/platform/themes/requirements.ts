// The apps that a theme requires, switched on at the store that puts the theme on.
import type { Happening } from "../../core/commit"
import type { Ctx } from "../../core/context"
import type { Theme } from "../../themes/catalog"
import { type StoreFacts, storeResource } from "../stores/schemas"

/**
 * Switches on what a store lacks of its theme's apps.
 * @returns the store with them, and what happened
 */
export function withRequiredApps(
  ctx: Ctx,
  facts: StoreFacts,
  theme: Theme,
): { facts: StoreFacts; happenings: Happening[] } {
  const { store } = facts
  const missing = theme.requires.filter((slug) => !store.apps.includes(slug))
  const next = { ...facts, store: { ...store, apps: [...store.apps, ...missing] } }
  return {
    facts: next,
    happenings: missing.map((slug) => ({
      audit: { storeId: store.id, type: "app_enabled", data: { to: slug } },
      events: [{ type: "app.enabled", store: storeResource(ctx.settings, next), data: { app: { slug } } }],
    })),
  }
}
