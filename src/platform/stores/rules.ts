// Pure rules for a store's lifecycle: each throws a refusal when the action is not allowed in the current state.
import { Refusal } from "../../core/http/refusal"
import type { StoreStatus } from "../../db/schema/central/stores"
import { addMs, MINUTE, SECOND } from "../../lib/time"
import { isReserved } from "./reserved"
import type { StoreDetails } from "./schemas"

type Store = StoreDetails["store"]

/** A provisioning run that has not finished after this time is considered dead, and another may start. */
export const PROVISIONING_LEASE = 90 * SECOND

/** Transient provisioning errors are retried for this long after the first attempt; at least six leases. */
export const PROVISIONING_RETRY_WINDOW = 30 * MINUTE

/**
 * Asserts that a new store may take a subdomain.
 * @throws Refusal `subdomain_reserved`, `subdomain_taken`, in that order
 */
export function assertSubdomainAvailable(subdomain: string, taken: boolean): void {
  if (isReserved(subdomain)) throw new Refusal("subdomain_reserved")
  if (taken) throw new Refusal("subdomain_taken")
}

/** Statuses of a store that is not provisioned yet, or failed to be. */
const UNPROVISIONED: readonly StoreStatus[] = ["pending", "provisioning", "failed"]

/**
 * Asserts that a store has finished provisioning.
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
 * Asserts that a store may be deleted.
 * @param confirm the id that the caller typed to confirm
 * @throws Refusal `confirm_mismatch`, `still_provisioning`, in that order
 */
export function assertDeletable(store: Store, confirm: string, now: Date): void {
  if (confirm !== store.id) throw new Refusal("confirm_mismatch")
  if (isBeingProvisioned(store, now)) throw new Refusal("still_provisioning")
}

/** Whether a provisioning run is due or may still be writing, even after the subscription was cancelled. */
function isBeingProvisioned({ status, provisionedAt, provisioningStartedAt }: Store, now: Date): boolean {
  if (status === "pending" || status === "provisioning") return true
  if (status !== "cancelled" || provisionedAt || !provisioningStartedAt) return false
  return addMs(provisioningStartedAt, PROVISIONING_LEASE) > now
}
