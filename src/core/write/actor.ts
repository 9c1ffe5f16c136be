// Who asks for a change, as the trail keeps it. A key is named by its own kind, because each kind is numbered by itself.

export type Actor =
  | { type: "api_key"; id: number; name: string }
  | { type: "license_key"; id: number; name: string }
  | { type: "site_token"; id: number; name: string }
  /** A site has one key of its own, and no number for it. */
  | { type: "site_key"; id: null; name: string }
  | { type: "admin"; id: number; name: string }
  | { type: "system"; id: null; name: string }
  | { type: "customer"; id: number; name: string }

/** The platform itself: queues, cron, the payment provider's messages. */
export const SYSTEM: Actor = { type: "system", id: null, name: "system" }

/** The actor as a webhook's `meta.actor` names it: of four kinds, with the number of a control-plane key only among keys. */
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
  }
}
