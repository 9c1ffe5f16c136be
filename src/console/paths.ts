// Where those pages begin that several others lead to.
export const STORES = "/console/stores"
export const PRODUCTS = "/console/products"
export const LICENSES = "/console/licenses"
export const ACTIVATIONS = "/console/activations"
