// Paths of pages that other pages link to.
export const LOGIN_PATH = "/console/login"
export const INVITATION_PATH = "/console/invitation"
export const SEARCH = "/console/search"
export const STORES = "/console/stores"
export const PRODUCTS = "/console/products"
export const LICENSES = "/console/licenses"
export const ENDPOINTS = "/console/webhooks"
export const INVOICES = "/console/invoices"
export const ACCOUNT_VIEWS = "/console/account/views"
export const ACTIVATIONS = "/console/activations"

/** The lists that have saved views. */
export const LISTS_WITH_VIEWS: ReadonlySet<string> = new Set(
  [
    ...["stores", "domains", "subscriptions", "orders", "payments", "invoices", "deliveries", "events"],
    ...["licenses", "activations", "audit"],
  ].map((name) => `/console/${name}`),
)

/** Pages of a store and of its site. */
const STORE_PATH = /^\/console\/(?:stores|sites)\/(?!bulk$)([^/]+)/

/** The id of the store or site in a page's path; null for other pages. */
export function storeInPath(path: string): string | null {
  const [, segment] = STORE_PATH.exec(path) ?? []
  try {
    return segment === undefined ? null : decodeURIComponent(segment)
  } catch {
    // Malformed percent-encoding cannot name a store.
    return null
  }
}
