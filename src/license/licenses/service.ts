// The verbs of a license.
import { and, eq } from "drizzle-orm"
import type * as z from "zod"
import { type Change, change, commit } from "../../core/commit"
import type { Ctx } from "../../core/context"
import type { Page } from "../../core/page"
import { invalid } from "../../core/refusal"
import { batch } from "../../db/client"
import { licenseActivations, licenses } from "../../db/schema/central/licenses"
import { selectProduct } from "../products/queries"
import type { Product } from "../products/schemas"
import { nextNoticeAt } from "../rules/notices"
import { licenseEvent } from "./events"
import { loadLicense, oneLicense, pageOfLicenses, selectLicenseAt } from "./queries"
import {
  type CreateLicense,
  codeKey,
  type License,
  type LicenseFields,
  type LicenseOfProduct,
  type ListLicenses,
  searchText,
} from "./schemas"

/** A page of licenses, the newest first. */
export const listLicenses = (ctx: Ctx, input: z.output<typeof ListLicenses>): Promise<Page<LicenseOfProduct>> =>
  pageOfLicenses(ctx, input)

/**
 * @param segment the license in the path: its number or its code
 * @throws Refusal `not_found`
 */
export const readLicense = (ctx: Ctx, segment: string): Promise<LicenseOfProduct> => loadLicense(ctx, segment)

/**
 * Creates a license; without a code it is given one.
 * @throws Refusal `validation_failed` for an unknown product and a code that is taken
 */
export async function createLicense(ctx: Ctx, input: z.output<typeof CreateLicense>): Promise<LicenseOfProduct> {
  const [product] = await selectProduct(ctx.db, input.product_reference_id)
  if (!product) throw invalid("product_reference_id", "selected")
  const [license] = await ctx.db
    .insert(licenses)
    .values(newLicense(ctx, product, input.license_code ?? crypto.randomUUID(), input))
    .onConflictDoNothing()
    .returning()
  if (!license) throw invalid("license_code", "taken")
  return { license, product }
}

/** The row of a new license. */
export function newLicense(
  ctx: Ctx,
  product: Product,
  code: string,
  input: LicenseFields,
): typeof licenses.$inferInsert {
  const blank = { type: "perpetual", domains: [], ips: [], isValid: true, isMarketplace: false }
  const fields = { ...blank, ...columnsOf(input) }
  return {
    ...fields,
    ...derived(ctx, { code, ...nothing, ...fields }),
    productId: product.id,
    code,
    codeKey: codeKey(code),
    createdAt: ctx.now,
    updatedAt: ctx.now,
  }
}

/**
 * Changes the fields that are given.
 * @param segment the license in the path: its number or its code
 * @throws Refusal `not_found`; `validation_failed` for an unknown product
 */
export const updateLicense = (ctx: Ctx, segment: string, input: LicenseFields): Promise<LicenseOfProduct> =>
  change(
    ctx,
    () => loadWithProduct(ctx, segment, input.product_reference_id),
    ({ license, product }) => {
      const columns = columnsOf(input)
      const next = { ...license, ...columns, productId: product.id, updatedAt: ctx.now }
      return replace(ctx, { license, product }, { ...next, ...derived(ctx, next) })
    },
  )

/**
 * Blocks a license, or lifts the block; its installations notice when they verify next.
 * @throws Refusal `not_found`
 */
export const setBlocked = (ctx: Ctx, segment: string, blocked: boolean): Promise<LicenseOfProduct> =>
  updateLicense(ctx, segment, { is_valid: !blocked })

/**
 * Deletes a license and its activations.
 * @throws Refusal `not_found`
 */
export async function removeLicense(ctx: Ctx, segment: string): Promise<void> {
  const { license } = await loadLicense(ctx, segment)
  await commit(ctx, {
    writes: [ctx.db.delete(licenseActivations).where(eq(licenseActivations.licenseId, license.id))],
    last: [ctx.db.delete(licenses).where(eq(licenses.id, license.id))],
  })
}

async function loadWithProduct(ctx: Ctx, segment: string, productId: string | undefined): Promise<LicenseOfProduct> {
  if (productId === undefined) return loadLicense(ctx, segment)
  const [found, [product]] = (await batch(ctx.db, [
    selectLicenseAt(ctx.db, segment),
    selectProduct(ctx.db, productId),
  ])) as [unknown, Product[]]
  const { license } = oneLicense(found)
  if (!product) throw invalid("product_reference_id", "selected")
  return { license, product }
}

/** The change of a license's row; a block is an event. */
function replace(ctx: Ctx, known: LicenseOfProduct, license: License): { change: Change; answer: LicenseOfProduct } {
  const answer = { license, product: known.product }
  const { id, activeUses, madeUses, createdAt, code, codeKey: key, ...values } = license
  const isBlocked = known.license.isValid && !license.isValid
  return {
    answer,
    change: {
      guard: ctx.db
        .update(licenses)
        .set(values)
        .where(and(eq(licenses.id, id), eq(licenses.updatedAt, known.license.updatedAt))),
      happenings: isBlocked ? [{ events: [licenseEvent("license.blocked", answer)] }] : [],
    },
  }
}

const nothing = { customerId: null, email: null, invoice: null, expiresAt: null, updatesUntil: null }

/** The columns of the fields that are given; those without a value keep what they have. */
function columnsOf(input: LicenseFields) {
  const columns = {
    type: input.type === null ? "perpetual" : input.type,
    customerId: input.customer_id,
    email: input.email,
    invoice: input.invoice,
    comments: input.comments,
    uses: input.uses,
    parallelUses: input.parallel_uses,
    domains: input.domains === null ? [] : input.domains,
    ips: input.ips === null ? [] : input.ips,
    supportUntil: input.support_until,
    updatesUntil: input.updates_until,
    expiresAt: input.expires_at,
    expiryDays: input.expiry_days,
    isValid: input.is_valid,
    isMarketplace: input.is_marketplace ?? input.is_envato,
  }
  const given = Object.entries(columns).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [K in keyof typeof columns]?: NonNullable<(typeof columns)[K]> }
}

/** The columns that follow from the others. */
const derived = (
  ctx: Ctx,
  license: Pick<License, "code" | "customerId" | "email" | "invoice" | "expiresAt" | "updatesUntil">,
) => ({
  customerKey: license.customerId?.trim().toLowerCase() ?? null,
  nextNoticeAt: nextNoticeAt(license, ctx.now),
  searchText: searchText([license.code, license.customerId, license.email, license.invoice]),
})
