// Caches public responses in Cloudflare's Cache API, keyed by host, path and query. Every entry carries a validator:
// the version of the site's content that it was read at. An entry is fresh while the site still has that version, and
// serves as a stale fallback while the databases are unreachable (stale-if-error). Each isolate caches for a few
// seconds which site a host leads to and which version the site has. A write to the site in the same isolate
// invalidates both immediately (site-writes.ts); other isolates see the change when their snapshots expire. The
// isolate's memory (isolate-cache.ts) is checked before the Cache API.
import { currentMs } from "../../lib/clock"
import { matchesTag } from "../../lib/entity-tag"
import { isolateState } from "../../lib/isolate-state"
import { Refusal } from "../http/refusal"
import { type CachedResponse, getCachedResponse, MAX_ENTRY_BYTES, putCachedResponse } from "./isolate-cache"
import { countWrites, isUnchangedSince } from "./site-writes"

/** Time for which an isolate uses its snapshot of a site and of the site's version. */
const SITE_TTL_MS = 5_000

/** Time for which a cached response may replace one that cannot be read. */
const STALE_IF_ERROR_SECONDS = 24 * 60 * 60

/** Sites in an isolate's memory. */
const MAX_SITES = 2_000

/** Longer paths and queries, in characters, are not cached. */
const MAX_KEY_LENGTH = 1_000

/** Larger responses are not cached. */
const MAX_CACHEABLE_BYTES = 10_000_000

interface Snapshot<Value> {
  value: Value
  /** The site; null when the host has none. */
  siteId: string | null
  /** When it was read. */
  readAt: number
  /** When it was read or could not be read again, and how many writes this isolate had made by then. */
  checkedAt: number
  writes: number
}

/** In place of a version: the databases did not respond. */
const UNREACHABLE = "unreachable"

const memory = isolateState(() => ({
  sites: new Map<string, Snapshot<unknown>>(),
  versions: new Map<string, Snapshot<string>>(),
}))

const isFresh = ({ writes, siteId, checkedAt }: Snapshot<unknown>): boolean =>
  isUnchangedSince(writes, siteId) && currentMs() - checkedAt < SITE_TTL_MS

function cacheSnapshot<Value>(
  snapshots: Map<string, Snapshot<Value>>,
  key: string,
  snapshot: Omit<Snapshot<Value>, "readAt" | "checkedAt">,
): void {
  snapshots.delete(key)
  if (snapshots.size >= MAX_SITES) for (const oldest of snapshots.keys()) if (snapshots.delete(oldest)) break
  const now = currentMs()
  snapshots.set(key, { ...snapshot, readAt: now, checkedAt: now })
}

const cacheVersion = (siteId: string, value: string, writes: number): void =>
  cacheSnapshot(memory.current.versions, siteId, { value, siteId, writes })

/**
 * Returns the site of a host for a public read: from memory while fresh, else from `load`, else the last known one.
 * @param key identifies the host and the shape of the loaded value
 * @param siteIdOf returns the id of a loaded site, or null
 * @param revalidate runs in parallel with `load`, with the last known site
 * @throws errors of `load`: a refusal always, any other error only when nothing is in memory
 */
export async function cachedSite<Site>(
  key: string,
  load: () => Promise<Site>,
  siteIdOf: (site: Site) => string | null,
  revalidate?: (site: Site) => Promise<void>,
): Promise<Site> {
  const snapshot = memory.current.sites.get(key) as Snapshot<Site> | undefined
  if (snapshot && isFresh(snapshot)) return snapshot.value
  const writes = countWrites()
  try {
    const [site] = await Promise.all([load(), snapshot && revalidate?.(snapshot.value)])
    cacheSnapshot(memory.current.sites, key, { value: site, siteId: siteIdOf(site), writes })
    return site
  } catch (cause) {
    const now = currentMs()
    if (cause instanceof Refusal || !snapshot || now - snapshot.readAt > STALE_IF_ERROR_SECONDS * 1000) throw cause
    // Spares the next requests the same error. `readAt` stays unchanged, so the snapshot still expires.
    snapshot.checkedAt = now
    snapshot.writes = countWrites()
    return snapshot.value
  }
}

/**
 * Refreshes an expired version snapshot of a site, so that cached responses may still be used without reading the
 * content. Skipped after a write to the site in this isolate, because the version has most likely changed.
 * @param read returns the version of the site's content
 */
export async function refreshVersion(siteId: string, read: () => Promise<string>): Promise<void> {
  const snapshot = memory.current.versions.get(siteId)
  if (!snapshot || isFresh(snapshot) || !isUnchangedSince(snapshot.writes, siteId)) return
  const writes = countWrites()
  try {
    cacheVersion(siteId, await read(), writes)
  } catch {
    // The read of the content fails as well and reports it.
  }
}

