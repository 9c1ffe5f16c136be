// What may be done to a store. Pure: the state, the wish and the moment in, a refusal or the next state out.
import { Refusal } from "../../core/http/refusal"
import type { StoreStatus } from "../../db/schema/central/stores"
import { later, MINUTE } from "../../lib/time"
import { isReserved } from "./reserved"
import type { StoreFacts } from "./schemas"

type Store = StoreFacts["store"]

/** After this long a provisioning run that did not finish is taken for dead, and another may start. */
export const PROVISIONING_LEASE = 5 * MINUTE

/** Transient errors of a provisioning are retried for so long after its first attempt, which is at least six leases. */
export const PROVISIONING_PATIENCE = 30 * MINUTE

/**
 * Whether a store of this subdomain may be made.
 * @throws Refusal `subdomain_reserved`, `subdomain_taken`, in that order
 */
export function assertFree(subdomain: string, taken: boolean): void {
  if (isReserved(subdomain)) throw new Refusal("subdomain_reserved")
  if (taken) throw new Refusal("subdomain_taken")
}

/** Statuses of a store that was never, or is not yet, provisioned. */
const UNPROVISIONED: readonly StoreStatus[] = ["pending", "provisioning", "failed"]

/**
 * Holds a store to having been provisioned once, whatever became of it since.
 * @throws Refusal `not_provisioned`
 */
export function assertProvisioned({ status, provisionedAt }: Pick<Store, "status" | "provisionedAt">): void {
  if (!provisionedAt || UNPROVISIONED.includes(status)) throw new Refusal("not_provisioned")
}

/** @throws Refusal `not_provisioned`, `illegal_transition` */
export function assertSuspendable(store: Store): void {
  assertProvisioned(store)
  if (store.status !== "ready") throw new Refusal("illegal_transition")
}

/** @throws Refusal `not_provisioned`, `illegal_transition` */
export function assertResumable(store: Store): void {
  assertProvisioned(store)
  if (store.status !== "suspended") throw new Refusal("illegal_transition")
}

/**
 * Whether a store may be deleted.
 * @param confirm what the caller typed to confirm
 * @throws Refusal `confirm_mismatch`, `still_provisioning`, in that order
 */
export function assertDeletable(store: Store, confirm: string, now: Date): void {
  if (confirm !== store.id) throw new Refusal("confirm_mismatch")
  if (isBeingProvisioned(store, now)) throw new Refusal("still_provisioning")
}

/** Whether a provisioning run is to come, or may still be writing, also behind a subscription cancelled meanwhile. */
function isBeingProvisioned({ status, provisionedAt, provisioningStartedAt }: Store, now: Date): boolean {
  if (status === "pending" || status === "provisioning") return true
  if (status !== "cancelled" || provisionedAt || !provisioningStartedAt) return false
  return later(provisioningStartedAt, PROVISIONING_LEASE) > now
}
