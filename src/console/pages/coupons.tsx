// Coupons, which give trial days or discounts to owners who sign up with a code.
import type { Context } from "hono"
import { validInput } from "../../core/http/input"
import { formatTimestamp } from "../../lib/time"
import { Disclosure } from "../../page-kit/disclosure"
import { Checkbox, DateTimeField, Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { ActiveBadge, EmptyState, formatMoney, labelOf, Pager, Time } from "../../page-kit/parts"
import { PAGE_SIZE, PageQuery, toSlice } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { useView } from "../../page-kit/view"
import { type Coupon, CreateCoupon, couponResource } from "../../platform/coupons/schemas"
import { assertGivesSomething, createCoupon, listCoupons, readCoupon, saveCoupon } from "../../platform/coupons/service"
import type { Plan } from "../../platform/plans/schemas"
import { listPlans } from "../../platform/plans/service"
import { recentPassword } from "../form-access"
import { handleEditForm } from "../forms"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { CouponForm, getCurrencies, toCouponInput, toUnits } from "./coupon-form"

const PATH = "/console/coupons"

export const coupons = createPages()
  .get(PATH, (c) => renderCoupons(c))
  .post(PATH, recentPassword("finance", "save a coupon"), (c) =>
    handleEditForm(
      c,
      CouponForm,
      async (form) => {
        const input = toCouponInput(form, await readPlans(c))
        await createCoupon(c.var.ctx, validInput(CreateCoupon, input))
        return withNotice(PATH, "created")
      },
      (state) => renderCoupons(c, state),
    ),
  )
  .confirmed(`${PATH}/:code/edit`, {
    roles: ["finance"],
    password: "save a coupon",
    schema: CouponForm,
    pathField: "code",
    isEdit: true,
    async preview(c, form) {
      const [found, plans] = await Promise.all([readCoupon(c.var.ctx, form.code), readPlans(c)])
      const input = toCouponInput(form, plans)
      const coupon = couponResource(found)
      const format = (name: string, value: unknown, slugs: string[] | null) =>
        name === "amount_off" && typeof value === "number" ? formatAmount(value, slugs, plans) : formatValue(value)
      const { starts_at, expires_at, ...fields } = input
      const { trial_days: trialDays, percent_off: percentOff, amount_off: amountOff, months } = input
      assertGivesSomething({ trialDays, percentOff, amountOff, months })
      const after: Record<string, unknown> = {
        ...fields,
        trial_days: input.trial_days || null,
        starts_at: formatTimestamp(starts_at),
        expires_at: formatTimestamp(expires_at),
      }
      return {
        title: W.coupons.save_title(coupon.code),
        crumbs: [[W.coupons.title, PATH]],
        back: PATH,
        state: [coupon.code, coupon.updated_at],
        changes: Object.entries(coupon).flatMap(([name, before]) =>
          !(name in after) || JSON.stringify(after[name]) === JSON.stringify(before)
            ? []
            : [
                {
                  label: name === "amount_off" ? W.coupons.amount_off : labelOf(name),
                  before: format(name, before, coupon.plans),
                  after: format(name, after[name], input.plans),
                },
              ],
        ),
        effects: [W.coupons.save_effect(coupon.redemptions)],
        submitLabel: W.common.save,
        isHarmful: false,
      }
    },
    async run(c, form) {
      await saveCoupon(c.var.ctx, toCouponInput(form, await readPlans(c)))
      return withNotice(PATH, "saved")
    },
    renderForm: (c, state) => renderCoupons(c, state),
  })

const readPlans = (c: Context<ConsoleEnv>): Promise<Plan[]> => listPlans(c.var.ctx, { includeInactive: true })

/** An amount in each currency of the plans that a coupon applies to. */
function formatAmount(cents: number, slugs: string[] | null, plans: readonly Plan[]): string {
  const currencies = getCurrencies(slugs, plans)
  return currencies.length
    ? currencies.map((currency) => formatMoney(cents, currency)).join(" / ")
    : toUnits(cents, currencies)
}

const formatValue = (value: unknown): string => {
  if (value === null || value === "") return W.common.none
  if (typeof value === "boolean") return value ? W.common.yes : W.common.no
  return Array.isArray(value) ? value.join(", ") : String(value)
}

async function renderCoupons(c: Context<ConsoleEnv>, state?: FormState) {
  const { input } = parseQuery(c, PageQuery)
  const [rows, plans] = await Promise.all([listCoupons(c.var.ctx, toSlice(input)), readPlans(c)])
  return page(c, {
    title: W.coupons.title,
    state,
    children: (
      <>
        <Disclosure label={W.coupons.new} id="new" action={PATH}>
          <Form action={PATH} submitLabel={W.coupons.save}>
            <Field
              name="code"
              label={W.coupons.code}
              required
              maxlength={40}
              hint={W.coupons.code_hint}
              existing={getCouponLink}
            />
            <CouponFields plans={plans} />
          </Form>
        </Disclosure>
        {rows.length === 0 ? (
          <EmptyState text={W.coupons.empty} />
        ) : (
          <Table
            label={W.coupons.title}
            rows={rows.slice(0, PAGE_SIZE)}
            columns={[
              { head: W.coupons.code, cell: (row) => <code id={`coupon-${row.code}`}>{row.code}</code> },
              { head: W.coupons.days, isNumeric: true, cell: (row) => row.trialDays || W.common.none },
              {
                head: W.coupons.gives,
                cell: (row) =>
                  row.percentOff === null && row.amountOff === null
                    ? W.common.none
                    : W.coupons.discount(row, (cents) => formatAmount(cents, row.plans, plans)),
              },
              { head: W.coupons.plans, cell: (row) => row.plans?.join(", ") ?? W.store.all },
              {
                head: W.coupons.redeemed,
                isNumeric: true,
                cell: (row) => W.licenses.of(row.redemptions, row.maxRedemptions),
              },
              { head: W.keys.status, cell: (row) => <ActiveBadge isActive={row.isActive} /> },
              { head: W.coupons.until, cell: (row) => <Time at={row.expiresAt} /> },
              {
                head: W.common.edit,
                cell: (row) => <CouponEditor coupon={row} plans={plans} />,
              },
            ]}
          />
        )}
        <Pager page={input.page} pageSize={PAGE_SIZE} hasMore={rows.length > PAGE_SIZE} />
      </>
    ),
  })
}

/** The coupon in the list of all coupons, which has no pages of single ones. */
const getCouponLink = (values: FormState["values"]): string =>
  `${PATH}#coupon-${(values.get("code")?.at(-1) ?? "").trim().toUpperCase()}`

/** The form of a coupon behind its summary; hidden from operators who may not send it. */
function CouponEditor({ coupon, plans }: { coupon: Coupon; plans: readonly Plan[] }) {
  const action = `${PATH}/${coupon.code}/edit`
  const { canPost, path, state } = useView()
  if (!canPost(action)) return null
  return (
    <details open={state !== null && path === action}>
      <summary>{W.common.edit}</summary>
      <Form action={action} submitLabel={W.common.save}>
        <CouponFields coupon={coupon} plans={plans} />
      </Form>
    </details>
  )
}

const CouponFields = ({ coupon, plans }: { coupon?: Coupon; plans: readonly Plan[] }) => (
  <>
    <Field
      name="trial_days"
      type="number"
      min={1}
      max={365}
      value={coupon?.trialDays || null}
      hint={W.coupons.days_hint}
      idPrefix={coupon?.code}
    />
    <Field
      name="percent_off"
      label={W.coupons.percent_off}
      type="number"
      min={1}
      max={100}
      value={coupon?.percentOff}
      idPrefix={coupon?.code}
    />
    <Field
      name="amount"
      label={W.coupons.amount_off}
      value={coupon?.amountOff ? toUnits(coupon.amountOff, getCurrencies(coupon.plans, plans)) : null}
      maxlength={13}
      hint={W.coupons.amount_hint}
      idPrefix={coupon?.code}
    />
    <Field
      name="months"
      label={W.coupons.months}
      type="number"
      min={1}
      max={120}
      value={coupon?.months}
      hint={W.coupons.months_hint}
      idPrefix={coupon?.code}
    />
    <Field name="description" value={coupon?.description} maxlength={255} idPrefix={coupon?.code} />
    <Field name="plans" value={coupon?.plans?.join(", ")} hint={W.plans.list_hint} idPrefix={coupon?.code} />
    <Field
      name="max_redemptions"
      type="number"
      min={1}
      value={coupon?.maxRedemptions}
      hint={W.licenses.unlimited}
      idPrefix={coupon?.code}
    />
    <DateTimeField name="starts_at" value={coupon?.startsAt} hint={W.coupons.moment_hint} idPrefix={coupon?.code} />
    <DateTimeField name="expires_at" value={coupon?.expiresAt} hint={W.coupons.moment_hint} idPrefix={coupon?.code} />
    <Checkbox name="is_active" label={W.coupons.active} isChecked={coupon?.isActive ?? true} idPrefix={coupon?.code} />
  </>
)
