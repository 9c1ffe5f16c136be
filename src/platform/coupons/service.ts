// Saves and lists coupons, and redeems them when a store is created, up to their maximum number of redemptions.
import { and, asc, desc, eq, gt, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { invalid, Refusal } from "../../core/http/refusal"
import {
  ALL_ROWS,
  type Page,
  prepareMatches,
  preparePages,
  readPages,
  type Slice,
  selectCounter,
} from "../../core/list/page"
import { type AuditRecord, commit, retryOnConflict, WriteConflict } from "../../core/write/commit"
import type { CentralDatabase } from "../../db/client"
import { param } from "../../db/prepared"
import { coupons } from "../../db/schema/central/signups"
import { insert, update } from "../../db/write"
import { type InputColumns, toColumns } from "../../lib/every-field"
import {
  type Coupon,
  type CreateCoupon,
  couponResource,
  type ListCoupons,
  type SaveCoupon,
  type UpdateCoupon,
} from "./schemas"

/** The column that stores each field of the input. */
const INPUT_COLUMNS = {
  code: "code",
  description: "description",
  trial_days: "trialDays",
  percent_off: "percentOff",
  amount_off: "amountOff",
  months: "months",
  plans: "plans",
  max_redemptions: "maxRedemptions",
  starts_at: "startsAt",
  expires_at: "expiresAt",
  is_active: "isActive",
} as const satisfies InputColumns<z.output<typeof SaveCoupon>, Coupon>

const { code: _code, ...UPDATE_COLUMNS } = INPUT_COLUMNS

/** Creates a coupon, or replaces the one with the same code without resetting its redemptions. */
export async function saveCoupon(ctx: Ctx, input: z.output<typeof SaveCoupon>): Promise<Coupon & { isNew: boolean }> {
  const { code, ...columns } = toColumns(input, INPUT_COLUMNS)
  assertGivesSomething(columns)
  const values = { ...columns, updatedAt: ctx.now }
  const [before] = await selectCoupon(ctx.db, code)
  const [[coupon]] = await commit(ctx, {
    writes: [
      insert(coupons)
        .values({ code, redemptions: 0, createdAt: ctx.now, ...values })
        .onConflictDoUpdate({ target: coupons.code, set: values })
        .returning(),
    ],
    auditLog: [buildAudit(code, before ?? null, input)],
  })
  return { ...assertSaved(coupon), isNew: before === undefined }
}

/**
 * Creates a coupon.
 * @throws Refusal `validation_failed` for a code that is taken, and for a coupon that gives nothing
 */
export async function createCoupon(ctx: Ctx, input: Input<typeof CreateCoupon>): Promise<Coupon> {
  const fields = await input.completeBeforeCommit(async ({ code }) => ({
    code: code && (await selectCoupon(ctx.db, code)).length ? "taken" : null,
  }))
  const values = { ...toColumns(fields, INPUT_COLUMNS), redemptions: 0, createdAt: ctx.now, updatedAt: ctx.now }
  assertGivesSomething(values)
  const [[coupon]] = await commit(ctx, {
    writes: [insert(coupons).values(values).returning()],
    auditLog: [buildAudit(fields.code, null, fields)],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? input.reject("code", "taken") : cause
  })
  return assertSaved(coupon)
}

/**
 * Changes the fields in the input; writes nothing without any. Redeemed discounts stay as they are.
 * @throws Refusal `not_found`, `validation_failed` for a coupon that would give nothing
 */
export const updateCoupon = (ctx: Ctx, code: string, input: z.output<typeof UpdateCoupon>): Promise<Coupon> =>
  retryOnConflict(async () => {
    const before = await readCoupon(ctx, code)
    const changes = toColumns(input, UPDATE_COLUMNS)
    if (Object.values(changes).every((value) => value === undefined)) return before
    const defined = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    assertGivesSomething({ ...before, ...defined })
    // Selected rather than returned by the update, so that it can be read again if the commit's response is lost.
    const [[coupon]] = await commit(ctx, {
      guard: update(coupons)
        .set({ ...changes, updatedAt: ctx.now })
        .where(hasSameTerms(before)),
      writes: [selectCoupon(ctx.db, before.code)],
      auditLog: [buildAudit(before.code, before, input)],
    })
    return assertSaved(coupon)
  })

/** Matches a coupon that still gives what it gave when it was read. */
const hasSameTerms = ({ code, trialDays, percentOff, amountOff, months }: Coupon) =>
  and(
    eq(coupons.code, code),
    sql`(${coupons.trialDays}, ${coupons.percentOff}, ${coupons.amountOff}, ${coupons.months})
      is (${trialDays}, ${percentOff}, ${amountOff}, ${months})`,
  )

/**
 * Asserts that a coupon adds trial days or gives one kind of discount.
 * @throws Refusal `validation_failed`
 */
export function assertGivesSomething({
  trialDays,
  percentOff,
  amountOff,
  months,
}: Pick<Coupon, "trialDays" | "percentOff" | "amountOff" | "months">): void {
  if (percentOff !== null && amountOff !== null) throw invalid("amount_off", "prohibited")
  const hasDiscount = percentOff !== null || amountOff !== null
  if (!hasDiscount && months !== null) throw invalid("months", "prohibited")
  if (!hasDiscount && trialDays === 0) throw invalid("trial_days", "required")
}

/**
 * Reads a coupon by its code, in any case.
 * @throws Refusal `not_found`
 */
export async function readCoupon(ctx: Ctx, code: string): Promise<Coupon> {
  const [coupon] = await selectCoupon(ctx.db, code.toUpperCase())
  if (!coupon) throw new Refusal("not_found")
  return coupon
}

const buildAudit = (code: string, before: Coupon | null, input: object): AuditRecord => ({
  audit: {
    subject: "coupon",
    id: code,
    action: "saved",
    before: before && couponResource(before),
    after: { ...input },
  },
})

function assertSaved(coupon: Coupon | undefined): Coupon {
  if (!coupon) throw new Error("the coupon was not saved")
  return coupon
}

/** Lists a page of coupons by code. */
export const listCouponPage = (ctx: Ctx, input: z.output<typeof ListCoupons>): Promise<Page<Coupon>> =>
  readPages(
    ctx.db,
    input.updated_since
      ? prepareUpdatedCoupons(input, { since: input.updated_since.getTime() })
      : prepareCoupons(input, {}),
  )

const selectPage = (db: CentralDatabase, { limit, offset }: Slice, direction: "forward" | "backward", which?: SQL) =>
  db
    .select()
    .from(coupons)
    .where(which)
    .orderBy(direction === "forward" ? asc(coupons.code) : desc(coupons.code))
    .limit(limit)
    .offset(offset)

const prepareCoupons = preparePages<Coupon, object>(selectCounter("coupons"), selectPage)

const isUpdatedSince = sql`${coupons.updatedAt} >= ${param("since")}`

const prepareUpdatedCoupons = prepareMatches<Coupon, { since: number }>(
  sql`(select count(*) from ${coupons} where ${isUpdatedSince})`,
  (db, slice, direction) => selectPage(db, slice, direction, isUpdatedSince),
)

/** Lists the coupons by code. */
export const listCoupons = (ctx: Ctx, { limit, offset }: Slice = ALL_ROWS): Promise<Coupon[]> =>
  ctx.db.select().from(coupons).orderBy(asc(coupons.code)).limit(limit).offset(offset)

/** Selects a coupon by its code. */
export const selectCoupon = (db: CentralDatabase, code: string) =>
  db.select().from(coupons).where(eq(coupons.code, code))

/** Whether a coupon can be redeemed for a plan now. */
export const isRedeemable = (coupon: Coupon | undefined, plan: string, now: Date): coupon is Coupon =>
  coupon?.isActive === true &&
  (coupon.plans === null || coupon.plans.includes(plan)) &&
  (coupon.maxRedemptions === null || coupon.redemptions < coupon.maxRedemptions) &&
  (coupon.startsAt === null || coupon.startsAt <= now) &&
  (coupon.expiresAt === null || coupon.expiresAt > now)

/**
 * Redeems a coupon. The update affects no row once the coupon is used up, inactive or expired, or gives something else
 * than when it was read.
 * @param condition a further condition
 */
export const redeemCoupon = (coupon: Coupon, now: Date, condition: SQL) =>
  update(coupons)
    .set({ redemptions: sql`${coupons.redemptions} + 1` })
    .where(
      and(
        hasSameTerms(coupon),
        eq(coupons.isActive, true),
        or(isNull(coupons.maxRedemptions), lt(coupons.redemptions, coupons.maxRedemptions)),
        or(isNull(coupons.startsAt), lte(coupons.startsAt, now)),
        or(isNull(coupons.expiresAt), gt(coupons.expiresAt, now)),
        condition,
      ),
    )
