// The cookies of a visitor: those of the request, and those that the response sets.

interface CookieOptions {
  /** Lifetime of the cookie. */
  maxAgeSeconds: number
  /** Hides it from scripts. */
  httpOnly: boolean
}

export interface Cookies {
  get(name: string): string | undefined
  set(name: string, value: string, options: CookieOptions): void
  delete(name: string): void
  /** The `Set-Cookie` headers of the response. */
  readonly changes: readonly string[]
}

/**
 * @param header the request's `Cookie` header
 * @param isSecure whether browsers reach the host by HTTPS
 */
export function createCookies(header: string | null, isSecure: boolean): Cookies {
  const sent = new Map(
    (header ?? "").split(";").map((pair): [string, string] => {
      const at = pair.indexOf("=")
      return at < 0 ? ["", ""] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    }),
  )
  const changes = new Map<string, string>()
  const set = (name: string, value: string, { maxAgeSeconds, httpOnly }: CookieOptions) => {
    const flags = [`Max-Age=${maxAgeSeconds}`, "Path=/", "SameSite=Lax"]
    if (httpOnly) flags.push("HttpOnly")
    if (isSecure) flags.push("Secure")
    changes.set(name, [`${name}=${value}`, ...flags].join("; "))
    sent.set(name, value)
  }
  return {
    get: (name) => sent.get(name),
    set,
    delete: (name) => set(name, "", { maxAgeSeconds: 0, httpOnly: true }),
    get changes() {
      return [...changes.values()]
    },
  }
}
