// The verbs of a version. A file is replaced by pointing the row at another one; only then does the old one go.
import { eq } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/refusal"
import { batch } from "../../db/client"
import { licenseVersions } from "../../db/schema/central/licenses"
import type { Product } from "../products/schemas"
import { versionKey } from "../rules/version-order"
import { loadVersion, type VersionOfProduct, versionsOf } from "./queries"
import type { CreateVersion, UpdateVersion, Version } from "./schemas"
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
  const [version] = await ctx.db
    .insert(licenseVersions)
    .values({
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
      createdAt: ctx.now,
      updatedAt: ctx.now,
    })
    .onConflictDoNothing()
    .returning()
  if (version) return version
  const [taken] = await ctx.db
    .select({ id: licenseVersions.id })
    .from(licenseVersions)
    .where(eq(licenseVersions.versionId, input.version_id ?? ""))
  throw invalid(taken ? "version_id" : "version", "taken")
}

/**
 * Changes the fields and files that are given.
 * @throws Refusal `not_found`; `validation_failed` when the product has that version
 */
export async function updateVersion(
  ctx: Ctx,
  { version: { id } }: VersionOfProduct,
  input: z.output<typeof UpdateVersion>,
  files: UploadedFiles,
): Promise<Version> {
  const change = ctx.db
    .update(licenseVersions)
    .set({
      version: input.version,
      sortKey: input.version && versionKey(input.version),
      summary: input.summary,
      changelog: input.changelog,
      releasedAt: input.released_at,
      isActive: input.is_active,
      ...files,
      updatedAt: ctx.now,
    })
    .where(eq(licenseVersions.id, id))
    .returning()
  // What is replaced is read where it is replaced: an upload takes long, and another one may have come and gone meanwhile.
  const before = ctx.db.select().from(licenseVersions).where(eq(licenseVersions.id, id))
  const [[replaced], [version]] = (await batch(ctx.db, [before, change]).catch((cause) => {
    throw /UNIQUE/.test(String(cause?.cause ?? cause)) ? invalid("version", "taken") : cause
  })) as [Version[], Version[]]
  if (!replaced || !version) throw new Refusal("not_found")
  ctx.after(discard(ctx.env.UPDATES, [files.mainFile && replaced.mainFile, files.sqlFile && replaced.sqlFile]))
  return version
}

/** Twenty hex digits, as clients in the field know them. */
const newVersionId = (): string => crypto.getRandomValues(new Uint8Array(10)).toHex()
