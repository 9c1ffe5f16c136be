// Who asks for a change. The same four kinds appear in the audit trail and in every webhook's `meta.actor`.

export type Actor =
  | { type: "api_key"; id: number; name: string }
  | { type: "admin"; id: number; name: string }
  | { type: "system"; id: null; name: string }
  | { type: "customer"; id: number; name: string }

/** The platform itself: queues, cron, the payment provider's messages. */
export const SYSTEM: Actor = { type: "system", id: null, name: "system" }