/** Whether the response is the same for every client: no credentials, no range, no database bookmark. */
export const isPublicRead = ({ method, headers }: Request): boolean =>
  (method === "GET" || method === "HEAD") &&
  !["Authorization", "X-API-KEY", "Range", "If-Range", BOOKMARK].some((name) => headers.has(name))

/** The header with the D1 bookmark that a client has seen; see `db/client.ts`. */
export const BOOKMARK = "X-D1-Bookmark"

/** A public read. */
export interface CacheableRead {
  request: Request
  /** The part of the query string that affects the response, unmodified. */
  query: string
  /** Anything else that affects the response, such as the language. */
  variant?: string
  /** The site whose content is read. */
  siteId: string
  /**
   * The incarnation of the store (`stores.seq`), 0 for the central site; null when the host's site could not be read.
   */
  incarnation: number | null
  /** Everything else that the response depends on: the store's version, the rendering. */
  validator: string
  after(work: Promise<unknown>): void
}

/**
 * Responds to a public read from a cache, else from `read`.
 * @param read returns the full response, ignoring conditional headers, and reports the version of the content it read.
 *   Only a 200 with `Cache-Control: public` is cached. A status of 500 or more, or an error, falls back to the cached
 *   response.
 * @throws errors of `read` when there is no fallback
 */
export async function throughCache(
  cacheable: CacheableRead,
  read: (report: (version: string) => void) => Promise<Response>,
): Promise<Response> {
  const { request, siteId, validator: base, incarnation } = cacheable
  const key = keyOf(cacheable, incarnation)
  const snapshot = memory.current.versions.get(siteId)
  if (snapshot?.value === UNREACHABLE && isFresh(snapshot)) {
    const entry = await findLastCached(cacheable)
    if (entry) return respond(request, entry, "hit; detail=unreachable")
  } else if (key !== null && snapshot && isFresh(snapshot)) {
    const validator = `${base}.${snapshot.value}`
    const stored = getCachedResponse(key, validator)
    const inMemory = stored && respondFromMemory(request, stored)
    if (inMemory) return inMemory
    const entry = await caches.default.match(key)
    if (entry?.headers.get(VALIDATOR_HEADER) === validator)
      return respond(request, await putInMemory(key, validator, entry), "hit")
    void entry?.body?.cancel()
  }
  const writes = countWrites()
  let version: string | undefined
  let fresh: Response
  try {
    fresh = await read((value) => {
      version = value
    })
  } catch (cause) {
    const entry = cause instanceof Refusal ? null : await staleIfError(cacheable)
    if (entry) return entry
    throw cause
  }
  if (fresh.status >= 500) return (await staleIfError(cacheable)) ?? fresh
  if (version !== undefined) {
    cacheVersion(siteId, version, writes)
    if (key !== null && request.method === "GET" && isCacheable(fresh)) {
      const validator = `${base}.${version}`
      const whole = await putInMemory(key, validator, fresh)
      cacheable.after(Promise.all([putInEdgeCache(key, whole.clone(), validator), storeIncarnation(cacheable)]))
      return respond(request, whole, "fwd=miss")
    }
  }
  return respond(request, fresh, "fwd=miss")
}

/** Responds from the isolate's memory; null when the request needs a body that is only in the Cache API. */
function respondFromMemory(request: Request, { headers, body }: CachedResponse): Response | null {
  if (body !== null) return conditional(request, new Response(body, { headers }))
  const isUnchanged = matchesTag(request.headers.get("If-None-Match") ?? undefined, headers.get("ETag") ?? "")
  return isUnchanged ? new Response(null, { status: 304, headers: withoutBodyHeaders(headers) }) : null
}

/**
 * Stores a response in the isolate's memory, without a long body.
 * @param whole a cached or new response; its body is consumed
 * @returns an equal response with an unread body
 */
async function putInMemory(key: string, validator: string, whole: Response): Promise<Response> {
  const headers = clientHeaders(whole, "hit")
  // Files have a Content-Length; a response without one was rendered here and is short.
  const isLong = Number(whole.headers.get("Content-Length") ?? 0) > MAX_ENTRY_BYTES
  const bytes = isLong ? null : await whole.arrayBuffer()
  if (headers.has("ETag"))
    putCachedResponse(key, { validator, headers, body: bytes && bytes.byteLength <= MAX_ENTRY_BYTES ? bytes : null })
  return bytes ? new Response(bytes, whole) : whole
}

