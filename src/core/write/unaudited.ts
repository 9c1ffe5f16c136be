// Lists the reasons for which a write has no audit entry.

export type UnauditedReason =
  /** The entry of another change covers it, such as the end of provisioning or a store's deletion. */
  | "audited_elsewhere"
  /** Challenges, single-use codes and the state of a session; sign-ins are audited. */
  | "authentication"
  /** Rows that expired, or that nothing refers to. */
  | "cleanup"
  /** Locks, leases and reservations that keep concurrent workers apart. */
  | "coordination"
  /** A copy of another system's state, such as a payment provider's. */
  | "external_state"
  /** Idempotency keys and their stored responses. */
  | "idempotency"
  /** When something was last used. */
  | "last_used"
  /** A mail in the outbox. */
  | "mail"
  /** A check that found nothing to change. */
  | "no_change"
  /** How far background work has come, such as the attempts of a delivery. */
  | "progress"
  /** A customer of a site makes the change; the audit log is about operators, keys and staff. */
  | "site_user"
  /** Metrics, usage snapshots and other counts. */
  | "statistics"
