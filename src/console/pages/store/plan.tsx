import { Disclosure } from "../../../page-kit/disclosure"
import { ActionButton, Field, Form, Select } from "../../../page-kit/form"
import { Badge, Card, DescriptionList, formatMoney, formatNumber, Note, Time } from "../../../page-kit/parts"
import { Table } from "../../../page-kit/table"
import { buildPlanTerms } from "../../../platform/plans/schemas"
import type { StoreDetail } from "../../../platform/stores/detail"
import { isBilledByCard, isPrepaid, listAllowedActions } from "../../../platform/subscriptions/rules"
import { STORES } from "../../paths"
import { W } from "../../strings"
import { BillingLinks } from "./billing-links"
import { formatFeature, formatLimit, getTermLabel } from "./plan-terms"

/** The store's subscription, and how its terms differ from the plan's current terms. */
export function SubscriptionCard({ detail: { facts, plans }, now }: { detail: StoreDetail; now: Date }) {
  const { store, subscription } = facts
  const base = `${STORES}/${store.id}/subscription`
  const choices = plans.filter(({ isActive }) => isActive).map(({ slug, name }) => ({ value: slug, label: name }))
  const assign = (
    <Disclosure label={W.store.assign} action={`${base}/assign`} isOpen={!subscription}>
      <Form action={`${base}/assign`} submitLabel={W.store.assign}>
        <Select name="plan" choices={choices} idPrefix="assign" />
        <Field name="trial_days" type="number" min={0} max={365} hint={W.stores.trial_hint} idPrefix="assign" />
      </Form>
    </Disclosure>
  )
  if (!subscription) {
    return (
      <Card title={W.store.subscription} id="subscription">
        <p>{W.store.no_subscription}</p>
        <p>
          <BillingLinks storeId={store.id} />
        </p>
        {assign}
      </Card>
    )
  }
  const { plan } = subscription
  const currentPlan = plans.find(({ slug }) => slug === plan?.slug)
  const currentTerms = currentPlan && buildPlanTerms(currentPlan, now)
  const allowed = getStoreActions(facts)
  const differences = plan && currentTerms ? getDifferences(plan, currentTerms) : []
  return (
    <Card title={W.store.subscription} id="subscription">
      <DescriptionList
        items={[
          [W.stores.status, <Badge status={subscription.status} />],
          [W.stores.plan, plan && `${plan.name}, ${formatMoney(plan.price_cents, plan.currency)} / ${plan.interval}`],
          [W.store.billed_by, W.subscriptions.providers[subscription.provider]],
          subscription.trialEndsAt && [
            isPrepaid(subscription, now)
              ? W.store.first_charge
              : subscription.trialEndsAt < now
                ? W.store.trial_ended
                : W.store.trial_ends,
            <Time at={subscription.trialEndsAt} />,
          ],
          subscription.currentPeriodEndsAt && [W.store.period_ends, <Time at={subscription.currentPeriodEndsAt} />],
          subscription.pastDueSince && [W.store.past_due_since, <Time at={subscription.pastDueSince} />],
          subscription.suspendedAt && [W.store.suspended_at, <Time at={subscription.suspendedAt} />],
          subscription.cancelAt && [W.store.cancel_at, <Time at={subscription.cancelAt} />],
          subscription.cancelledAt && [W.store.cancelled_at, <Time at={subscription.cancelledAt} />],
          [W.store.coupon, subscription.couponCode],
          subscription.discount && [
            W.store.discount,
            W.coupons.discount(
              {
                percentOff: subscription.discount.percent_off,
                amountOff: subscription.discount.amount_off,
                months: subscription.discount.months,
              },
              (cents) => formatMoney(cents, plan?.currency ?? ""),
            ),
          ],
          subscription.scheduledPlan && [
            W.store.scheduled_plan,
            <>
              {subscription.scheduledPlan.terms.name},{" "}
              {formatMoney(subscription.scheduledPlan.terms.price_cents, subscription.scheduledPlan.terms.currency)} /{" "}
              {subscription.scheduledPlan.terms.interval} <Time at={subscription.currentPeriodEndsAt} isExact />
            </>,
          ],
        ]}
      />
      {differences.length > 0 && (
        <Note tone="warn">
          <p>{W.store.differs}</p>
          <Table
            label={W.store.differs}
            rows={differences}
            columns={[
              { head: W.store.term, cell: ([term]) => term },
              { head: W.store.bought, cell: ([, before]) => before },
              { head: W.store.sold, cell: ([, , after]) => after },
            ]}
          />
          {allowed.includes("change_plan") && <ActionButton action={`${base}/resync`} label={W.store.resync} />}
        </Note>
      )}
      <p>
        <BillingLinks storeId={store.id} />
      </p>
      {isBilledByCard(subscription) && <p>{W.store.why_card(W.subscriptions.providers[subscription.provider])}</p>}
      <div class="disclosures">
        {allowed.includes("extend") && (
          <Disclosure label={W.store.extend} action={`${base}/extend`}>
            <Form action={`${base}/extend`} submitLabel={W.store.extend}>
              <Field name="days" type="number" min={1} max={3650} required idPrefix="extend" />
            </Form>
          </Disclosure>
        )}
        {allowed.includes("change_plan") && (
          <Disclosure label={W.store.change_plan} action={`${base}/change-plan`}>
            <Form action={`${base}/change-plan`} submitLabel={W.store.change_plan}>
              <Select
                name="plan"
                required
                empty={W.store.choose_plan}
                choices={choices.filter(({ value }) => value !== plan?.slug)}
                idPrefix="change"
              />
            </Form>
          </Disclosure>
        )}
        {allowed.includes("assign") && assign}
        {allowed.includes("reactivate") && (
          <ActionButton
            action={`${base}/reactivate`}
            label={subscription.cancelAt ? W.store.withdraw : W.store.reactivate}
          />
        )}
        {allowed.includes("cancel") && <ActionButton action={`${base}/cancel`} label={W.store.cancel} danger />}
        {isBilledByCard(subscription) && (
          <ActionButton action={`${base}/detach`} label={W.store.detach_billing} danger />
        )}
      </div>
    </Card>
  )
}

