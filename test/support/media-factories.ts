// What tests of the media library are made of: a client that carries a key, forms, and a look into the bucket.
import { env } from "cloudflare:workers"
import type { Answer, CallOptions } from "./app"
import { content, hostOfStore } from "./content-factories"
import { makeServerKey } from "./key-factories"

/** The media API of a site with a key: `media("GET", "/files")`. */
export type Media = (method: string, path: string, options?: CallOptions) => Promise<Answer>

/** A client of a site's media API with a key of its own, whose budget no test uses up. */
export async function mediaOf(siteId = "central"): Promise<Media> {
  const host = siteId === "central" ? "localhost" : hostOfStore(siteId)
  let key = await makeServerKey(siteId, "internal")
  let left = 100
  return async (method, path, options = {}) => {
    if (--left === 0) {
      key = await makeServerKey(siteId, "internal")
      left = 100
    }
    return content(method, `/media${path}`, { host, ...options, headers: { "X-API-KEY": key, ...options.headers } })
  }
}

/** Uploads bytes under a name. */
export function upload(
  media: Media,
  name: string,
  bytes: string | Uint8Array<ArrayBuffer>,
  folderId?: number,
): Promise<Answer> {
  const form = new FormData()
  form.set("file", new Blob([bytes]), name)
  if (folderId !== undefined) form.set("folder_id", String(folderId))
  return media("POST", "/files", { body: form })
}

/** The keys of a site in the bucket. */
export const keysOf = async (siteId = "central"): Promise<string[]> =>
  (await env.MEDIA.list({ prefix: `${siteId}/` })).objects.map((object) => object.key)
