// Public reads, kept near the reader. An answer is kept in Cloudflare's cache under its host, path and query, with the state of
// the site it was read from; it is good as long as the site has that state, and when the databases cannot be asked it is good
// enough. Which site a host leads to, and which state that is in, the isolate remembers for a few seconds. A write ends that at
// once where it was made; elsewhere a change is seen when those seconds are over. The isolate also holds what it answered, so that an
// answer of the same state, or that it is unchanged, is told without anything being read, not even from the cache.
import { matchesTag } from "../../lib/entity-tag"
import { Refusal } from "../http/refusal"
import { type CachedResponse, getCachedResponse, putCachedResponse, MAX_ENTRY_BYTES } from "./isolate-cache"

/** How long an isolate believes what it knows of a site, in milliseconds. */
const REMEMBERED = 5_000

/** How long an answer may stand in for one that cannot be read, in seconds. */
const STALE = 24 * 60 * 60

/** Sites that an isolate remembers at most. */
const MAX_SITES = 2_000

/** Characters of a path and query that are kept; longer ones are read each time. */
const LONGEST_ADDRESS = 1_000

/** Bytes of a file that is kept; larger ones are read each time. */
const LARGEST = 10_000_000

interface Remembered<Value> {
  value: Value
  /** When it was learnt, and after how many writes of this isolate. */
  at: number
  writes: number
}

const sites = new Map<string, Remembered<unknown>>()
const versions = new Map<string, Remembered<number | "unreachable">>()
let writes = 0

/** Forgets the state of every site: something may have been changed here. */
export function invalidateIsolateCache(): void {
  writes += 1
}

const isFresh = (known: Remembered<unknown>): boolean => known.writes === writes && Date.now() - known.at < REMEMBERED

function remember<Value>(memory: Map<string, Remembered<Value>>, key: string, value: Value, after: number): void {
  memory.delete(key)
  if (memory.size >= MAX_SITES) for (const oldest of memory.keys()) if (memory.delete(oldest)) break
  memory.set(key, { value, at: Date.now(), writes: after })
}

/**
 * The site of a host, for a public read: read when the isolate has not just done so, and as it last was when it cannot be read.
 * @param key names the host and what is known of it
 * @param beside what may be asked while it is read anew, of the site as it last was
 * @throws what `load` threw: a refusal always, a fault when nothing is remembered
 */
export async function rememberedSite<Site>(
  key: string,
  load: () => Promise<Site>,
  beside?: (site: Site) => Promise<void>,
): Promise<Site> {
  const known = sites.get(key) as Remembered<Site> | undefined
  if (known && isFresh(known)) return known.value
  const before = writes
  try {
    const [site] = await Promise.all([load(), known && beside?.(known.value)])
    remember(sites, key, site, before)
    return site
  } catch (cause) {
    if (cause instanceof Refusal || !known || Date.now() - known.at > STALE * 1000) throw cause
    // The next readers need not wait for the same fault; `at` stays, so that what is remembered ends one day.
    known.writes = writes
    return known.value
  }
}

/**
 * Asks anew which state a site is in, when it was known a while ago: what is kept of it may still be good, and then nothing else is read.
 * After a write here it is not asked, for it is likely another state.
 * @param read the version of the site's content
 */
export async function renewVersion(siteId: string, read: () => Promise<number>): Promise<void> {
  const known = versions.get(siteId)
  if (!known || isFresh(known) || known.writes !== writes) return
  const before = writes
  try {
    remember(versions, siteId, await read(), before)
  } catch {
    // Whoever reads the content finds it out, and says so.
  }
}

/** Whether an answer is the same for everybody: nobody says who he is, or asks for a part, or for a state of his own. */
export const isPublicRead = ({ method, headers }: Request): boolean =>
  (method === "GET" || method === "HEAD") &&
  !["Authorization", "X-API-KEY", "Range", "If-Range", BOOKMARK].some((name) => headers.has(name))

