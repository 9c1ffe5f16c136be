// Coupons, which give trial days to owners who sign up with a code.
import type { Context } from "hono"
import { type Coupon, SaveCoupon } from "../../platform/coupons/schemas"
import { listCoupons, saveCoupon } from "../../platform/coupons/service"
import { type FormState, handleEditForm, withNotice } from "../forms"
import { Checkbox, DateTimeField, Field, Form } from "../kit/form"
import { page } from "../kit/page"
import { ActiveBadge, Card, EmptyState, Pager, Table, Time } from "../kit/parts"
import { PAGE_SIZE, PageQuery, parseQuery, toSlice } from "../query-params"
import { recentPassword } from "../reauthentication"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/coupons"

const handleSave = (c: Context<ConsoleEnv>) =>
  handleEditForm(
    c,
    SaveCoupon,
    async (input) => {
      await saveCoupon(c.var.ctx, input)
      return withNotice(PATH, "saved")
    },
    (state) => renderCoupons(c, state),
  )

export const coupons = createPages()
  .get(PATH, (c) => renderCoupons(c))
  .post(PATH, recentPassword("save a coupon"), (c) => handleSave(c))
  .post(`${PATH}/:code/edit`, recentPassword("save a coupon"), (c) => {
    c.set("form", new Map([...c.var.form, ["code", [c.req.param("code")]]]))
    return handleSave(c)
  })

async function renderCoupons(c: Context<ConsoleEnv>, state?: FormState) {
  const { input } = parseQuery(c, PageQuery)
  const rows = await listCoupons(c.var.ctx, toSlice(input))
  return page(c, {
    title: W.coupons.title,
    state,
    children: (
      <>
        {rows.length === 0 ? (
          <EmptyState text={W.coupons.empty} />
        ) : (
          <Table
            label={W.coupons.title}
            rows={rows.slice(0, PAGE_SIZE)}
            columns={[
              { head: W.coupons.code, cell: (row) => <code>{row.code}</code> },
              { head: W.coupons.days, isNumeric: true, cell: (row) => row.trialDays },
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
                cell: (row) => (
                  <details>
                    <summary>{W.common.edit}</summary>
                    <Form action={`${PATH}/${row.code}/edit`} submitLabel={W.common.save}>
                      <CouponFields coupon={row} />
                    </Form>
                  </details>
                ),
              },
            ]}
          />
        )}
        <Pager page={input.page} pageSize={PAGE_SIZE} hasMore={rows.length > PAGE_SIZE} />
        <Card title={W.coupons.new} id="new" isForm>
          <Form action={PATH} submitLabel={W.coupons.save}>
            <Field name="code" label={W.coupons.code} required maxlength={40} hint={W.coupons.code_hint} />
            <CouponFields />
          </Form>
        </Card>
      </>
    ),
  })
}

const CouponFields = ({ coupon }: { coupon?: Coupon }) => (
  <>
    <Field
      name="trial_days"
      type="number"
      min={1}
      max={365}
      value={coupon?.trialDays ?? 14}
      required
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
