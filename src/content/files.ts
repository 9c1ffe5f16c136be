// Names of a site's files in the MEDIA bucket, and their addresses on the site's host. A key starts with the site's id, which
// the address leaves out: the host says it, so no address of one site can lead to a file of another.
import { publicUrl } from "../env"
import type { MediaCtx } from "./site"

/** Files below this are no records of the media library: they are there exactly as long as their object is. */
export const AVATARS = "avatars/"

/**
 * The key of a file in the bucket.
 * @param path the file's path within its site, e.g. `avatars/01J….png`
 */
export const objectKey = (siteId: string, path: string): string => `${siteId}/${path}`

/** The address of a file: `/media/<path>` on the site's host. */
export const fileUrl = ({ settings, site }: Pick<MediaCtx, "settings" | "site">, path: string): string =>
  publicUrl(settings, site.hostname, `/media/${path.split("/").map(encodeURIComponent).join("/")}`)