/** The header of a state of the database that a reader has seen; see `db/client.ts`. */
export const BOOKMARK = "X-D1-Bookmark"

/** A public read. */
export interface CacheableRead {
  request: Request
  /** What of the query decides what is answered, as it stands there. */
  query: string
  /** What else decides it, such as a language. */
  variant?: string
  /** Whose content is read. */
  siteId: string
  /** The incarnation of the store (`stores.seq`), 0 for the central site; null where the host's site could not be found out. */
  incarnation: number | null
  /** All that it depends on beside the site's content: the store's version, the code. */
  stamp: string
  after(work: Promise<unknown>): void
}

/**
 * Answers a public read from the cache, or by reading.
 * @param read the whole answer, whatever the request's conditions: it tells the version of the site's content that it was read
 *   at. Only a 200 that says `Cache-Control: public` is kept; one of 500 and more, and a fault, is replaced by what is kept.
 */
export async function throughCache(
  kept: CacheableRead,
  read: (learn: (version: number) => void) => Promise<Response>,
): Promise<Response> {
  const { request, siteId, stamp, incarnation } = kept
  const key = keyOf(kept, incarnation)
  const known = versions.get(siteId)
  if (known?.value === "unreachable" && isFresh(known)) {
    const entry = await lastKept(kept)
    if (entry) return answer(request, entry, "hit; detail=unreachable")
  } else if (key !== null && known && isFresh(known)) {
    const state = `${stamp}.${known.value}`
    const held = getCachedResponse(key, state)
    const repeated = held && repeat(request, held)
    if (repeated) return repeated
    const entry = await caches.default.match(key)
    if (entry?.headers.get(STAMP) === state) return answer(request, await hold(key, state, entry), "hit")
    void entry?.body?.cancel()
  }
  const before = writes
  let version: number | undefined
  let fresh: Response
  try {
    fresh = await read((seen) => {
      version = seen
    })
  } catch (cause) {
    const entry = cause instanceof Refusal ? null : await staleIfError(kept)
    if (entry) return entry
    throw cause
  }
  if (fresh.status >= 500) return (await staleIfError(kept)) ?? fresh
  if (version !== undefined) {
    remember(versions, siteId, version, before)
    if (key !== null && request.method === "GET" && isKeepable(fresh)) {
      const state = `${stamp}.${version}`
      const whole = await hold(key, state, fresh)
      kept.after(Promise.all([keep(key, whole.clone(), state), noteIncarnation(kept)]))
      return answer(request, whole, "fwd=miss")
    }
  }
  return answer(request, fresh, "fwd=miss")
}

/** What is held, as this request wants it; null when it wants a body that is not held. */
function repeat(request: Request, { headers, body }: CachedResponse): Response | null {
  if (body !== null) return conditional(request, new Response(body, { headers }))
  const isSiteLocked = matchesTag(request.headers.get("If-None-Match") ?? undefined, headers.get("ETag") ?? "")
  return isSiteLocked ? new Response(null, { status: 304, headers: unsent(headers) }) : null
}

/**
 * Holds an answer, without its body where that is long.
 * @param whole a kept or a new one; its body is used up
 * @returns the same anew
 */
async function hold(key: string, state: string, whole: Response): Promise<Response> {
  const headers = clientHeaders(whole, "hit")
  // A file tells its length; what tells none is text that was made here.
  const isLong = Number(whole.headers.get("Content-Length") ?? 0) > MAX_ENTRY_BYTES
  const bytes = isLong ? null : await whole.arrayBuffer()
  if (headers.has("ETag"))
    putCachedResponse(key, { state, headers, body: bytes && bytes.byteLength <= MAX_ENTRY_BYTES ? bytes : null })
  return bytes ? new Response(bytes, whole) : whole
}

/** Returns the cached response in place of one that could not be read; the next requests do not try to read for a while. */
async function staleIfError(kept: CacheableRead): Promise<Response | null> {
  const entry = await lastKept(kept)
  if (!entry) return null
  remember(versions, kept.siteId, "unreachable", writes)
  return answer(kept.request, entry, "hit; detail=unreachable")
}

