// Update files for installations: which file is meant, whether it may be had, and the part of it that is asked for.
import type * as z from "zod"
import { batch } from "../../db/client"
import type { UpdateFile } from "../../db/schema/central/licenses"
import { type ByteRange, parseRange } from "../../lib/byte-range"
import { sanitiseFileName } from "../../lib/file-name"
import { oneHolding } from "../activations/queries"
import { noteFault } from "../rejections/service"
import { downloadFault } from "../rules/download"
import { isReleased } from "../rules/updates"
import type { LicenseCtx } from "../types"
import { oneVersion, selectVersion, type VersionOfProduct } from "../versions/queries"
import type { Download } from "./schemas"
import { parts, shownLicense } from "./verify"

/** A version by the id that clients know, and which of its files: `main` or `sql`; any other has none. */
export interface FileName {
  version: string
  type: string
}

/** A file on its way, whole or in part. */
export interface OpenFile {
  kind: "open"
  body: ReadableStream
  /** The part of the file that `body` is; null for the whole. */
  range: ByteRange | null
  size: number
  type: string
  /** What the file is called where it arrives. */
  name: string
  /** Quoted, as HTTP has it. */
  etag: string
}

/** Why there is no file: none is there, the license does not give it, or the part asked for lies behind its end. */
export type NoFile = { kind: "missing" } | { kind: "refused" } | { kind: "unsatisfiable"; size: number }

/** The file of a version that is out, or null: unknown, not out yet, of no such type, or never uploaded. */
function fileOf(ctx: LicenseCtx, found: VersionOfProduct | null, type: string): UpdateFile | null {
  if (!found?.product.isActive || !isReleased(found.version, ctx.now)) return null
  if (type === "main") return found.version.mainFile
  return type === "sql" ? found.version.sqlFile : null
}

/** A file's length and type, which need no license: they tell nothing. */
export const findFile = async (ctx: LicenseCtx, { version, type }: FileName): Promise<UpdateFile | null> =>
  fileOf(ctx, oneVersion(await selectVersion(ctx.db, version)), type)

/**
 * Opens a file for an installation that may have it.
 * @param proof what may prove a license
 * @param headers the request's: `Range` and `If-Range` count
 */
export async function openDownload(
  ctx: LicenseCtx,
  { version, type }: FileName,
  proof: z.output<typeof Download>,
  headers: Headers,
): Promise<OpenFile | NoFile> {
  const { statement, request } = await shownLicense(ctx, proof, "domain")
  const [versions, holdings = []] = await batch(ctx.db, [
    selectVersion(ctx.db, version),
    ...(statement ? [statement] : []),
  ])
  const found = oneVersion(versions)
  const file = fileOf(ctx, found, type)
  const isMeant = !proof.product_id || proof.product_id === found?.product.referenceId
  if (!found || !file || !isMeant) return { kind: "missing" }

  const holding = oneHolding(holdings)
  const fault = downloadFault({ ...parts(holding), ...found, request, now: ctx.now })
  if (fault !== null) {
    noteFault(ctx, "download", fault, holding?.license.id)
    return { kind: "refused" }
  }
  return openFile(ctx, file, nameOf(found, type), headers)
}

const nameOf = ({ product, version }: VersionOfProduct, type: string): string =>
  sanitiseFileName(`${type}_${product.referenceId}_${version.version}${type === "sql" ? ".sql" : ".zip"}`)

async function openFile(ctx: LicenseCtx, file: UpdateFile, name: string, headers: Headers): Promise<OpenFile | NoFile> {
  const { key, size, type } = file
  // A stored file is never written again, so its key says which one it is.
  const etag = `"${key.split("/").at(-1)}"`
  // A client that resumes must have the beginning of this very file (RFC 9110, section 13.1.5).
  const isCurrent = (headers.get("If-Range") ?? etag) === etag
  const range = isCurrent ? parseRange(headers.get("Range") ?? undefined, size) : null
  if (range === "unsatisfiable") return { kind: "unsatisfiable", size }
  const object = await ctx.env.UPDATES.get(key, range ? { range } : undefined)
  if (object) return { kind: "open", body: object.body, range, size, type, name, etag }
  ctx.log.error("an update file is gone", new Error("no such object"), { file: key })
  return { kind: "missing" }
}
