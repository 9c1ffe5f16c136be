// Decides whether the reference pages have forms that send requests (assets/try-it.js), and with which demo keys.
import { getFallbackHost, publicUrl, type Settings } from "../env"

export interface TryIt {
  /** Demo keys by security scheme of the OpenAPI documents. */
  keys: Record<string, string>
  /** Scheme and host of the demo store, which has the paths that only stores have. */
  storeOrigin: `http://${string}`
}

/**
 * Returns what the forms need; null on a platform without demo keys, and on every platform that is served over HTTPS.
 */
export function getTryIt(settings: Settings): TryIt | null {
  const { TENANCY_DOCS_DEMO_KEYS, TENANCY_DEMO_STORE } = settings
  const storeOrigin = publicUrl(settings, getFallbackHost(settings, TENANCY_DEMO_STORE))
  if (!TENANCY_DOCS_DEMO_KEYS.length || !TENANCY_DEMO_STORE || !isHttp(storeOrigin)) return null
  const entries = TENANCY_DOCS_DEMO_KEYS.map((entry): [string, string] => {
    const [scheme = "", ...key] = entry.split("=")
    return [scheme, key.join("=")]
  })
  return { keys: Object.fromEntries(entries), storeOrigin }
}

const isHttp = (url: string): url is `http://${string}` => url.startsWith("http://")
