// GET /media/…: the files of a site on its own host, as long as they are in its library and out of its trash.
import { and, eq, isNull } from "drizzle-orm"
import type { Context } from "hono"
import { isPublicRead, rememberedSite, renewVersion, throughCache } from "../../core/cache/edge-cache"
import { Refusal } from "../../core/http/refusal"
import { accessState } from "../../core/http/store-access"
import { createSurface, requestContext, type SurfaceEnv } from "../../core/http/surface"
import { batch, nearestCentralReplica, nearestReplica, type SiteDatabase, siteVersion } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import { mediaFiles } from "../../db/schema/sites/media"
import type { Env } from "../../env"
import { parseRange } from "../../lib/byte-range"
import { matchesTag } from "../../lib/entity-tag"
import { contentDisposition } from "../../lib/file-name"
import { avatarName, objectKey } from "../files"
import { type ContentSite, resolveSite } from "../site"
import { FOLDER_OF_FILE, isLive } from "./ancestors"

interface Served {
  key: string
  name: string
  size: number
  type: string
  etag: string
}

/** An address never gets other bytes, so they may be kept for a year. */
const KEPT = "public, max-age=31536000, immutable"

/** What a browser may show in place. Everything else, and with it all that could run a script, is downloaded. */
const SHOWN = /^(image\/(?!svg)|video\/|audio\/|font\/|text\/plain$|text\/csv$|text\/markdown$|application\/pdf$)/

export const mediaServing = createSurface<SurfaceEnv>({
  name: "media",
  maxBody: null,
  refuse: (c, { code }) => {
    if (code === "not_found") return c.text("Not found", 404)
    if (code === "method_not_allowed") return c.text("Method not allowed", 405, { Allow: "GET, HEAD" })
    if (code === "store_unavailable") return c.text("This store is not available at the moment.", 503)
    return c.text("Something went wrong on our side.", 500)
  },
})

mediaServing.get("/media/*", async (c) => {
  const ctx = requestContext(c)
  const path = pathOf(c.req.url)
  const { hostname } = new URL(c.req.url)
  const isPublic = isPublicRead(c.req.raw)
  const kept = { request: c.req.raw, query: "", siteId: hostname, incarnation: null, stamp: "", after: ctx.after }
  let site: ContentSite
  try {
    const reader = { ...ctx, db: nearestCentralReplica(c.env) }
    const resolve = () => resolveSite(reader, c.req.url, undefined)
    const renew = ({ site: { id, database } }: Awaited<ReturnType<typeof resolve>>) =>
      renewVersion(id, () => siteVersion(c.env, database, id))
    site = (await rememberedSite(`content:${hostname}`, resolve, renew)).site
  } catch (cause) {
    if (!isPublic) throw cause
    // Nobody can be asked whose host it is; what is kept under it was good for all.
    return throughCache(kept, () => Promise.reject(cause))
  }
  const { id, store } = site
  if (store && accessState(store.status) !== "serving") throw new Refusal("store_unavailable")
  const read = async (seen?: (version: number) => void) => {
    const file = path === null ? null : await find(c.env, site, path, seen)
    if (!file) throw new Refusal("not_found")
    return serve(c, file)
  }
  if (!isPublic) return read()
  const stamp = `${c.env.VERSION.id}.${store?.version ?? ""}`
  return throughCache({ ...kept, siteId: id, incarnation: store?.seq ?? 0, stamp }, read)
})

/** The path below `/media/`, decoded; null when it is no path that a file can have. */
function pathOf(url: string): string | null {
  try {
    const path = decodeURIComponent(new URL(url).pathname.slice("/media/".length))
    return path.split("/").some((segment) => segment === "" || segment === "..") || path.includes("\0") ? null : path
  } catch {
    return null
  }
}

const fileAt = compiled<typeof mediaFiles.$inferSelect, { site: string; path: string }>((db) =>
  db
    .select()
    .from(mediaFiles)
    .where(
      and(
        eq(mediaFiles.siteId, given("site")),
        eq(mediaFiles.path, given("path")),
        isNull(mediaFiles.trashedAt),
        isLive(given("site"), FOLDER_OF_FILE),
      ),
    ),
)

/** The file at a path of a site. Avatars have no record in the library. */
async function find(
  env: Env,
  site: ContentSite,
  path: string,
  seen?: (version: number) => void,
): Promise<Served | null> {
  const key = objectKey(site.id, path)
  const avatar = avatarName(path)
  // The bucket is asked for no other name: one that is too long is a fault to it.
  if (avatar !== null) {
    const object = await env.MEDIA.head(key)
    const type = object?.httpMetadata?.contentType ?? "application/octet-stream"
    return object && { key, name: avatar, size: object.size, type, etag: object.httpEtag }
  }
  const select = async (db: SiteDatabase) => (await batch(db, [fileAt({ site: site.id, path })]))[0][0]
  // A replica may not know yet what was uploaded a moment ago; that it says nothing is therefore not the last word.
  const file = (await select(nearestReplica(env, site.database, { siteId: site.id, seen }))) ?? (await select(site.db))
  return file ? { key, name: file.name, size: file.size, type: file.mimeType, etag: file.etag } : null
}

async function serve(c: Context<SurfaceEnv>, file: Served): Promise<Response> {
  const headers = headersOf(file)
  if (matchesTag(c.req.header("If-None-Match"), file.etag)) return new Response(null, { status: 304, headers })
  const isHead = c.req.method === "HEAD"
  const condition = c.req.header("If-Range")
  // Only GET asks for a part (RFC 9110, section 14.2).
  const isPart = !isHead && (!condition || condition === file.etag)
  const range = isPart ? parseRange(c.req.header("Range"), file.size) : null
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
  const object = await c.env.MEDIA.get(file.key, range ? { range } : {})
  if (!object) throw new Refusal("not_found")
  return new Response(object.body, { status, headers })
}

function headersOf({ etag, name, type }: Served): Headers {
  const shown = SHOWN.test(type)
  const headers = new Headers({
    "Content-Type": type.startsWith("text/") ? `${type}; charset=utf-8` : type,
    "Content-Disposition": contentDisposition(shown ? "inline" : "attachment", name),
    ETag: etag,
    "Cache-Control": KEPT,
    "Accept-Ranges": "bytes",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "cross-origin",
  })
  // A sandbox would keep browsers from showing a PDF, whose viewer runs no script of ours or of our host.
  if (type !== "application/pdf")
    headers.set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
  return headers
}
