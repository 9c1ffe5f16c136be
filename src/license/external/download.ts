// Serves update files: finds the file, checks the license, and reads the requested range.

import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { updateStore } from "../../core/storage/updates"
import { batch } from "../../db/client"
import type { UpdateFile } from "../../db/schema/central/licenses"
import { type ByteRange, parseRange } from "../../lib/byte-range"
import { sanitiseFileName } from "../../lib/file-name"
import { firstMatch } from "../activations/queries"
import { recordRejection } from "../rejections/service"
import { getDownloadRejection } from "../rules/download"
import { isReleased } from "../rules/updates"
import type { LicenseCtx } from "../types"
import { firstVersion, selectVersion, type VersionWithProduct } from "../versions/queries"
import type { Download } from "./schemas"
import { licenseAndActivation, resolveProof } from "./verify"

/** A file by its version's public id and its type, `main` or `sql`. */
export interface FileRef {
  version: string
  type: string
}

/** An open file or part of a file. */
export interface FileDownload {
  kind: "open"
  body: ReadableStream
  /** The range that `body` contains; null for the whole file. */
  range: ByteRange | null
  /** Bytes of the whole file. */
  size: number
  type: string
  /** The download's file name. */
  name: string
  /** Including the quotes. */
  etag: string
}

/** The file does not exist, the license does not allow it, or the requested range is past its end. */
export type DownloadFailure = { kind: "missing" } | { kind: "refused" } | { kind: "unsatisfiable"; size: number }

/** Returns a released version's file; null if the version is unknown or unreleased, or has no such file. */
export function getReleasedFile(ctx: Ctx, found: VersionWithProduct | null, type: string): UpdateFile | null {
  if (!found?.product.isActive || !isReleased(found.version, ctx.now)) return null
  if (type === "main") return found.version.mainFile
  return type === "sql" ? found.version.sqlFile : null
}

/** Returns a file's size and type. They reveal nothing, so no license is required. */
export const findFile = async (ctx: LicenseCtx, { version, type }: FileRef): Promise<UpdateFile | null> =>
  getReleasedFile(ctx, firstVersion(await selectVersion(ctx.db, version)), type)

/**
 * Opens a file for an installation whose license allows the download.
 * @param proof the presented license
 * @param headers the request headers, for `Range` and `If-Range`
 */
export async function openDownload(
  ctx: LicenseCtx,
  { version, type }: FileRef,
  proof: z.output<typeof Download>,
  headers: Headers,
): Promise<FileDownload | DownloadFailure> {
  const { statement, request } = await resolveProof(ctx, proof, "domain")
  const [versions, matches = []] = await batch(ctx.db, [
    selectVersion(ctx.db, version),
    ...(statement ? [statement] : []),
  ])
  const found = firstVersion(versions)
  const file = getReleasedFile(ctx, found, type)
  const isRequestedProduct = !proof.product_id || proof.product_id === found?.product.referenceId
  if (!found || !file || !isRequestedProduct) return { kind: "missing" }

  const match = firstMatch(matches)
  const rejection = getDownloadRejection({ ...licenseAndActivation(match), ...found, request, now: ctx.now })
  if (rejection !== null) {
    recordRejection(ctx, "download", rejection, match?.license.id)
    return { kind: "refused" }
  }
  return openFile(ctx, file, buildFileName(found, type), headers)
}

/** Returns the name that a download is saved as. */
export const buildFileName = ({ product, version }: VersionWithProduct, type: string): string =>
  sanitiseFileName(`${type}_${product.referenceId}_${version.version}${type === "sql" ? ".sql" : ".zip"}`)

/** Opens a file, or the range that the headers ask for. */
export async function openFile(
  ctx: Ctx,
  file: UpdateFile,
  name: string,
  headers: Headers,
): Promise<FileDownload | DownloadFailure> {
  const { key, size, type } = file
  // Stored files are immutable, so the object key serves as the ETag.
  const etag = `"${key.split("/").at(-1)}"`
  // A client can resume only if its first part is from the same file (RFC 9110 section 13.1.5).
  const isCurrent = (headers.get("If-Range") ?? etag) === etag
  const range = isCurrent ? parseRange(headers.get("Range") ?? undefined, size) : null
  if (range === "unsatisfiable") return { kind: "unsatisfiable", size }
  const object = await updateStore(ctx.env).get(key, range)
  if (object) return { kind: "open", body: object.body, range, size, type, name, etag }
  ctx.log.error("an update file is missing in R2", new Error("no such object"), { file: key })
  return { kind: "missing" }
}
