// Plans: prices, limits and features.
import type { Context } from "hono"
import type * as z from "zod"
import { validInput } from "../../core/http/input"
import { decimalAmount, listCurrencies } from "../../lib/intl"
import { Disclosure } from "../../page-kit/disclosure"
import { Checkbox, Field, Form, renderFields, Select, TextArea } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import {
  ActiveBadge,
  Card,
  DescriptionList,
  EmptyState,
  formatMoney,
  formatNumber,
  labelOf,
  Note,
} from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import type { ProviderPrice } from "../../platform/payments/message"
import { findPriceMismatch, isMismatch, readProviderPrice } from "../../platform/payments/prices"
import { FEATURES } from "../../platform/plans/features"
import { buildPlanTerms, CreatePlan, type Plan, planResource, type SavePlanInput } from "../../platform/plans/schemas"
import { countPlanSubscriptions, createPlan, listPlans, readPlan, savePlan } from "../../platform/plans/service"
import { getInputFields } from "../confirmation/token"
import { recentPassword } from "../form-access"
import { handleEditForm } from "../forms"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { LIMITS, PlanForm, toPlanInput } from "./plan-form"

const PATH = "/console/plans"

export const plans = createPages()
  .get(PATH, (c) => renderPlans(c))
  .post(PATH, recentPassword("finance", "save a plan"), (c) =>
    handleEditForm(
      c,
      PlanForm,
      async (form) => {
        const input = toPlanInput(form)
        const mismatch = form.confirm_price ? null : await findPriceMismatch(c.var.ctx, input)
        if (mismatch) return renderPlans(c, requestPriceConfirmation(c, input, mismatch))
        return withNotice(`${PATH}/${(await createPlan(c.var.ctx, validInput(CreatePlan, input))).slug}`, "created")
      },
      (state) => renderPlans(c, state),
    ),
  )
  .get(`${PATH}/:slug`, (c) => renderPlan(c))
  .confirmed(`${PATH}/:slug/edit`, {
    roles: ["finance"],
    password: "save a plan",
    schema: PlanForm,
    pathField: "slug",
    isEdit: true,
    async preview(c, form) {
      const input = toPlanInput(form)
      const { ctx } = c.var
      const [plan, stores, mismatch] = await Promise.all([
        readPlan(ctx, input.slug),
        countPlanSubscriptions(ctx, input.slug),
        form.confirm_price ? null : findPriceMismatch(ctx, input),
      ])
      const isRepriced = plan.priceCents !== input.price_cents || plan.currency !== input.currency
      const before = describePlan(planToInput(plan))
      const after = describePlan(input)
      const changes = Object.entries(after)
        .map(([label, value]) => ({ label, before: before[label] ?? W.common.none, after: value || W.common.none }))
        .filter((change) => change.before !== change.after)
      return {
        title: W.plans.save_title(plan.name),
        crumbs: [
          [W.plans.title, PATH],
          [plan.name, `${PATH}/${plan.slug}`],
        ],
        back: `${PATH}/${plan.slug}`,
        state: [plan.id, plan.updatedAt.getTime()],
        changes,
        effects: [
          ...(changes.length > 0 ? [W.plans.applies_to_new, W.plans.keeps_terms(stores)] : []),
          ...(isRepriced ? [W.plans.new_price(stores, formatMoney(plan.priceCents, plan.currency))] : []),
        ],
        question: mismatch
          ? {
              text: W.plans.mismatch(formatCharge(mismatch), formatPrice(input)),
              choices: [{ label: W.plans.save_anyway, href: withConfirmedPrice(c) }],
            }
          : undefined,
        submitLabel: W.plans.save,
        isHarmful: false,
      }
    },
    run: async (c, form) => withNotice(`${PATH}/${(await savePlan(c.var.ctx, toPlanInput(form))).slug}`, "saved"),
    renderForm: (c, state) => renderPlan(c, state),
  })

type PlanInput = z.output<typeof SavePlanInput>

