// The verbs of a version. A file is replaced by pointing the row at another one; only then does the old one go.
import { and, eq, ne, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { change, commit, WriteConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { licenseVersions } from "../../db/schema/central/licenses"
import { insert, update } from "../../db/write"
import { changed, made } from "../audit"
import { given } from "../fields"
import type { Product } from "../products/schemas"
import { versionKey } from "../rules/version-order"
import { loadVersion, type VersionOfProduct, versionsOf } from "./queries"
import { type CreateVersion, type UpdateVersion, type Version, versionResource } from "./schemas"
import { discard, type UploadedFiles } from "./upload"

/**
 * All versions of a product, the newest first.
 * @param product in the path: its reference id or its number
 * @throws Refusal `not_found`
 */
export const listVersions = (ctx: Ctx, product: string): Promise<{ product: Product; versions: Version[] }> =>
  versionsOf(ctx, product)

/**
 * A version of a product.
 * @throws Refusal `not_found`
 */
export const readVersion = (ctx: Ctx, product: string, versionId: string): Promise<VersionOfProduct> =>
  loadVersion(ctx, product, versionId)

/**
 * Creates a version; released now unless a date is given.
 * @param files already stored
 * @throws Refusal `validation_failed` when the product has that version, or the version id is taken
 */
export async function createVersion(
  ctx: Ctx,
  product: Product,
  input: z.output<typeof CreateVersion>,
  files: UploadedFiles,
): Promise<Version> {
  const row = newVersion(ctx, product, input, files)
  const { id, versionId } = licenseVersions
  const idOf = ctx.db.select({ id }).from(licenseVersions).where(eq(versionId, row.versionId))
  const fields = versionResource({ ...row, id: 0 }, product)
  const [[version]] = await commit(ctx, {
    writes: [insert(licenseVersions).values(row).returning()],
    trail: [{ audit: { subject: "version", deed: "created", id: sql`${idOf}`, ...made(fields) } }],
  }).catch(async (cause) => {
    if (!(cause instanceof WriteConflict)) throw cause
    // Of the two things that must be unique, the one that is there already.
    throw invalid((await idOf).length ? "version_id" : "version", "taken")
  })
  if (!version) throw new Error("the version was not stored")
  return version
}

const newVersion = (
  ctx: Ctx,
  product: Product,
  input: z.output<typeof CreateVersion>,
  files: UploadedFiles,
): Omit<Version, "id"> => ({
  versionId: input.version_id ?? newVersionId(),
  productId: product.id,
  version: input.version,
  sortKey: versionKey(input.version),
  summary: input.summary ?? null,
  changelog: input.changelog ?? null,
  releasedAt: input.released_at ?? ctx.now,
  isActive: input.is_active ?? true,
  mainFile: files.mainFile ?? null,
  sqlFile: files.sqlFile ?? null,
  revision: 1,
  createdAt: ctx.now,
  updatedAt: ctx.now,
})

/**
 * Changes the fields and files that are given.
 * @throws Refusal `not_found`; `validation_failed` when the product has that version
 */
export async function updateVersion(
  ctx: Ctx,
  { version: { id }, product }: VersionOfProduct,
  input: z.output<typeof UpdateVersion>,
  files: UploadedFiles,
): Promise<Version> {
  const { replaced, version } = await change(
    ctx,
    // Read anew: an upload takes long, and another one may have come and gone meanwhile.
    () => loadForUpdate(ctx, id, product.id, input.version),
    (before) => {
      const columns = { ...columnsOf(input), ...files, updatedAt: ctx.now }
      const version = { ...before, ...columns }
      const difference = changed(versionResource(before, product), versionResource(version, product))
      const data = { files: Object.keys(files) }
      // A file that is as long as the one before it differs in nothing that is shown.
      if (!difference && !data.files.length) return { answer: { replaced: before, version: before } }
      return {
        answer: { replaced: before, version },
        change: {
          guard: update(licenseVersions)
            .set({ ...columns, revision: sql`${licenseVersions.revision} + 1` })
            .where(and(eq(licenseVersions.id, id), eq(licenseVersions.revision, before.revision))),
          trail: [{ audit: { subject: "version", deed: "changed", id, data, ...difference } }],
        },
      }
    },
  )
  ctx.after(discard(ctx.env.UPDATES, [files.mainFile && replaced.mainFile, files.sqlFile && replaced.sqlFile]))
  return version
}

async function loadForUpdate(ctx: Ctx, id: number, productId: number, wanted: string | undefined): Promise<Version> {
  const { id: number, version } = licenseVersions
  const [[known], [other]] = await batch(ctx.db, [
    ctx.db.select().from(licenseVersions).where(eq(number, id)),
    ctx.db
      .select({ id: number })
      .from(licenseVersions)
      .where(and(eq(licenseVersions.productId, productId), eq(version, wanted ?? ""), ne(number, id))),
  ])
  if (!known) throw new Refusal("not_found")
  if (other) throw invalid("version", "taken")
  return known
}

const columnsOf = (input: z.output<typeof UpdateVersion>): Partial<Version> =>
  given({
    version: input.version,
    sortKey: input.version && versionKey(input.version),
    summary: input.summary,
    changelog: input.changelog,
    releasedAt: input.released_at,
    isActive: input.is_active,
  })

/** Twenty hex digits, as clients in the field know them. */
const newVersionId = (): string => crypto.getRandomValues(new Uint8Array(10)).toHex()
