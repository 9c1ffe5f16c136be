// The name of the cart cookie, and the way in which pages show its number of items.

/** The cookie's name. With its prefix, no other host can set it (RFC 6265bis, section 4.1.3). */
export const cartCookieName = (isSecure: boolean): string => (isSecure ? "__Host-cart" : "cart")

/** Matches the cookie in `document.cookie`; a regular expression in JavaScript. */
export const CART_COOKIE_PATTERN = "/(?:^|; )(?:__Host-)?cart=([^;]*)/"

/** Id of the element that shows the number of items. */
export const CART_COUNT_ID = "cart-count"