const formatPrice = ({ price_cents, currency, interval }: Pick<PlanInput, "price_cents" | "currency" | "interval">) =>
  `${formatMoney(price_cents, currency)} / ${interval}`

const formatCharge = ({ amountCents, ...price }: ProviderPrice) => formatPrice({ ...price, price_cents: amountCents })

/** The new plan's form again, with a box to save it although the card provider charges another price. */
const requestPriceConfirmation = (c: Context<ConsoleEnv>, input: PlanInput, charged: ProviderPrice): FormState => ({
  status: 422,
  values: c.var.form,
  errors: { confirm_price: [W.plans.mismatch(formatCharge(charged), formatPrice(input))] },
})

/** The path of the confirmation with the same input and the confirmed price. */
function withConfirmedPrice(c: Context<ConsoleEnv>): string {
  const fields = c.req.method === "GET" ? new Map(Object.entries(c.req.queries())) : c.var.form
  const query = new URLSearchParams(
    [...getInputFields(fields)].flatMap(([name, values]) =>
      name === "confirm_price" ? [] : values.map((value) => [name, value]),
    ),
  )
  return `${c.req.path}?${query}&confirm_price=true`
}

/** A stored plan as the input that would save it. */
const planToInput = (plan: Plan): PlanInput => {
  const { slug, name, description, price_cents, currency, interval, trial_days, limits, is_active, sort_order } =
    planResource(plan)
  const { features } = buildPlanTerms(plan, plan.updatedAt)
  return {
    ...{ slug, name, description, price_cents, currency, interval, trial_days, limits, is_active, sort_order },
    features: features as PlanInput["features"],
    apps: plan.apps,
    themes: plan.themes,
    stripe_price: plan.cardPrice,
  }
}

/** The values of a plan by their labels. */
const describePlan = (plan: PlanInput): Record<string, string> => ({
  [W.keys.name]: plan.name,
  [labelOf("description")]: plan.description,
  [W.plans.price]: formatPrice(plan),
  [labelOf("trial_days")]: String(plan.trial_days),
  ...Object.fromEntries(
    Object.entries(plan.limits).map(([name, limit]) => [
      W.fields[`limits.${name}`] ?? labelOf(name),
      limit === 0 ? W.store.unlimited : formatNumber(limit),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(FEATURES).map(([name, { label }]) => [
      label,
      plan.features[name as keyof typeof FEATURES] ? W.common.yes : W.common.no,
    ]),
  ),
  [W.fields["features.webhooks"] ?? ""]: String(plan.features.webhooks ?? W.plans.webhooks_default),
  [labelOf("apps")]: plan.apps?.join(", ") ?? W.store.all,
  [labelOf("themes")]: plan.themes?.join(", ") ?? W.store.all,
  [W.fields.stripe_price ?? ""]: plan.stripe_price ?? "",
  [labelOf("sort_order")]: String(plan.sort_order),
  [W.plans.available]: plan.is_active ? W.common.yes : W.common.no,
})

async function renderPlans(c: Context<ConsoleEnv>, state?: FormState) {
  const rows = await listPlans(c.var.ctx, { includeInactive: true })
  return page(c, {
    title: W.plans.title,
    state,
    children: (
      <>
        <Disclosure label={W.plans.new} id="new" action={PATH}>
          <PlanFields action={PATH} last={rows.at(-1)} asksPrice={state?.errors.confirm_price !== undefined} />
        </Disclosure>
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
      </>
    ),
  })
}

async function renderPlan(c: Context<ConsoleEnv>, state?: FormState) {
  const plan = await readPlan(c.var.ctx, c.req.param("slug") ?? "")
  const charged = await readProviderPrice(c.var.ctx, plan.cardPrice)
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
        {charged && <ChargedPrice plan={plan} charged={charged} />}
        <PlanFields action={`${PATH}/${plan.slug}/edit`} plan={plan} />
      </Card>
    ),
  })
}