/** Falls back to the cached response, and lets the next requests do so without trying to read. */
async function staleIfError(cacheable: CacheableRead): Promise<Response | null> {
  const entry = await findLastCached(cacheable)
  if (!entry) return null
  cacheVersion(cacheable.siteId, UNREACHABLE, countWrites())
  return respond(cacheable.request, entry, "hit; detail=unreachable")
}

/**
 * Finds a cached response of any version, for the incarnation that was last read at the host. While the databases are
 * down, this is the only record of which store the host belongs to, and it never returns a response of an earlier store
 * of that name.
 */
async function findLastCached(cacheable: CacheableRead): Promise<Response | null> {
  const record = await caches.default.match(incarnationKey(cacheable))
  if (!record) return null
  const last = Number(await record.text())
  const key = cacheable.incarnation === null || cacheable.incarnation === last ? keyOf(cacheable, last) : null
  const entry = key ? await caches.default.match(key) : undefined
  return entry?.headers.has(VALIDATOR_HEADER) ? entry : null
}

/** The cache key of the incarnation that was last read at a host. */
const incarnationKey = ({ request }: CacheableRead): string => new URL("/?~incarnation", request.url).href

const storeIncarnation = (cacheable: CacheableRead): Promise<void> =>
  caches.default.put(
    incarnationKey(cacheable),
    new Response(String(cacheable.incarnation), {
      headers: { "Cache-Control": `public, max-age=${STALE_IF_ERROR_SECONDS}` },
    }),
  )

/**
 * The cache key of a response. It contains the incarnation, so a later store of the same host never gets these
 * responses.
 */
function keyOf({ request, query, variant = "" }: CacheableRead, incarnation: number | null): string | null {
  const url = new URL(request.url)
  // Not `searchParams`: it encodes every invalid UTF-8 sequence the same way.
  url.search = `${query}&~=${encodeURIComponent(variant)}&~=${incarnation ?? ""}`
  return url.pathname.length + url.search.length > MAX_KEY_LENGTH ? null : url.href
}

/** An entry has its own caching headers; those for the client are stored under the prefix `X-Client-`. */
const VALIDATOR_HEADER = "X-Cache-Validator"
const CLIENT_HEADERS = ["Cache-Control", "Vary"] as const

const isCacheable = ({ status, headers }: Response): boolean =>
  status === 200 &&
  headers.get("Cache-Control")?.startsWith("public") === true &&
  Number(headers.get("Content-Length") ?? 0) <= MAX_CACHEABLE_BYTES

async function putInEdgeCache(key: string, { body, headers: original }: Response, validator: string): Promise<void> {
  const headers = new Headers(original)
  for (const name of CLIENT_HEADERS) {
    headers.set(`X-Client-${name}`, original.get(name) ?? "")
    headers.delete(name)
  }
  headers.set(VALIDATOR_HEADER, validator)
  headers.set("Cache-Control", `public, max-age=${STALE_IF_ERROR_SECONDS}`)
  await caches.default.put(key, new Response(body, { headers }))
}

/** Turns a cached or new response into the response to this request. */
const respond = (request: Request, whole: Response, how: string): Response =>
  conditional(request, new Response(whole.body, { status: whole.status, headers: clientHeaders(whole, how) }))

/** The headers of a cached or new response as the client gets them. */
function clientHeaders({ headers: original }: Response, how: string): Headers {
  const headers = new Headers(original)
  if (headers.has(VALIDATOR_HEADER)) {
    for (const name of CLIENT_HEADERS) {
      const value = headers.get(`X-Client-${name}`)
      headers.delete(`X-Client-${name}`)
      if (value) headers.set(name, value)
      else headers.delete(name)
    }
    for (const name of [VALIDATOR_HEADER, "Age", "Expires", "Date", "CF-Cache-Status"]) headers.delete(name)
  }
  headers.set("Cache-Status", `Tenancy; ${how}`)
  return headers
}

/** Removes the headers that describe a body. */
function withoutBodyHeaders(headers: Headers): Headers {
  const remaining = new Headers(headers)
  for (const name of ["Content-Type", "Content-Length"]) remaining.delete(name)
  return remaining
}

/** Applies the conditions of a request (RFC 9110, section 13): 304 when the entity tag matches, no body for HEAD. */
export function conditional(request: Request, whole: Response): Response {
  const { body, headers, status } = whole
  const tag = status === 200 ? headers.get("ETag") : null
  if (tag && matchesTag(request.headers.get("If-None-Match") ?? undefined, tag)) {
    void body?.cancel()
    return new Response(null, { status: 304, headers: withoutBodyHeaders(headers) })
  }
  if (request.method !== "HEAD") return whole
  void body?.cancel()
  return new Response(null, { status, headers })
}
