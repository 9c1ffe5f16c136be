// The verbs of a license.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import type { Page } from "../../core/list/page"
import { type Change, change, commit, WriteConflict } from "../../core/write/commit"
import { batch, read } from "../../db/client"
import { licenseActivations, licenseRefusedTries, licenses } from "../../db/schema/central/licenses"
import { insert, remove, update } from "../../db/write"
import { changed, made, removed } from "../audit"
import { given } from "../fields"
import { productByReference } from "../products/queries"
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
  licenseResource,
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
  const [product] = await read(ctx.db, productByReference({ referenceId: input.product_reference_id }))
  if (!product) throw invalid("product_reference_id", "selected")
  try {
    return await storeLicense(ctx, product, input.license_code ?? crypto.randomUUID(), input)
  } catch (cause) {
    throw cause instanceof WriteConflict ? invalid("license_code", "taken") : cause
  }
}

/**
 * Stores a new license.
 * @throws LostRace when there is one of that code
 */
export async function storeLicense(
  ctx: Ctx,
  product: Product,
  code: string,
  input: LicenseFields,
): Promise<LicenseOfProduct> {
  const row = newLicense(ctx, product, code, input)
  const id = ctx.db.select({ id: licenses.id }).from(licenses).where(eq(licenses.codeKey, row.codeKey))
  const fields = licenseResource({ license: { ...row, id: 0 }, product })
  const [[license]] = await commit(ctx, {
    writes: [insert(licenses).values(row).returning()],
    trail: [{ audit: { subject: "license", deed: "created", id: sql`${id}`, ...made(fields) } }],
  })
  if (!license) throw new Error("the license was not stored")
  return { license, product }
}

function newLicense(ctx: Ctx, product: Product, code: string, input: LicenseFields): Omit<License, "id"> {
  const fields = { ...BLANK, ...columnsOf(input) }
  return {
    ...fields,
    ...derived({ ...fields, code }),
    nextNoticeAt: nextNoticeAt(fields, ctx.now),
    productId: product.id,
    code,
    codeKey: codeKey(code),
    activeUses: 0,
    madeUses: 0,
    noticeFailedAt: null,
    revision: 1,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  }
}

/** A license of which nothing was said. */
const BLANK = {
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
 * Changes the fields that are given.
 * @throws Refusal `not_found`; `validation_failed` for an unknown product
 */
export const updateLicense = (ctx: Ctx, name: LicenseName, input: LicenseFields): Promise<LicenseOfProduct> =>
  change(
    ctx,
    () => loadWithProduct(ctx, name, input.product_reference_id),
    ({ known, product }) => {
      const { license } = known
      const columns = { ...columnsOf(input), productId: product.id }
      const next = { ...license, ...columns, ...derived({ ...license, ...columns }) }
      return replace(ctx, known, { license: { ...next, ...noticeOf(ctx, license, next) }, product })
    },
  )

/**
 * Blocks a license, or lifts the block; its installations notice when they verify next.
 * @throws Refusal `not_found`
 */
export const setBlocked = (ctx: Ctx, name: LicenseName, blocked: boolean): Promise<LicenseOfProduct> =>
  updateLicense(ctx, name, { is_valid: !blocked })

/**
 * Deletes a license, its activations, and what is known of its refused tries.
 * @throws Refusal `not_found`
 */
export const removeLicense = (ctx: Ctx, name: LicenseName): Promise<void> =>
  change(
    ctx,
    () => loadLicense(ctx, name),
    (known) => ({
      answer: undefined,
      change: {
        // The activations go after the license: their triggers then find nothing to count on it.
        guard: remove(licenses).where(isStill(known.license)),
        writes: [
          remove(licenseActivations).where(eq(licenseActivations.licenseId, known.license.id)),
          remove(licenseRefusedTries).where(eq(licenseRefusedTries.licenseId, known.license.id)),
        ],
        trail: [
          { audit: { subject: "license", deed: "deleted", id: known.license.id, ...removed(licenseResource(known)) } },
        ],
      },
    }),
  )

/** A license as it is, and the product that it is to be for. */
async function loadWithProduct(ctx: Ctx, name: LicenseName, productId: string | undefined) {
  if (productId === undefined) {
    const known = await loadLicense(ctx, name)
    return { known, product: known.product }
  }
  const [found, [product]] = await batch(ctx.db, [selectLicense(name), productByReference({ referenceId: productId })])
  const known = oneLicense(found)
  if (!product) throw invalid("product_reference_id", "selected")
  return { known, product }
}

/** That a license is as it was when it was loaded. */
const isStill = ({ id, revision }: License) => and(eq(licenses.id, id), eq(licenses.revision, revision))

/** The change that makes a license another; a block is an event. Nothing is written where nothing differs. */
function replace(
  ctx: Ctx,
  known: LicenseOfProduct,
  { license, product }: LicenseOfProduct,
): { change?: Change; answer: LicenseOfProduct } {
  const difference = changed(licenseResource(known), licenseResource({ license, product }))
  if (!difference) return { answer: known }
  const answer = { license: { ...license, updatedAt: ctx.now }, product }
  const { id, activeUses, madeUses, createdAt, code, codeKey: key, ...columns } = answer.license
  const isSwitched = known.license.isValid !== license.isValid
  const deed = !isSwitched ? "changed" : license.isValid ? "unblocked" : "blocked"
  return {
    answer,
    change: {
      guard: update(licenses)
        .set({ ...columns, revision: sql`${licenses.revision} + 1` })
        .where(isStill(known.license)),
      trail: [
        {
          audit: { subject: "license", deed, id, ...difference },
          events: deed === "blocked" ? [licenseEvent("license.blocked", answer)] : [],
        },
      ],
    },
  }
}

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