/** The price that the card provider charges, as a warning when it differs from the plan's. */
function ChargedPrice({ plan, charged }: { plan: Plan; charged: ProviderPrice }) {
  const price = planResource(plan)
  const text = W.plans.charged(formatCharge(charged))
  return isMismatch(price, charged) ? (
    <Note tone="warn">
      <p>{W.plans.mismatch(formatCharge(charged), formatPrice(price))}</p>
    </Note>
  ) : (
    <p class="sub">{text}</p>
  )
}

interface PlanFieldsProps {
  action: string
  /** None for a new plan, which follows the last one and has its currency. */
  plan?: Plan
  last?: Plan
  asksPrice?: boolean
}

function PlanFields({ action, plan, last, asksPrice }: PlanFieldsProps) {
  const features = plan && planResource(plan).features
  return (
    <Form
      action={action}
      submitLabel={W.plans.save}
      readOnly={plan && <DescriptionList items={Object.entries(describePlan(planToInput(plan)))} />}
    >
      {renderFields<z.input<typeof PlanForm>>({
        slug: plan
          ? { omitted: "it never changes" }
          : (name) => (
              <Field
                name={name}
                required
                maxlength={63}
                hint={W.plans.slug_hint}
                existing={(values) => `${PATH}/${encodeURIComponent(values.get(name)?.at(-1) ?? "")}`}
              />
            ),
        name: (name) => <Field name={name} value={plan?.name} required maxlength={120} />,
        description: (name) => <TextArea name={name} value={plan?.description} rows={2} />,
        price: (name) => (
          <Field
            name={name}
            label={W.plans.price}
            value={plan ? decimalAmount(plan.priceCents, plan.currency) : ""}
            required
            maxlength={20}
            hint={W.plans.price_hint}
          />
        ),
        currency: (name) => (
          <Field
            name={name}
            value={plan?.currency ?? last?.currency ?? "EUR"}
            required
            maxlength={3}
            hint={W.plans.currency_hint}
            suggestions={listCurrencies()}
          />
        ),
        interval: (name) => <Select name={name} value={plan?.interval} choices={["month", "year"]} />,
        trial_days: (name) => (
          <Field name={name} type="number" min={0} max={365} value={plan?.trialDays ?? 0} required />
        ),
        limits: (group) => (
          <fieldset>
            <legend>{W.plans.limits}</legend>
            <p class="sub">{W.plans.limits_hint}</p>
            {LIMITS.map((name) => (
              <>
                <Field
                  name={`${group}.${name}`}
                  type="number"
                  min={1}
                  value={plan?.limits[name] || null}
                  hasAlternative
                />
                <Checkbox
                  name={`unlimited.${name}`}
                  label={W.plans.unlimited(W.fields[`limits.${name}`] ?? labelOf(name))}
                  isChecked={plan?.limits[name] === 0}
                />
              </>
            ))}
          </fieldset>
        ),
        unlimited: { omitted: "a box below each limit" },
        confirm_price: (name) => asksPrice && <Checkbox name={name} label={W.plans.save_anyway} />,
        features: (group) => (
          <fieldset>
            <legend>{W.plans.features}</legend>
            {Object.entries(FEATURES).map(([name, feature]) => (
              <Checkbox
                name={`${group}.${name}`}
                label={feature.label}
                isChecked={features ? features[name] === true : feature.default}
              />
            ))}
            <Field
              name={`${group}.webhooks`}
              type="number"
              min={0}
              max={100}
              value={plan?.webhookEndpoints}
              hint={W.plans.webhooks_hint}
            />
          </fieldset>
        ),
        apps: (name) => <Field name={name} value={plan?.apps?.join(", ")} hint={W.plans.list_hint} />,
        themes: (name) => <Field name={name} value={plan?.themes?.join(", ")} hint={W.plans.list_hint} />,
        stripe_price: (name) => <Field name={name} value={plan?.cardPrice} hint={W.plans.stripe_hint} />,
        sort_order: (name) => (
          <Field name={name} type="number" value={plan?.sortOrder ?? (last ? last.sortOrder + 1 : 0)} required />
        ),
        is_active: (name) => <Checkbox name={name} label={W.plans.available} isChecked={plan?.isActive ?? true} />,
      })}
    </Form>
  )
}
