// Serves GET /media/…: a site's files on its own host, unless they are trashed or deleted.
import { and, eq, isNull } from "drizzle-orm"
import type { Context } from "hono"
import { getCookie } from "hono/cookie"
import { getAdminCookieName } from "../../core/auth/session-cookie"
import { cachedSite, isPublicRead, refreshVersion, throughCache } from "../../core/cache/edge-cache"
import { renderingId } from "../../core/cache/rendering"
import type { Ctx } from "../../core/context"
import { acceptsHtml, respondErrorPage } from "../../core/html/error-page"
import { readClosedShopAppearance } from "../../core/http/closed-shop-appearance"
import { Refusal } from "../../core/http/refusal"
import { accessState } from "../../core/http/store-access"
import { createSurface, publicAccess, requestContext, type SurfaceEnv } from "../../core/http/surface"
import { mediaStore } from "../../core/storage/media"
import { batch, nearestCentralReplica, nearestReplica, type SiteDatabase, siteVersion } from "../../db/client"
import { param, prepareSiteRead } from "../../db/prepared"
import { mediaFiles } from "../../db/schema/sites/media"
import { parseRange } from "../../lib/byte-range"
import { matchesTag } from "../../lib/entity-tag"
import { contentDisposition } from "../../lib/file-name"
import { objectKey, parseAvatarPath } from "../files"
import { type ContentSite, pinToStore, resolveSite } from "../site"
import { FOLDER_OF_FILE, isLive } from "./ancestors"

interface ServedFile {
  key: string
  name: string
  size: number
  type: string
  etag: string
}

/** The bytes at a URL never change, so clients may cache them for a year. */
const IMMUTABLE_CACHE_CONTROL = "public, max-age=31536000, immutable"

/** Media types that browsers may display inline. All others, including those that can run scripts, are downloaded. */
const INLINE_MEDIA_TYPES =
  /^(image\/(?!svg)|video\/|audio\/|font\/|text\/plain$|text\/csv$|text\/markdown$|application\/pdf$)/

const ERRORS = {
  not_found: ["Not found", 404],
  method_not_allowed: ["Method not allowed", 405],
  store_unavailable: ["This store is not available at the moment.", 503],
  temporarily_unavailable: ["The service is temporarily unavailable. Try again in a few seconds.", 503],
  server_error: ["Something went wrong on our side.", 500],
} as const

export const mediaServing = createSurface<SurfaceEnv, keyof typeof ERRORS>({
  name: "media",
  gate: [publicAccess],
  maxBody: null,
  codes: ERRORS,
  refuse: (c, { code }) => {
    const [text, status] = ERRORS[code]
    const headers = code === "method_not_allowed" ? { Allow: "GET, HEAD" } : undefined
    return acceptsHtml(c) ? respondErrorPage(c, status, { headers }) : c.text(text, status, headers)
  },
})

mediaServing.get("/media/*", async (c) => {
  const ctx = requestContext(c)
  const path = parsePath(c.req.url)
  const { hostname } = new URL(c.req.url)
  const isPublic = isPublicRead(c.req.raw)
  const cacheKey = {
    request: c.req.raw,
    query: "",
    siteId: hostname,
    incarnation: null,
    validator: "",
    after: ctx.inBackground,
  }
  let site: ContentSite
  try {
    const reader = { ...ctx, db: nearestCentralReplica(c.env) }
    const resolve = () => resolveSite(reader, c.req.url, undefined)
    const refresh = ({ site: { id, database } }: Awaited<ReturnType<typeof resolve>>) =>
      refreshVersion(id, () => siteVersion(c.env, database, id, ctx.now))
    site = (await cachedSite(`content:${hostname}`, resolve, ({ site: { id } }) => id, refresh)).site
  } catch (cause) {
    if (!isPublic) throw cause
    // The host cannot be resolved. A file cached under it was public, so it may still be served.
    return throughCache(cacheKey, () => Promise.reject(cause))
  }
  const { id, store } = site
  const state = store ? accessState(store.status) : "serving"
  const isForStaff = state === "suspended" && (await isSignedInToAdmin(c, ctx, site))
  const isShown =
    state === "serving" || isForStaff || (state === "suspended" && (await isPartOfClosedPage(ctx, site, c.req.url)))
  if (!isShown) throw new Refusal("store_unavailable")
  const read = async (seen?: (version: string) => void) => {
    const file = path === null ? null : await findFile(ctx, site, path, seen)
    if (!file) throw new Refusal("not_found")
    const response = await sendFile(c, file)
    // Browsers must not show the file after the member signs out, and shared caches must not show it to others.
    if (isForStaff) response.headers.set("Cache-Control", "private, no-store")
    return response
  }
  if (!isPublic || state !== "serving") return read()
  const validator = `${renderingId(c.env)}.${store?.version ?? ""}`
  return throughCache({ ...cacheKey, siteId: id, incarnation: store?.seq ?? 0, validator }, read)
})

