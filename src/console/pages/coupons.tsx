// Coupons: days of trial for those who sign up with a code.
import { type Context, Hono } from "hono"
import { type Coupon, SaveCoupon } from "../../platform/coupons/schemas"
import { listCoupons, saveCoupon } from "../../platform/coupons/service"
import { change, done, type FormState } from "../forms"
import { Check, Field, Form, Moment } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card, Empty, Pager, Table, Time } from "../kit/parts"
import { Paged, PER_PAGE, readQuery, sliceOf } from "../query-params"
import { recentPassword } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/coupons"

const save = (c: Context<ConsoleEnv>) =>
  change(
    c,
    SaveCoupon,
    async (input) => {
      await saveCoupon(c.var.ctx, input)
      return done(PATH, "saved")
    },
    (state) => list(c, state),
  )

export const coupons = new Hono<ConsoleEnv>()
  .get(PATH, (c) => list(c))
  .post(PATH, recentPassword("gives time away for free"), (c) => save(c))
  .post(`${PATH}/:code/edit`, recentPassword("gives time away for free"), (c) => {
    c.set("form", new Map([...c.var.form, ["code", [c.req.param("code")]]]))
    return save(c)
  })

async function list(c: Context<ConsoleEnv>, state?: FormState) {
  const { input } = readQuery(c, Paged)
  const rows = await listCoupons(c.var.ctx, sliceOf(input))
  return page(c, {
    title: W.coupons.title,
    state,
    children: (
      <>
        {rows.length === 0 ? (
          <Empty text={W.coupons.empty} />
        ) : (
          <Table
            label={W.coupons.title}
            rows={rows.slice(0, PER_PAGE)}
            columns={[
              { head: W.coupons.code, cell: (row) => <code>{row.code}</code> },
              { head: W.coupons.days, num: true, cell: (row) => row.trialDays },
              { head: W.coupons.plans, cell: (row) => row.plans?.join(", ") ?? W.store.all },
              {
                head: W.coupons.redeemed,
                num: true,
                cell: (row) => W.licenses.of(row.redemptions, row.maxRedemptions),
              },
              { head: W.keys.state, cell: (row) => <Badge of={row.isActive ? "active" : "off"} /> },
              { head: W.coupons.until, cell: (row) => <Time at={row.expiresAt} /> },
              {
                head: W.common.edit,
                cell: (row) => (
                  <details>
                    <summary>{W.common.edit}</summary>
                    <Form action={`${PATH}/${row.code}/edit`} submit={W.common.save}>
                      <Terms coupon={row} />
                    </Form>
                  </details>
                ),
              },
            ]}
          />
        )}
        <Pager page={input.page} perPage={PER_PAGE} more={rows.length > PER_PAGE} />
        <Card title={W.coupons.new} id="new" writes>
          <Form action={PATH} submit={W.coupons.save}>
            <Field name="code" label={W.coupons.code} required maxlength={40} hint={W.coupons.code_hint} />
            <Terms />
          </Form>
        </Card>
      </>
    ),
  })
}

const Terms = ({ coupon }: { coupon?: Coupon }) => (
  <>
    <Field
      name="trial_days"
      type="number"
      min={1}
      max={365}
      value={coupon?.trialDays ?? 14}
      required
      scope={coupon?.code}
    />
    <Field name="description" value={coupon?.description} maxlength={255} scope={coupon?.code} />
    <Field name="plans" value={coupon?.plans?.join(", ")} hint={W.plans.list_hint} scope={coupon?.code} />
    <Field
      name="max_redemptions"
      type="number"
      min={1}
      value={coupon?.maxRedemptions}
      hint={W.licenses.unlimited}
      scope={coupon?.code}
    />
    <Moment name="starts_at" value={coupon?.startsAt} hint={W.coupons.moment_hint} scope={coupon?.code} />
    <Moment name="expires_at" value={coupon?.expiresAt} hint={W.coupons.moment_hint} scope={coupon?.code} />
    <Check name="is_active" label={W.coupons.active} on={coupon?.isActive ?? true} scope={coupon?.code} />
  </>
)
