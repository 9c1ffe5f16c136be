// Creates, reads, updates, blocks and deletes licenses.

import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { type Input, validInput } from "../../core/http/input"
import { type Precondition, versionTag } from "../../core/http/precondition"
import type { Page } from "../../core/list/page"
import { applyChange, type Change, commit, WriteConflict } from "../../core/write/commit"
import { batch, read } from "../../db/client"
import { licenseActivations, licenseRejections, licenses } from "../../db/schema/central/licenses"
import { insert, remove, update } from "../../db/write"
import { type InputColumns, toColumns } from "../../lib/every-field"
import { randomUuid } from "../../lib/random"
import { auditChanged, auditCreated, auditRemoved } from "../audit"
import { definedColumns } from "../fields"
import { selectProductByReference } from "../products/queries"
import type { Product } from "../products/schemas"
import { getNextNoticeAt } from "../rules/notices"
import {
  type LicenseRef,
  loadLicense,
  readLicensePage,
  requireLicense,
  selectLicense,
  streamLicenseChunks,
} from "./queries"
import {
  type CreateLicense,
  type License,
  type LicenseFields,
  type LicenseWithProduct,
  type ListLicenses,
  licenseResource,
  normaliseCode,
  searchText,
  UpdateLicense,
} from "./schemas"

/** Lists licenses, newest first. */
export const listLicenses = (ctx: Ctx, input: z.output<typeof ListLicenses>): Promise<Page<LicenseWithProduct>> =>
  readLicensePage(ctx, input)

/** Streams all matching licenses, newest first. */
export const streamLicenses = (ctx: Ctx, input: z.output<typeof ListLicenses>): AsyncGenerator<LicenseWithProduct[]> =>
  streamLicenseChunks(ctx, input)

/** @throws Refusal `not_found` */
export const readLicense = (ctx: Ctx, ref: LicenseRef): Promise<LicenseWithProduct> => loadLicense(ctx, ref)

/**
 * Creates a license, with a generated code unless one is given.
 * @throws Refusal `validation_failed` for an unknown product or a code that is taken
 */
export async function createLicense(ctx: Ctx, input: Input<typeof CreateLicense>): Promise<LicenseWithProduct> {
  const { product_reference_id: referenceId = "" } = input.valid
  const [product] = await read(ctx.db, selectProductByReference({ referenceId }))
  const fields = await input
    .with({ product_reference_id: product ? null : "selected" })
    .completeBeforeCommit(async ({ license_code: code }) => ({
      license_code: code && (await licenseExists(ctx, code)) ? "taken" : null,
    }))
  if (!product) throw input.reject("product_reference_id", "selected")
  try {
    return await storeLicense(ctx, product, fields.license_code ?? randomUuid(), fields)
  } catch (cause) {
    throw cause instanceof WriteConflict ? input.reject("license_code", "taken") : cause
  }
}

const licenseExists = async (ctx: Ctx, code: string): Promise<boolean> => {
  const isCode = eq(licenses.codeKey, normaliseCode(code))
  return (await ctx.db.select({ id: licenses.id }).from(licenses).where(isCode)).length > 0
}

/**
 * Inserts a license.
 * @throws WriteConflict when the code is taken
 */
export async function storeLicense(
  ctx: Ctx,
  product: Product,
  code: string,
  input: LicenseFields,
): Promise<LicenseWithProduct> {
  const row = buildLicense(ctx, product, code, input)
  const id = ctx.db.select({ id: licenses.id }).from(licenses).where(eq(licenses.codeKey, row.codeKey))
  const fields = licenseResource({ license: { ...row, id: 0 }, product })
  const [[license]] = await commit(ctx, {
    writes: [insert(licenses).values(row).returning()],
    auditLog: [{ audit: { subject: "license", action: "created", id: sql`${id}`, ...auditCreated(fields) } }],
  })
  if (!license) throw new Error("the license was not stored")
  return { license, product }
}

function buildLicense(ctx: Ctx, product: Product, code: string, input: LicenseFields): Omit<License, "id"> {
  const fields = { ...DEFAULT_LICENSE, ...columnsOf(input) }
  return {
    ...fields,
    ...deriveColumns({ ...fields, code }),
    nextNoticeAt: getNextNoticeAt(fields, ctx.now),
    productId: product.id,
    code,
    codeKey: normaliseCode(code),
    activeUses: 0,
    madeUses: 0,
    noticeFailedAt: null,
    revision: 1,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  }
}

const DEFAULT_LICENSE = {
  type: "perpetual",
  customerId: null,
  email: null,
  invoice: null,
  comments: null,
  uses: null,
  parallelUses: null,
  domains: [] as string[],
  ips: [] as string[],
  supportUntil: null,
  updatesUntil: null,
  expiresAt: null,
  expiryDays: null,
  isValid: true,
  isMarketplace: false,
}

/**
 * Updates the given fields.
 * @param precondition compares the `versionTag` of its id and revision
 * @throws Refusal `not_found`, `precondition_failed`; `validation_failed` for an unknown product
 */
