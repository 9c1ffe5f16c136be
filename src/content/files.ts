// Names of a site's files in the MEDIA bucket, and their addresses on the site's host. A key starts with the site's id, which
// the address leaves out: the host says it, so no address of one site can lead to a file of another.
import { publicUrl } from "../env"
import { ulid } from "../lib/ulid"
import type { MediaCtx } from "./site"

const AVATAR = /^avatars\/([0-9A-Z]{26}\.[a-z]{3,4})$/

/**
 * The path of a new avatar.
 * @param extension three or four small letters
 */
export const avatarPath = (now: Date, extension: string): string => `avatars/${ulid(now)}.${extension}`

/**
 * The name of the avatar that has a path, null for a path that none has. Avatars are no records of the media library: they are there
 * exactly as long as their object is.
 */
export const avatarName = (path: string): string | null => AVATAR.exec(path)?.[1] ?? null

/**
 * The key of a file in the bucket.
 * @param path the file's path within its site, e.g. `avatars/01J….png`
 */
export const objectKey = (siteId: string, path: string): string => `${siteId}/${path}`

/** The address of a file: `/media/<path>` on the site's host. */
export const fileUrl = ({ settings, site }: Pick<MediaCtx, "settings" | "site">, path: string): string =>
  publicUrl(settings, site.hostname, `/media/${path.split("/").map(encodeURIComponent).join("/")}`)
