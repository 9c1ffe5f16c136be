// Plans: prices, limits and features.
import type { Context } from "hono"
import { FEATURES } from "../../platform/plans/features"
import { type Plan, SavePlanInput } from "../../platform/plans/schemas"
import { listPlans, readPlan, savePlan } from "../../platform/plans/service"
import { type FormState, handleEditForm, withNotice } from "../forms"
import { Checkbox, Field, Form, Select, TextArea } from "../kit/form"
import { page } from "../kit/page"
import { ActiveBadge, Card, EmptyState, formatMoney, Table } from "../kit/parts"
import { recentPassword } from "../reauthentication"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/plans"

const handleSave = (c: Context<ConsoleEnv>, renderForm: (state: FormState) => Promise<Response>) =>
  handleEditForm(
    c,
    SavePlanInput,
    async (input) => withNotice(`${PATH}/${(await savePlan(c.var.ctx, input)).slug}`, "saved"),
    renderForm,
  )

export const plans = createPages()
  .get(PATH, (c) => renderPlans(c))
  .post(PATH, recentPassword("save a plan"), (c) => handleSave(c, (state) => renderPlans(c, state)))
  .get(`${PATH}/:slug`, (c) => renderPlan(c))
  .post(`${PATH}/:slug/edit`, recentPassword("save a plan"), (c) => {
    c.set("form", new Map([...c.var.form, ["slug", [c.req.param("slug")]]]))
    return handleSave(c, (state) => renderPlan(c, state))
  })

async function renderPlans(c: Context<ConsoleEnv>, state?: FormState) {
  const rows = await listPlans(c.var.ctx, { includeInactive: true })
  return page(c, {
    title: W.plans.title,
    state,
    children: (
      <>
        {rows.length === 0 ? (
          <EmptyState text={W.plans.empty} />
        ) : (
          <Table
            label={W.plans.title}
            rows={rows}
            columns={[
              { head: W.stores.plan, cell: (plan) => <a href={`${PATH}/${plan.slug}`}>{plan.name}</a> },
              {
                head: W.plans.price,
                isNumeric: true,
                cell: (plan) => `${formatMoney(plan.priceCents, plan.currency)} / ${plan.interval}`,
              },
              {
                head: W.plans.status,
                cell: (plan) => <ActiveBadge isActive={plan.isActive} />,
              },
              {
                head: W.plans.limits,
                isLong: true,
                cell: (plan) =>
                  Object.entries(plan.limits)
                    .map(([name, limit]) => W.plans.limit(name, limit))
                    .join(", "),
              },
              {
                head: W.plans.stores,
                cell: (plan) => <a href={`/console/stores?plan=${plan.slug}`}>{W.plans.view_stores}</a>,
              },
            ]}
          />
        )}
        <Card title={W.plans.new} id="new" isForm>
          <PlanForm action={PATH} />
        </Card>
      </>
    ),
  })
}

async function renderPlan(c: Context<ConsoleEnv>, state?: FormState) {
  const plan = await readPlan(c.var.ctx, c.req.param("slug") ?? "")
  return page(c, {
    title: plan.name,
    crumbs: [[W.plans.title, PATH]],
    state,
    actions: (
      <a class="button" data-quiet href={`/console/stores?plan=${plan.slug}`}>
        {W.plans.view_stores}
      </a>
    ),
    children: (
      <Card>
        <p>{W.plans.saved_terms}</p>
        <PlanForm action={`${PATH}/${plan.slug}/edit`} plan={plan} />
      </Card>
    ),
  })
}

function PlanForm({ action, plan }: { action: string; plan?: Plan }) {
  const features = plan && {
    custom_domain: plan.allowsCustomDomain,
    api_access: plan.allowsApiAccess,
    remove_branding: plan.removeBranding,
  }
  return (
    <Form action={action} submitLabel={W.plans.save}>
      {!plan && <Field name="slug" required maxlength={63} />}
      <Field name="name" value={plan?.name} required maxlength={120} />
      <TextArea name="description" value={plan?.description} rows={2} />
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
          <Checkbox
            name={`features.${name}`}
            label={FEATURES[name].label}
            isChecked={features?.[name as keyof typeof features] ?? FEATURES[name].default}
          />
        ))}
      </fieldset>
      <Field name="apps" value={plan?.apps?.join(", ")} hint={W.plans.list_hint} />
      <Field name="themes" value={plan?.themes?.join(", ")} hint={W.plans.list_hint} />
      <Field name="stripe_price" value={plan?.cardPrice} hint={W.plans.stripe_hint} />
      <Field name="sort_order" type="number" value={plan?.sortOrder ?? 0} required />
      <Checkbox name="is_active" label={W.plans.available} isChecked={plan?.isActive ?? true} />
    </Form>
  )
}
