// The verbs of a license.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { type Change, change } from "../../core/commit"
import type { Ctx } from "../../core/context"
import type { Page } from "../../core/page"
import { invalid } from "../../core/refusal"
import { batch } from "../../db/client"
import { licenseActivations, licenses } from "../../db/schema/central/licenses"
import { given } from "../fields"
import { selectProduct } from "../products/queries"
import type { Product } from "../products/schemas"
import { nextNoticeAt } from "../rules/notices"
import { licenseEvent } from "./events"
import { type LicenseName, loadLicense, oneLicense, pageOfLicenses, selectLicense } from "./queries"
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

/** @throws Refusal `not_found` */
export const readLicense = (ctx: Ctx, name: LicenseName): Promise<LicenseOfProduct> => loadLicense(ctx, name)

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
    ...derived({ code, ...nothing, ...fields }),
    nextNoticeAt: nextNoticeAt({ ...nothing, ...fields }, ctx.now),
    productId: product.id,
    code,
    codeKey: codeKey(code),
    createdAt: ctx.now,
    updatedAt: ctx.now,
  }
}

/**
 * Changes the fields that are given.
 * @throws Refusal `not_found`; `validation_failed` for an unknown product
 */
export const updateLicense = (ctx: Ctx, name: LicenseName, input: LicenseFields): Promise<LicenseOfProduct> =>
  change(
    ctx,
    () => loadWithProduct(ctx, name, input.product_reference_id),
    ({ license, product }) => {
      const given = { ...columnsOf(input), productId: product.id }
      const next = { ...license, ...given }
      const columns = { ...given, ...derived(next), ...noticeOf(ctx, license, next), updatedAt: ctx.now }
      return replace(ctx, { license, product }, columns)
    },
  )

/**
 * Blocks a license, or lifts the block; its installations notice when they verify next.
 * @throws Refusal `not_found`
 */
export const setBlocked = (ctx: Ctx, name: LicenseName, blocked: boolean): Promise<LicenseOfProduct> =>
  updateLicense(ctx, name, { is_valid: !blocked })

/**
 * Deletes a license and its activations.
 * @throws Refusal `not_found`
 */
export const removeLicense = (ctx: Ctx, name: LicenseName): Promise<void> =>
  change(
    ctx,
    () => loadLicense(ctx, name),
    ({ license: { id, revision } }) => ({
      answer: undefined,
      change: {
        // The activations go after the license: their triggers then find nothing to count on it.
        guard: ctx.db.delete(licenses).where(and(eq(licenses.id, id), eq(licenses.revision, revision))),
        writes: [ctx.db.delete(licenseActivations).where(eq(licenseActivations.licenseId, id))],
      },
    }),
  )

async function loadWithProduct(ctx: Ctx, name: LicenseName, productId: string | undefined): Promise<LicenseOfProduct> {
  if (productId === undefined) return loadLicense(ctx, name)
  const [found, [product]] = (await batch(ctx.db, [selectLicense(ctx.db, name), selectProduct(ctx.db, productId)])) as [
    unknown,
    Product[],
  ]
  const { license } = oneLicense(found)
  if (!product) throw invalid("product_reference_id", "selected")
  return { license, product }
}

/** The change of some columns of a license as it was loaded; a block is an event. */
function replace(
  ctx: Ctx,
  { license, product }: LicenseOfProduct,
  columns: Partial<License>,
): { change: Change; answer: LicenseOfProduct } {
  const answer = { license: { ...license, ...columns }, product }
  const isBlocked = license.isValid && !answer.license.isValid
  return {
    answer,
    change: {
      guard: ctx.db
        .update(licenses)
        .set({ ...columns, revision: sql`${licenses.revision} + 1` })
        .where(and(eq(licenses.id, license.id), eq(licenses.revision, license.revision))),
      trail: isBlocked ? [{ events: [licenseEvent("license.blocked", answer)] }] : [],
    },
  }
}

const nothing = { customerId: null, email: null, invoice: null, expiresAt: null, updatesUntil: null }

/** The columns of the fields that are given; those without a value keep what they have. */
const columnsOf = (input: LicenseFields) =>
  given({
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
  })

/** When something is to be said next, where a date was changed; what was due before and is still to be said stays due. */
function noticeOf(ctx: Ctx, before: License, after: License): Partial<License> {
  const isSame = (name: "expiresAt" | "updatesUntil") => before[name]?.getTime() === after[name]?.getTime()
  return isSame("expiresAt") && isSame("updatesUntil") ? {} : { nextNoticeAt: nextNoticeAt(after, ctx.now) }
}

/** The columns that follow from the others. */
const derived = (license: Pick<License, "code" | "customerId" | "email" | "invoice">) => ({
  customerKey: license.customerId?.trim().toLowerCase() ?? null,
  searchText: searchText([license.code, license.customerId, license.email, license.invoice]),
})