export const updateLicense = (
  ctx: Ctx,
  ref: LicenseRef,
  input: Input<typeof UpdateLicense>,
  precondition?: Precondition,
): Promise<LicenseWithProduct> =>
  applyChange(
    ctx,
    () => loadWithNewProduct(ctx, ref, input.valid.product_reference_id),
    ({ current, product }) => {
      precondition?.(versionTag(current.license.id, current.license.revision))
      if (!product) throw input.reject("product_reference_id", "selected")
      const { license } = current
      const columns = { ...columnsOf(input.complete({ product_reference_id: null })), productId: product.id }
      const next = { ...license, ...columns, ...deriveColumns({ ...license, ...columns }) }
      return planUpdate(ctx, current, { license: { ...next, ...rescheduleNotice(ctx, license, next) }, product })
    },
  )

/**
 * Blocks or unblocks a license. Installations notice on their next verification.
 * @throws Refusal `not_found`
 */
export const setBlocked = (ctx: Ctx, ref: LicenseRef, isBlocked: boolean): Promise<LicenseWithProduct> =>
  updateLicense(ctx, ref, validInput(UpdateLicense, { is_valid: !isBlocked }))

/**
 * Deletes a license, its activations and its rejections.
 * @throws Refusal `not_found`
 */
export const removeLicense = (ctx: Ctx, ref: LicenseRef): Promise<void> =>
  applyChange(
    ctx,
    () => loadLicense(ctx, ref),
    (current) => ({
      result: undefined,
      change: {
        // The license is deleted first, so that the activations' triggers have no counters to update.
        guard: remove(licenses).where(isUnchanged(current.license)),
        writes: [
          remove(licenseActivations).where(eq(licenseActivations.licenseId, current.license.id)),
          remove(licenseRejections).where(eq(licenseRejections.licenseId, current.license.id)),
        ],
        auditLog: [
          {
            audit: {
              subject: "license",
              action: "deleted",
              id: current.license.id,
              ...auditRemoved(licenseResource(current)),
            },
          },
        ],
      },
    }),
  )

/** Loads a license, and the product that it will belong to after the update. */
async function loadWithNewProduct(ctx: Ctx, ref: LicenseRef, productId: string | undefined) {
  if (productId === undefined) {
    const current = await loadLicense(ctx, ref)
    return { current, product: current.product }
  }
  const [found, [product]] = await batch(ctx.db, [
    selectLicense(ref),
    selectProductByReference({ referenceId: productId }),
  ])
  return { current: requireLicense(found), product }
}

/** Condition: the license has not changed since it was loaded. */
const isUnchanged = ({ id, revision }: License) => and(eq(licenses.id, id), eq(licenses.revision, revision))

/** Plans the write that updates a license. A block also emits an event. Without a difference nothing is written. */
function planUpdate(
  ctx: Ctx,
  current: LicenseWithProduct,
  { license, product }: LicenseWithProduct,
): { change?: Change; result: LicenseWithProduct } {
  const difference = auditChanged(licenseResource(current), licenseResource({ license, product }))
  if (!difference) return { result: current }
  const result = { license: { ...license, updatedAt: ctx.now }, product }
  const { id, activeUses, madeUses, createdAt, code, codeKey: key, ...columns } = result.license
  const isValidityChanged = current.license.isValid !== license.isValid
  const action = !isValidityChanged ? "changed" : license.isValid ? "unblocked" : "blocked"
  return {
    result,
    change: {
      guard: update(licenses)
        .set({ ...columns, revision: sql`${licenses.revision} + 1` })
        .where(isUnchanged(current.license)),
      auditLog: [
        {
          audit: { subject: "license", action, id, ...difference },
          events: action === "blocked" ? [{ type: "license.blocked", data: { license: licenseResource(result) } }] : [],
        },
      ],
    },
  }
}

/** The column that stores each field of the inputs. */
const INPUT_COLUMNS = {
  product_reference_id: { omitted: "stored as the product's id" },
  license_code: { omitted: "generated when it is missing" },
  type: "type",
  customer_id: "customerId",
  email: "email",
  invoice: "invoice",
  comments: "comments",
  uses: "uses",
  parallel_uses: "parallelUses",
  domains: "domains",
  ips: "ips",
  support_until: "supportUntil",
  updates_until: "updatesUntil",
  expires_at: "expiresAt",
  expiry_days: "expiryDays",
  is_valid: "isValid",
  is_marketplace: "isMarketplace",
  is_envato: { omitted: "an alternative name of is_marketplace" },
} as const satisfies InputColumns<z.output<typeof CreateLicense> & LicenseFields, License>

/** Maps the given fields to columns; null restores a field's default. */
const columnsOf = (input: LicenseFields) =>
  definedColumns({
    ...toColumns(input, INPUT_COLUMNS),
    type: input.type === null ? "perpetual" : input.type,
    domains: input.domains === null ? [] : input.domains,
    ips: input.ips === null ? [] : input.ips,
    isMarketplace: input.is_marketplace ?? input.is_envato,
  })

/** Reschedules the next notice if a date changed. Otherwise a notice that is due and not sent yet stays due. */
function rescheduleNotice(ctx: Ctx, before: License, after: License): Partial<License> {
  const isSame = (name: "expiresAt" | "updatesUntil") => before[name]?.getTime() === after[name]?.getTime()
  return isSame("expiresAt") && isSame("updatesUntil") ? {} : { nextNoticeAt: getNextNoticeAt(after, ctx.now) }
}

/** Computes the derived columns. */
const deriveColumns = (license: Pick<License, "code" | "customerId" | "email" | "invoice">) => ({
  customerKey: license.customerId?.trim().toLowerCase() ?? null,
  searchText: searchText([license.code, license.customerId, license.email, license.invoice]),
})
