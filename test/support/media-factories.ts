// Media library helpers for tests: an authenticated client, uploads, and the keys in the bucket.
import { env } from "cloudflare:workers"
import type { CallOptions, TestResponse } from "./app"
import { content, hostOfStore } from "./content-factories"
import { makeServerKey } from "./key-factories"

/** Client of a site's media API: `media("GET", "/files")`. */
export type MediaClient = (method: string, path: string, options?: CallOptions) => Promise<TestResponse>

/** Creates a client of a site's media API. It switches to a new key before the rate limit is reached. */
export async function makeMediaClient(siteId = "central"): Promise<MediaClient> {
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

/** Uploads a file. */
export function upload(
  media: MediaClient,
  name: string,
  bytes: string | Uint8Array<ArrayBuffer>,
  folderId?: number,
): Promise<TestResponse> {
  const form = new FormData()
  form.set("file", new Blob([bytes]), name)
  if (folderId !== undefined) form.set("folder_id", String(folderId))
  return media("POST", "/files", { body: form })
}

/** Lists the keys of a site in the bucket. */
export const listObjectKeys = async (siteId = "central"): Promise<string[]> =>
  (await env.MEDIA.list({ prefix: `${siteId}/` })).objects.map((object) => object.key)
