import { planTerms } from "../../../platform/plans/schemas"
import type { Around } from "../../../platform/stores/detail"
import { allowedActions } from "../../../platform/subscriptions/rules"
import { Button, Field, Form, Select } from "../../kit/form"
import { Badge, Card, Facts, money, Note, Table, Time, words } from "../../kit/parts"
import { STORES } from "../../paths"
import { W } from "../../strings"

/** What the store bought, against what the plan is sold with today. */
export function Plan({ around: { facts, plans }, now }: { around: Around; now: Date }) {
  const { store, subscription } = facts
  const base = `${STORES}/${store.id}/subscription`
  const choices = plans.filter(({ isActive }) => isActive).map(({ slug, name }) => ({ value: slug, label: name }))
  const assign = (
    <details class="more" open={!subscription}>
      <summary>{W.store.assign}</summary>
      <Form action={`${base}/assign`} submit={W.store.assign}>
        <Select name="plan" choices={choices} scope="assign" />
        <Field name="trial_days" type="number" min={0} max={365} hint={W.stores.trial_hint} scope="assign" />
      </Form>
    </details>
  )
  if (!subscription) {
    return (
      <Card title={W.store.subscription} id="subscription">
        <p>{W.store.no_subscription}</p>
        {assign}
      </Card>
    )
  }
  const { plan } = subscription
  const sold = plans.find(({ slug }) => slug === plan?.slug)
  const today = sold && planTerms(sold, now)
  const allowed = storeActions(facts)
  const differs = plan && today ? differences(plan, today) : []
  return (
    <Card title={W.store.subscription} id="subscription">
      <Facts
        of={[
          [W.stores.status, <Badge of={subscription.status} />],
          [W.stores.plan, plan && `${plan.name}, ${money(plan.price_cents, plan.currency)} / ${plan.interval}`],
          [W.store.billed_by, subscription.provider],
          ...(subscription.trialEndsAt
            ? [
                [
                  subscription.trialEndsAt < now ? W.store.trial_ended : W.store.trial_ends,
                  <Time at={subscription.trialEndsAt} />,
                ] as [string, unknown],
              ]
            : []),
          ...(subscription.currentPeriodEndsAt
            ? [[W.store.period_ends, <Time at={subscription.currentPeriodEndsAt} />] as [string, unknown]]
            : []),
          ...(subscription.pastDueSince
            ? [[W.store.past_due_since, <Time at={subscription.pastDueSince} />] as [string, unknown]]
            : []),
          ...(subscription.suspendedAt
            ? [[W.store.suspended_at, <Time at={subscription.suspendedAt} />] as [string, unknown]]
            : []),
          ...(subscription.cancelledAt
            ? [[W.store.cancelled_at, <Time at={subscription.cancelledAt} />] as [string, unknown]]
            : []),
          [W.store.coupon, subscription.couponCode],
        ].map(([name, value]) => [String(name), value as never])}
      />
      {differs.length > 0 && (
        <Note tone="warn">
          <p>{W.store.differs}</p>
          <Table
            label={W.store.differs}
            rows={differs}
            columns={[
              { head: W.store.term, cell: ([term]) => words(term) },
              { head: W.store.bought, cell: ([, before]) => before },
              { head: W.store.sold, cell: ([, , after]) => after },
            ]}
          />
          {allowed.includes("change_plan") && <Button action={`${base}/resync`} label={W.store.resync} />}
        </Note>
      )}
      {subscription.provider === "stripe" && (
        <>
          <p>{W.store.why_stripe}</p>
          <Button action={`${base}/detach`} label={W.store.detach_billing} danger />
        </>
      )}
      {allowed.includes("extend") && (
        <Form action={`${base}/extend`} submit={W.stores.extend}>
          <Field name="days" type="number" min={1} max={3650} required scope="extend" />
        </Form>
      )}
      {allowed.includes("change_plan") && (
        <Form action={`${base}/change-plan`} submit={W.store.change_plan}>
          <Select
            name="plan"
            required
            empty={W.store.choose_plan}
            choices={choices.filter(({ value }) => value !== plan?.slug)}
            scope="change"
          />
        </Form>
      )}
      {allowed.includes("reactivate") && <Button action={`${base}/reactivate`} label={W.store.reactivate} />}
      {allowed.includes("assign") && assign}
    </Card>
  )
}

const storeActions = (facts: Around["facts"]): string[] => {
  const { subscription } = facts
  return subscription ? allowedActions(subscription) : []
}

/** The terms in which a plan as bought and as sold are not the same. */
function differences(
  bought: ReturnType<typeof planTerms>,
  sold: ReturnType<typeof planTerms>,
): [string, string, string][] {
  const flat = ({ taken_at: _, id: __, ...terms }: typeof bought) => {
    const { limits, features, ...rest } = terms
    return { ...rest, ...limits, ...features } as Record<string, unknown>
  }
  const [before, after] = [flat(bought), flat(sold)]
  return Object.keys(after)
    .filter((term) => JSON.stringify(before[term]) !== JSON.stringify(after[term]))
    .map((term) => [term, plain(before[term]), plain(after[term])])
}

const plain = (value: unknown): string =>
  value === null || value === undefined ? W.store.all : Array.isArray(value) ? value.join(", ") : String(value)
