// Where those pages begin that several others lead to.
export const STORES = "/console/stores"
export const PRODUCTS = "/console/products"
export const LICENSES = "/console/licenses"
export const ACTIVATIONS = "/console/activations"

/** Pages of one store, and of its site. */
const STORE_PATH = /^\/console\/(?:stores|sites)\/(?!bulk$)([^/]+)/

/** The id of the store or site that a page is about; null for other pages. */
export function storeInPath(path: string): string | null {
  const [, segment] = STORE_PATH.exec(path) ?? []
  try {
    return segment === undefined ? null : decodeURIComponent(segment)
  } catch {
    // No store has a name that is not UTF-8.
    return null
  }
}
