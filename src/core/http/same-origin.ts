// Distinguishes forms of the same origin from those of other sites. `SameSite` cookies do not: to a browser,
// neighbouring stores are the same site.
import { publicUrl, type Settings } from "../../env"

/**
 * Whether a page of the same origin sent the form; null for a client that sends neither header, which is not a browser.
 * @param host as browsers see it, if a proxy in front changes it
 */
export function isSameOriginForm(
  { url, headers }: Pick<Request, "url" | "headers">,
  settings: Settings,
  host = new URL(url).hostname,
): boolean | null {
  const site = headers.get("Sec-Fetch-Site")
  if (site !== null) return site === "same-origin"
  const origin = headers.get("Origin")
  return origin === null ? null : [publicUrl(settings, host), new URL(url).origin].includes(origin)
}