const getStoreActions = (facts: StoreDetail["facts"]): string[] => {
  const { subscription } = facts
  return subscription ? listAllowedActions(subscription) : []
}

/** The terms that differ between the bought plan and the one on sale, as [label, bought, on sale]. */
function getDifferences(
  bought: ReturnType<typeof buildPlanTerms>,
  sold: ReturnType<typeof buildPlanTerms>,
): [string, string, string][] {
  const [before, after] = [describeTerms(bought), describeTerms(sold)]
  return Object.entries(after).flatMap(([label, value]): [string, string, string][] => {
    const old = before[label] ?? W.common.none
    return old === value ? [] : [[label, old, value]]
  })
}

/** The terms of a plan as text, by their label. */
function describeTerms(terms: ReturnType<typeof buildPlanTerms>): Record<string, string> {
  const { limits, features, ...rest } = terms
  const map = <Value,>(values: Record<string, Value>, format: (value: Value) => string) =>
    Object.fromEntries(Object.entries(values).map(([term, value]) => [getTermLabel(term), format(value)]))
  return {
    [W.keys.name]: rest.name,
    [W.plans.price]: `${formatMoney(rest.price_cents, rest.currency)} / ${rest.interval}`,
    ...map({ trial_days: rest.trial_days }, formatNumber),
    ...map({ ...limits }, formatLimit),
    [getTermLabel("webhooks")]: W.plans.webhooks_default,
    ...map({ ...features }, formatFeature),
    ...map({ allows_custom_domain: rest.allows_custom_domain }, formatFeature),
    ...map({ apps: rest.apps, themes: rest.themes }, (slugs) => slugs?.join(", ") ?? W.store.all),
  }
}
