// `ETag` and `If-Match` (RFC 9110, section 13.1.1): a change applies only to the version of the resource that the
// caller has read.
import type { Context } from "hono"
import { Refusal } from "./refusal"

/**
 * Asserts that a resource has a version that the caller accepts.
 * @param etags the ETag of the version; several, where its representations have different ones
 * @throws Refusal `precondition_failed`
 */
export type Precondition = (...etags: string[]) => void

/** Builds the strong ETag of a row from its id and its version. */
export const versionTag = (id: number, version: number): string => `"${id}.${version}"`

/**
 * Reads `If-Match` of a request. Weak tags never match.
 * @returns undefined without the header
 */
export function readPrecondition(c: Context): Precondition | undefined {
  const header = c.req.header("If-Match")
  if (header === undefined) return undefined
  const accepted = header.split(",").map((tag) => tag.trim())
  return (...etags) => {
    if (!["*", ...etags].some((etag) => accepted.includes(etag))) throw new Refusal("precondition_failed")
  }
}
