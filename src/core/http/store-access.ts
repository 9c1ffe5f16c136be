// Maps a store's status to what visitors get, and decides whether a domain is routed. Pure.
import type { StoreStatus } from "../../db/schema/central/stores"

/** The state that visitors of a store see, by status. */
const ACCESS = {
  pending: "preparing",
  provisioning: "preparing",
  ready: "serving",
  failed: "unavailable",
  suspended: "suspended",
  cancelled: "suspended",
} as const satisfies Record<StoreStatus, string>

/** Every store status. */
export const STORE_STATUSES = Object.keys(ACCESS) as [StoreStatus, ...StoreStatus[]]

/** Returns the state that visitors of a store see. */
export const accessState = (status: StoreStatus) => ACCESS[status]

/** Returns the store statuses in which visitors see this state. */
export const statusesOf = (access: ReturnType<typeof accessState>): StoreStatus[] =>
  STORE_STATUSES.filter((status) => ACCESS[status] === access)

/** Whether a domain is routed to its store: a fallback always, a custom domain once verified. */
export const isRoutable = (domain: { isFallback: boolean; verifiedAt: Date | null }): boolean =>
  domain.isFallback || domain.verifiedAt !== null
