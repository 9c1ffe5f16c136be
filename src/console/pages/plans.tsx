// Plans: what is sold.
import { type Context, Hono } from "hono"
import { FEATURES } from "../../platform/plans/features"
import { type Plan, SavePlan } from "../../platform/plans/schemas"
import { listPlans, readPlan, savePlan } from "../../platform/plans/service"
import { change, done, type FormState } from "../forms"
import { Area, Check, Field, Form, Select } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card, Empty, money, number, Table } from "../kit/parts"
import { recentPassword } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/plans"

const save = (c: Context<ConsoleEnv>, again: (state: FormState) => Promise<Response>) =>
  change(c, SavePlan, async (input) => done(`${PATH}/${(await savePlan(c.var.ctx, input)).slug}`, "saved"), again)

export const plans = new Hono<ConsoleEnv>()
  .get(PATH, (c) => list(c))
  .post(PATH, recentPassword("sets a price"), (c) => save(c, (state) => list(c, state)))
  .get(`${PATH}/:slug`, (c) => one(c))
  .post(`${PATH}/:slug/edit`, recentPassword("sets a price"), (c) => {
    c.set("form", new Map([...c.var.form, ["slug", [c.req.param("slug")]]]))
    return save(c, (state) => one(c, state))
  })

async function list(c: Context<ConsoleEnv>, state?: FormState) {
  const rows = await listPlans(c.var.ctx, { includeInactive: true })
  return page(c, {
    title: W.plans.title,
    state,
    children: (
      <>
        {rows.length === 0 ? (
          <Empty text={W.plans.empty} />
        ) : (
          <Table
            label={W.plans.title}
            rows={rows}
            columns={[
              { head: W.stores.plan, cell: (plan) => <a href={`${PATH}/${plan.slug}`}>{plan.name}</a> },
              {
                head: W.plans.price,
                num: true,
                cell: (plan) => `${money(plan.priceCents, plan.currency)} / ${plan.interval}`,
              },
              {
                head: W.plans.state,
                cell: (plan) => (
                  <Badge
                    of={plan.isActive ? "active" : "off"}
                    text={plan.isActive ? W.plans.active : W.plans.retired}
                  />
                ),
              },
              {
                head: W.plans.limits,
                long: true,
                cell: (plan) =>
                  Object.entries(plan.limits)
                    .map(([name, limit]) => W.plans.limit(name, limit === 0 ? "∞" : number(limit)))
                    .join(", "),
              },
              {
                head: W.plans.stores,
                cell: (plan) => <a href={`/console/stores?plan=${plan.slug}`}>{W.common.open}</a>,
              },
            ]}
          />
        )}
        <Card title={W.plans.new} id="new" writes>
          <Terms action={PATH} />
        </Card>
      </>
    ),
  })
}

async function one(c: Context<ConsoleEnv>, state?: FormState) {
  const plan = await readPlan(c.var.ctx, c.req.param("slug") ?? "")
  return page(c, {
    title: plan.name,
    crumbs: [[W.plans.title, PATH]],
    state,
    acts: (
      <a class="button" data-quiet href={`/console/stores?plan=${plan.slug}`}>
        {W.plans.stores}
      </a>
    ),
    children: (
      <Card>
        <p>{W.plans.saved_terms}</p>
        <Terms action={`${PATH}/${plan.slug}/edit`} plan={plan} />
      </Card>
    ),
  })
}

function Terms({ action, plan }: { action: string; plan?: Plan }) {
  const features = plan && {
    custom_domain: plan.allowsCustomDomain,
    api_access: plan.allowsApiAccess,
    remove_branding: plan.removeBranding,
  }
  return (
    <Form action={action} submit={W.plans.save}>
      {!plan && <Field name="slug" required maxlength={63} />}
      <Field name="name" value={plan?.name} required maxlength={120} />
      <Area name="description" value={plan?.description} rows={2} />
      <Field name="price_cents" label={W.plans.cents} type="number" min={0} value={plan?.priceCents ?? 0} required />
      <Field name="currency" value={plan?.currency ?? "EUR"} required maxlength={3} />
      <Select name="interval" value={plan?.interval} choices={["month", "year"]} />
      <Field name="trial_days" type="number" min={0} max={365} value={plan?.trialDays ?? 0} required />
      <fieldset>
        <legend>{W.plans.limits}</legend>
        <p class="sub">{W.plans.unlimited_hint}</p>
        {(["products", "orders", "storage_mb", "staff_users"] as const).map((name) => (
          <Field name={`limits.${name}`} type="number" min={0} value={plan?.limits[name] ?? 0} required />
        ))}
      </fieldset>
      <fieldset>
        <legend>{W.plans.features}</legend>
        {(Object.keys(FEATURES) as (keyof typeof FEATURES)[]).map((name) => (
          <Check
            name={`features.${name}`}
            label={FEATURES[name].label}
            on={features?.[name as keyof typeof features] ?? FEATURES[name].default}
          />
        ))}
      </fieldset>
      <Field name="apps" value={plan?.apps?.join(", ")} hint={W.plans.list_hint} />
      <Field name="themes" value={plan?.themes?.join(", ")} hint={W.plans.list_hint} />
      <Field name="stripe_price" value={plan?.stripePrice} hint={W.plans.stripe_hint} />
      <Field name="sort_order" type="number" value={plan?.sortOrder ?? 0} required />
      <Check name="is_active" label={W.plans.active} on={plan?.isActive ?? true} />
    </Form>
  )
}
