// Where a surface's sign-in page returns to.

/** Longer paths lead to the start page. */
const MAX_LENGTH = 2_000

/** For resolving paths; any origin would do. */
const PLACEHOLDER_ORIGIN = "https://pages.invalid"

/**
 * Prevents open redirects after sign-in. Checks the resolved path, because browsers treat `%2e%2e` as a dot segment and
 * `\\` as a slash (WHATWG URL, section 4.4).
 * @param home the start page of the surface, such as `/console`; its other pages are below it
 * @returns the page to return to; the start page when `next` is not a path of the surface
 */
export function getReturnPath(home: string, next: string | undefined): string {
  const url = next?.startsWith("/") && next.length <= MAX_LENGTH ? URL.parse(next, PLACEHOLDER_ORIGIN) : null
  if (url?.origin !== PLACEHOLDER_ORIGIN || url.pathname.includes("//")) return home
  return `${url.pathname}/`.startsWith(`${home}/`) ? url.pathname + url.search : home
}
