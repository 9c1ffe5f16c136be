// Actors: the caller of a change, as the audit log stores it. Every kind of key has its own type, because ids overlap
// between kinds.
import { assertNever } from "../../lib/assert-never"

export type Actor =
  | { type: "api_key"; id: number; name: string }
  | { type: "license_key"; id: number; name: string }
  | { type: "site_token"; id: number; name: string }
  /** A site has a single key, so there is no id. */
  | { type: "site_key"; id: null; name: string }
  | { type: "admin"; id: number; name: string }
  | { type: "system"; id: null; name: string }
  | { type: "customer"; id: number; name: string }

/** The platform itself: queue consumers, cron jobs, payment webhooks. */
export const SYSTEM: Actor = { type: "system", id: null, name: "system" }

/**
 * The actor as a webhook's `meta.actor` shows it: one of four types. Of the keys, only control-plane keys show their
 * id.
 */
export function publishedActor(actor: Actor): { type: string; id: number | null; name: string } {
  switch (actor.type) {
    case "license_key":
    case "site_token":
    case "site_key":
      return { type: "api_key", id: null, name: actor.name }
    case "api_key":
    case "admin":
    case "system":
    case "customer":
      return actor
    default:
      return assertNever(actor)
  }
}