/** Whether a member of the staff sends the request from the admin, which shows the pictures of a closed shop. */
async function isSignedInToAdmin(c: Context<SurfaceEnv>, ctx: Ctx, site: ContentSite): Promise<boolean> {
  const token = getCookie(c, getAdminCookieName(c.req.url))
  if (!token) return false
  // Only files of closed shops need the code of sessions.
  const { findStaffSession } = await import("../accounts/staff-sessions")
  const staffCtx = { ...pinToStore(ctx, site), site, key: null, locale: site.language ?? "en" }
  return (await findStaffSession(staffCtx, token)) !== null
}

/** Whether the page of a closed shop shows a file: the logo and the favicon. */
async function isPartOfClosedPage(ctx: Ctx, site: ContentSite, url: string): Promise<boolean> {
  const appearance = await readClosedShopAppearance(ctx, site)
  const { host, pathname } = new URL(url)
  return [appearance?.logo, appearance?.favicon].some((picture) => {
    const shown = picture ? URL.parse(picture, url) : null
    return shown?.host === host && shown.pathname === pathname
  })
}

/** Decodes the path below `/media/`; null when no file can have it. */
function parsePath(url: string): string | null {
  try {
    const path = decodeURIComponent(new URL(url).pathname.slice("/media/".length))
    return path.split("/").some((segment) => segment === "" || segment === "..") || path.includes("\0") ? null : path
  } catch {
    return null
  }
}

const selectFileByPath = prepareSiteRead<typeof mediaFiles.$inferSelect, { site: string; path: string }>((db) =>
  db
    .select()
    .from(mediaFiles)
    .where(
      and(eq(mediaFiles.path, param("path")), isNull(mediaFiles.trashedAt), isLive(param("site"), FOLDER_OF_FILE)),
    ),
)

/** Finds the file at a path of a site. Avatars have no row in the library. */
async function findFile(
  { env, now }: Pick<Ctx, "env" | "now">,
  site: ContentSite,
  path: string,
  seen?: (version: string) => void,
): Promise<ServedFile | null> {
  const key = objectKey(site.id, path)
  const avatar = parseAvatarPath(path)
  // Only avatar names are looked up in the bucket directly: R2 throws an error for a key that is too long.
  if (avatar !== null) {
    const object = await mediaStore(env).head(key)
    const type = object?.httpMetadata?.contentType ?? "application/octet-stream"
    return object && { key, name: avatar, size: object.size, type, etag: object.httpEtag }
  }
  const select = async (db: SiteDatabase) => (await batch(db, [selectFileByPath({ site: site.id, path })]))[0][0]
  // A replica may lag behind a recent upload, so a miss is checked against the primary.
  const file =
    (await select(nearestReplica(env, site.database, { siteId: site.id, now, onVersionRead: seen }))) ??
    (await select(site.db))
  return file ? { key, name: file.name, size: file.size, type: file.mimeType, etag: file.etag } : null
}

async function sendFile(c: Context<SurfaceEnv>, file: ServedFile): Promise<Response> {
  const headers = buildHeaders(file)
  if (matchesTag(c.req.header("If-None-Match"), file.etag)) return new Response(null, { status: 304, headers })
  const isHead = c.req.method === "HEAD"
  const condition = c.req.header("If-Range")
  // Range requests are only defined for GET (RFC 9110, section 14.2).
  const allowsRange = !isHead && (!condition || condition === file.etag)
  const range = allowsRange ? parseRange(c.req.header("Range"), file.size) : null
  if (range === "unsatisfiable") {
    return new Response(null, {
      status: 416,
      headers: { "Content-Range": `bytes */${file.size}`, "Accept-Ranges": "bytes" },
    })
  }
  if (range) headers.set("Content-Range", `bytes ${range.offset}-${range.offset + range.length - 1}/${file.size}`)
  headers.set("Content-Length", String(range ? range.length : file.size))
  const status = range ? 206 : 200
  if (isHead) return new Response(null, { status, headers })
  const object = await mediaStore(c.env).get(file.key, range)
  if (!object) throw new Refusal("not_found")
  return new Response(object.body, { status, headers })
}

function buildHeaders({ etag, name, type }: ServedFile): Headers {
  const isInline = INLINE_MEDIA_TYPES.test(type)
  const headers = new Headers({
    "Content-Type": type.startsWith("text/") ? `${type}; charset=utf-8` : type,
    "Content-Disposition": contentDisposition(isInline ? "inline" : "attachment", name),
    ETag: etag,
    "Cache-Control": IMMUTABLE_CACHE_CONTROL,
    "Accept-Ranges": "bytes",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "cross-origin",
  })
  // A sandbox prevents browsers from displaying PDFs. Their viewers do not run scripts in the origin of the page.
  if (type !== "application/pdf")
    headers.set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
  return headers
}