/**
 * Finds a cached response of the incarnation that was last read at the host, whatever its state. While the databases are down nothing
 * else says whose the host is; a response of a store that this request no longer leads to is never found.
 */
async function lastKept(kept: CacheableRead): Promise<Response | null> {
  const noted = await caches.default.match(noteOf(kept))
  if (!noted) return null
  const last = Number(await noted.text())
  const key = kept.incarnation === null || kept.incarnation === last ? keyOf(kept, last) : null
  return (key && (await caches.default.match(key))) || null
}

/** Where the cache has the incarnation that was last read at a host. */
const noteOf = ({ request }: CacheableRead): string => new URL("/?~incarnation", request.url).href

const noteIncarnation = (kept: CacheableRead): Promise<void> =>
  caches.default.put(
    noteOf(kept),
    new Response(String(kept.incarnation), { headers: { "Cache-Control": `public, max-age=${STALE}` } }),
  )

/** The key of a response; it names the incarnation, so that a store's responses are never found for a later store of its host. */
function keyOf({ request, query, variant = "" }: CacheableRead, incarnation: number | null): string | null {
  const url = new URL(request.url)
  // Not by `searchParams`, which writes all that is no UTF-8 alike.
  url.search = `${query}&~=${encodeURIComponent(variant)}&~=${incarnation ?? ""}`
  return url.pathname.length + url.search.length > LONGEST_ADDRESS ? null : url.href
}

/** What the cache is told of an answer stands in headers of its own; the client's wait beside them. */
const STAMP = "X-Kept-Stamp"
const CLIENTS = ["Cache-Control", "Vary"] as const

const isKeepable = ({ status, headers }: Response): boolean =>
  status === 200 &&
  headers.get("Cache-Control")?.startsWith("public") === true &&
  Number(headers.get("Content-Length") ?? 0) <= LARGEST

async function keep(key: string, { body, headers: told }: Response, stamp: string): Promise<void> {
  const headers = new Headers(told)
  for (const name of CLIENTS) {
    headers.set(`X-Kept-${name}`, told.get(name) ?? "")
    headers.delete(name)
  }
  headers.set(STAMP, stamp)
  headers.set("Cache-Control", `public, max-age=${STALE}`)
  await caches.default.put(key, new Response(body, { headers }))
}

/** A kept or a new answer, as this request wants it. */
const answer = (request: Request, whole: Response, how: string): Response =>
  conditional(request, new Response(whole.body, { status: whole.status, headers: clientHeaders(whole, how) }))

/** The headers of a kept or a new answer as its client gets them. */
function clientHeaders({ headers: held }: Response, how: string): Headers {
  const headers = new Headers(held)
  if (headers.has(STAMP)) {
    for (const name of CLIENTS) {
      const told = headers.get(`X-Kept-${name}`)
      headers.delete(`X-Kept-${name}`)
      if (told) headers.set(name, told)
      else headers.delete(name)
    }
    for (const name of [STAMP, "Age", "Expires", "Date", "CF-Cache-Status"]) headers.delete(name)
  }
  headers.set("Cache-Status", `Tenancy; ${how}`)
  return headers
}

/** Headers without those of a body. */
function unsent(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of ["Content-Type", "Content-Length"]) kept.delete(name)
  return kept
}

/** An answer as a request wants it: 304 to who has it (RFC 9110, section 13), without a body to HEAD. */
export function conditional(request: Request, whole: Response): Response {
  const { body, headers, status } = whole
  const tag = status === 200 ? headers.get("ETag") : null
  if (tag && matchesTag(request.headers.get("If-None-Match") ?? undefined, tag)) {
    void body?.cancel()
    return new Response(null, { status: 304, headers: unsent(headers) })
  }
  if (request.method !== "HEAD") return whole
  void body?.cancel()
  return new Response(null, { status, headers })
}
