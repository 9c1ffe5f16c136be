// Creates, reads and updates versions. A file is replaced by updating the row's reference first and deleting the old
// file after.
import { and, eq, ne, or, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { type Precondition, versionTag } from "../../core/http/precondition"
import { Refusal } from "../../core/http/refusal"
import { applyChange, commit, WriteConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { licenseVersions } from "../../db/schema/central/licenses"
import { insert, update } from "../../db/write"
import { type InputColumns, toColumns } from "../../lib/every-field"
import { randomBytes } from "../../lib/random"
import { auditChanged, auditCreated } from "../audit"
import { definedColumns } from "../fields"
import type { Product } from "../products/schemas"
import { versionSortKey } from "../rules/version-order"
import { loadVersion, loadVersions, type VersionWithProduct } from "./queries"
import { type CreateVersion, type UpdateVersion, type Version, versionResource } from "./schemas"
import { deleteFiles, type UploadedFiles } from "./upload"

/**
 * Lists the versions of a product, newest first.
 * @param product path segment: its reference id or id
 * @throws Refusal `not_found`
 */
export const listVersions = (ctx: Ctx, product: string): Promise<{ product: Product; versions: Version[] }> =>
  loadVersions(ctx, product)

/**
 * Returns a version of a product.
 * @throws Refusal `not_found`
 */
export const readVersion = (ctx: Ctx, product: string, versionId: string): Promise<VersionWithProduct> =>
  loadVersion(ctx, product, versionId)

/**
 * Creates a version, released now unless a date is given.
 * @param files already uploaded to R2
 * @throws Refusal `validation_failed` when the version or the version id is taken
 */
export async function createVersion(
  ctx: Ctx,
  product: Product,
  input: Input<typeof CreateVersion>,
  files: UploadedFiles,
): Promise<Version> {
  const values = await input.completeBeforeCommit((valid) => findTaken(ctx, product, valid))
  const row = buildVersion(ctx, product, values, files)
  const { id, versionId } = licenseVersions
  const idOf = ctx.db.select({ id }).from(licenseVersions).where(eq(versionId, row.versionId))
  const fields = versionResource({ ...row, id: 0 }, product)
  const [[version]] = await commit(ctx, {
    writes: [insert(licenseVersions).values(row).returning()],
    auditLog: [{ audit: { subject: "version", action: "created", id: sql`${idOf}`, ...auditCreated(fields) } }],
  }).catch(async (cause) => {
    if (!(cause instanceof WriteConflict)) throw cause
    // Two columns are unique; report the one that is taken.
    throw input.reject((await idOf).length ? "version_id" : "version", "taken")
  })
  if (!version) throw new Error("the version was not stored")
  return version
}

/** Finds which of the unique fields are taken. */
async function findTaken(
  ctx: Ctx,
  product: Product,
  { version = "", version_id: versionId = "" }: { version?: string; version_id?: string },
) {
  const columns = { version: licenseVersions.version, productId: licenseVersions.productId }
  const isTaken = or(
    eq(licenseVersions.versionId, versionId),
    and(eq(licenseVersions.productId, product.id), eq(licenseVersions.version, version)),
  )
  const rows = await ctx.db
    .select({ ...columns, versionId: licenseVersions.versionId })
    .from(licenseVersions)
    .where(isTaken)
  return {
    version: rows.some((row) => row.productId === product.id && row.version === version) ? "taken" : null,
    version_id: rows.some((row) => row.versionId === versionId) ? "taken" : null,
  } as const
}

/** The column that stores each field of the inputs. */
const INPUT_COLUMNS = {
  version: "version",
  version_id: { omitted: "generated when it is missing" },
  summary: "summary",
  changelog: "changelog",
  released_at: "releasedAt",
  is_active: "isActive",
} as const satisfies InputColumns<z.output<typeof CreateVersion> & z.output<typeof UpdateVersion>, Version>

const buildVersion = (
  ctx: Ctx,
  product: Product,
  input: z.output<typeof CreateVersion>,
  files: UploadedFiles,
): Omit<Version, "id"> => ({
  summary: null,
  changelog: null,
  isActive: true,
  ...columnsOf(input),
  versionId: input.version_id ?? generateVersionId(),
  productId: product.id,
  version: input.version,
  sortKey: versionSortKey(input.version),
  releasedAt: input.released_at ?? ctx.now,
  mainFile: files.mainFile ?? null,
  sqlFile: files.sqlFile ?? null,
  revision: 1,
  createdAt: ctx.now,
  updatedAt: ctx.now,
})

/**
 * Updates the given fields and files.
 * @param precondition compares the `versionTag` of its id and revision
 * @throws Refusal `not_found`, `precondition_failed`; `validation_failed` when the product already has that version
 */
export async function updateVersion(
  ctx: Ctx,
  { version: { id }, product }: VersionWithProduct,
  input: Input<typeof UpdateVersion>,
  files: UploadedFiles,
  precondition?: Precondition,
): Promise<Version> {
  const { replaced, version } = await applyChange(
    ctx,
    // Reloaded, because an upload takes long and the version may have changed in the meantime.
    () => loadForUpdate(ctx, id, product.id, input.valid.version),
    ({ current: before, duplicate }) => {
      precondition?.(versionTag(id, before.revision))
      const fields = input.complete({ version: duplicate ? "taken" : null })
      const columns = { ...columnsOf(fields), ...files, updatedAt: ctx.now }
      const version = { ...before, ...columns }
      const difference = auditChanged(versionResource(before, product), versionResource(version, product))
      const data = { files: Object.keys(files) }
      // A new file of the same size and type makes no difference in the resource.
      if (!difference && !data.files.length) return { result: { replaced: before, version: before } }
      return {
        result: { replaced: before, version },
        change: {
          guard: update(licenseVersions)
            .set({ ...columns, revision: sql`${licenseVersions.revision} + 1` })
            .where(and(eq(licenseVersions.id, id), eq(licenseVersions.revision, before.revision))),
          auditLog: [{ audit: { subject: "version", action: "changed", id, data, ...difference } }],
        },
      }
    },
  )
  ctx.inBackground(deleteFiles(ctx, [files.mainFile && replaced.mainFile, files.sqlFile && replaced.sqlFile]))
  return version
}

async function loadForUpdate(
  ctx: Ctx,
  id: number,
  productId: number,
  newVersion: string | undefined,
): Promise<{ current: Version; duplicate: unknown }> {
  const { id: rowId, version } = licenseVersions
  const [[current], [duplicate]] = await batch(ctx.db, [
    ctx.db.select().from(licenseVersions).where(eq(rowId, id)),
    ctx.db
      .select({ id: rowId })
      .from(licenseVersions)
      .where(and(eq(licenseVersions.productId, productId), eq(version, newVersion ?? ""), ne(rowId, id))),
  ])
  if (!current) throw new Refusal("not_found")
  return { current, duplicate }
}

const columnsOf = (input: z.output<typeof UpdateVersion>): Partial<Version> =>
  definedColumns({
    ...toColumns(input, INPUT_COLUMNS),
    sortKey: input.version && versionSortKey(input.version),
  })

/** Generates 20 hex digits, the format that deployed clients expect. */
const generateVersionId = (): string => randomBytes(10).toHex()
