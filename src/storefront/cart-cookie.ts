// The name of the visitor's cart's cookie, and how pages show what is in it.

/** The cookie's name. With its prefix, no other host can set it (RFC 6265bis, section 4.1.3). */
export const cartCookieName = (isSecure: boolean): string => (isSecure ? "__Host-cart" : "cart")

/** Matches the cookie in `document.cookie`; a regular expression in JavaScript. */
export const CART_COOKIE_PATTERN = "/(?:^|; )(?:__Host-)?cart=([^;]*)/"

/** Id of the element that shows the number of pieces. */
export const CART_COUNT_ID = "cart-count"
