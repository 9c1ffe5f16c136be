// Tells forms of the same host from those of other sites. `SameSite` cookies do not: to a browser, neighbouring stores
// are the same site.

/**
 * Whether a page of the same host sent the form. Clients other than browsers send no `Origin`; they have no cookie that
 * a foreign page could use.
 */
export function isSameHostForm({ url, headers }: Pick<Request, "url" | "headers">): boolean {
  const origin = headers.get("Origin")
  if (origin === null) return headers.get("Sec-Fetch-Site") !== "cross-site"
  return URL.parse(origin)?.hostname === new URL(url).hostname
}
