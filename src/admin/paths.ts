// Paths of pages that other pages link to.
export const ADMIN = "/admin"
export const LOGIN_PATH = "/admin/login"
export const LOGOUT_PATH = "/admin/logout"
export const PRODUCTS = "/admin/products"
export const POSTS = "/admin/posts"
export const PAGES = "/admin/pages"
export const ORDERS = "/admin/orders"
export const CUSTOMERS = "/admin/customers"
export const SETTINGS = "/admin/settings"
/** Where the sign-up leads, once the store is ready. */
export const ARRIVAL_PATH = "/admin/arrive"
export const STAFF = "/admin/staff"
export const ACCOUNT = "/admin/account"
