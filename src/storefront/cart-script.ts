// The script of storefront pages: writes the number of items in the visitor's cart next to the link to it. The number
// is in a cookie, so that the pages are the same for all visitors and can be cached.
import { CART_COOKIE_PATTERN, CART_COUNT_ID } from "./cart-cookie"

export const CART_SCRIPT = `addEventListener("pageshow",()=>{let n=0;for(const l of((${CART_COOKIE_PATTERN}.exec(document.cookie)||[])[1]||"").split("_"))n+=+l.split("-")[1]||0;document.getElementById("${CART_COUNT_ID}").textContent=n?" ("+n+")":""})`
