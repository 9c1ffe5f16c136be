// Matches the path of a request with the path of a page.

/**
 * @param pattern such as `account/orders/:number`
 * @returns the parameters by their name; null when the path differs
 */
export function matchPath(pattern: string, pathname: string): Record<string, string> | null {
  const expected = pattern.split("/")
  const segments = pathname.slice(1).split("/")
  if (expected.length !== segments.length) return null
  const params: Record<string, string> = {}
  for (const [at, name] of expected.entries()) {
    const segment = segments[at] ?? ""
    if (!name.startsWith(":")) {
      if (name !== segment) return null
    } else if (/^[\w-]+$/.test(segment)) params[name.slice(1)] = segment
    else return null
  }
  return params
}
