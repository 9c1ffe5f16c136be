// Builds the keys of a site's files in the MEDIA bucket and their URLs. A key starts with the site's id; the URL omits
// it, because the host determines the site. So no URL of one site can lead to a file of another.
import { publicUrl } from "../env"
import { ulid } from "../lib/ulid"
import type { MediaCtx } from "./site"

const AVATAR_PATTERN = /^avatars\/([0-9A-Z]{26}\.[a-z]{3,4})$/

/**
 * Generates the path of a new avatar.
 * @param extension three or four lower-case letters
 */
export const newAvatarPath = (now: Date, extension: string): string => `avatars/${ulid(now)}.${extension}`

/**
 * Returns the file name in an avatar's path; null for any other path. Avatars have no rows in the media library: an
 * avatar exists exactly as long as its object in the bucket.
 */
export const parseAvatarPath = (path: string): string | null => AVATAR_PATTERN.exec(path)?.[1] ?? null

/**
 * Returns the key of a file in the bucket.
 * @param path the file's path within its site, e.g. `avatars/01J….png`
 */
export const objectKey = (siteId: string, path: string): string => `${siteId}/${path}`

/** The inputs of a file's URL. */
export type FileCtx = Pick<MediaCtx, "settings"> & { readonly site: Pick<MediaCtx["site"], "hostname"> }

/** Returns the URL of a file: `/media/<path>` on the site's host. */
export const fileUrl = ({ settings, site }: FileCtx, path: string): string =>
  publicUrl(settings, site.hostname, `/media/${path.split("/").map(encodeURIComponent).join("/")}`)
