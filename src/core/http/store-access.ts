// Whether a store's hosts lead to it, and what a visitor gets there. Pure.
import type { StoreStatus } from "../../db/schema/central/stores"

/** What a visitor of a store gets: it is being prepared, it serves, it is closed, or it never came to be. */
const ACCESS = {
  pending: "preparing",
  provisioning: "preparing",
  ready: "serving",
  failed: "unavailable",
  suspended: "suspended",
  cancelled: "suspended",
} as const satisfies Record<StoreStatus, string>

/** Every status a store can have. */
export const STORE_STATUSES = Object.keys(ACCESS) as [StoreStatus, ...StoreStatus[]]

/** What a visitor of the store gets now. */
export const accessState = (status: StoreStatus) => ACCESS[status]

/** The statuses in which a visitor gets this. */
export const statusesOf = (access: ReturnType<typeof accessState>): StoreStatus[] =>
  STORE_STATUSES.filter((status) => ACCESS[status] === access)

/** Whether a domain leads to its store: the fallback always, a custom one once it was verified. */
export const isRoutable = (domain: { isFallback: boolean; verifiedAt: Date | null }): boolean =>
  domain.isFallback || domain.verifiedAt !== null
