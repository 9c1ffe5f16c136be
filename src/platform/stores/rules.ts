// What may be done to a store. Pure: the state, the wish and the moment in, a refusal or the next state out.
import { Refusal } from "../../core/refusal"
import type { StoreStatus } from "../../db/schema/central/stores"
import { isReserved } from "./reserved"

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

/** @throws Refusal `not_provisioned` */
export function assertProvisioned(status: StoreStatus): void {
  if (UNPROVISIONED.includes(status)) throw new Refusal("not_provisioned")
}

/** @throws Refusal `not_provisioned`, `illegal_transition` */
export function assertSuspendable(status: StoreStatus): void {
  assertProvisioned(status)
  if (status !== "ready") throw new Refusal("illegal_transition")
}

/** @throws Refusal `not_provisioned`, `illegal_transition` */
export function assertResumable(status: StoreStatus): void {
  assertProvisioned(status)
  if (status !== "suspended") throw new Refusal("illegal_transition")
}

/**
 * @param confirm what the caller typed to confirm
 * @throws Refusal `confirm_mismatch`, `still_provisioning`, in that order
 */
export function assertDeletable(store: { id: string; status: StoreStatus }, confirm: string): void {
  if (confirm !== store.id) throw new Refusal("confirm_mismatch")
  if (store.status === "pending" || store.status === "provisioning") throw new Refusal("still_provisioning")
}
