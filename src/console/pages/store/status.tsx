// The top of a store's page: why the store is open or closed, since when and by whom, and the buttons for what comes
// next.
import type { Child } from "hono/jsx"
import { assertNever } from "../../../lib/assert-never"
import { addMs, DAY } from "../../../lib/time"
import { ActionButton } from "../../../page-kit/form"
import { Badge, labelOf, Time } from "../../../page-kit/parts"
import { useView } from "../../../page-kit/view"
import type { StoreDetail } from "../../../platform/stores/detail"
import { storeResource } from "../../../platform/stores/schemas"
import { listAllowedActions } from "../../../platform/subscriptions/rules"
import { STORES } from "../../paths"
import { W } from "../../strings"
import { getTabPath } from "./tabs"

type Facts = StoreDetail["facts"]

interface StatusProps {
  detail: StoreDetail
  settings: Parameters<typeof storeResource>[0]
}

/** The status, the sentence that explains it, and the possible actions. */
export function StoreStatus({ detail, settings }: StatusProps) {
  const { facts, cause } = detail
  const { store, subscription } = facts
  const { access_state } = storeResource(settings, facts)
  const isProvisioning = store.status === "pending" || store.status === "provisioning"
  const base = `${STORES}/${store.id}`
  return (
    <section class="status" id="state" aria-label={W.store.state} data-refresh={isProvisioning ? "2" : undefined}>
      <p>
        <Badge status={store.status} /> <Reason facts={facts} cause={cause} />{" "}
        <BillingState subscription={subscription} settings={settings} />
      </p>
      <p class="sub">{W.store.visitors_see[access_state]}</p>
      <div class="row">
        {store.status === "ready" && <ActionButton action={`${base}/suspend`} label={W.store.suspend} danger />}
        {store.status === "suspended" && <ActionButton action={`${base}/resume`} label={W.store.resume} isPrimary />}
        {store.status === "failed" && (
          <ActionButton action={`${base}/reprovision`} label={W.store.reprovision} isPrimary />
        )}
        {subscription && listAllowedActions(subscription).includes("reactivate") && (
          <ActionButton
            action={`${base}/subscription/reactivate`}
            label={subscription.cancelAt ? W.store.withdraw : W.store.reactivate}
          />
        )}
        {needsPayment(subscription) && (
          <a class="button" data-quiet href={getTabPath(store.id, "billing")}>
            {W.store.view_billing}
          </a>
        )}
      </div>
    </section>
  )
}

const needsPayment = (subscription: Facts["subscription"]): boolean =>
  subscription !== null && ["past_due", "suspended", "trialing"].includes(subscription.status)

/** Why the store has its status, since when, and who caused it. */
function Reason({ facts: { store, subscription }, cause }: Pick<StoreDetail, "facts" | "cause">): Child {
  const { reasons } = W.store
  const { operatorSuspendedAt } = store
  // While an operator keeps the store closed, its subscription may be suspended too.
  const isOther = operatorSuspendedAt !== null && cause?.createdAt.getTime() !== operatorSuspendedAt.getTime()
  const known = isOther ? null : cause
  const by = known && reasons.by(known.actorType === "system" ? null : known.actorName, known.type === "activated")
  const since = (label: string, fallback: Date | null | undefined) => (
    <>
      {label} <Time at={known?.createdAt ?? fallback} none={reasons.unknown} isExact />
    </>
  )
  switch (store.status) {
    case "pending":
    case "provisioning":
      return <>{since(reasons.provisioning, store.createdAt)}.</>
    case "failed":
      return (
        <>
          {since(reasons.failed, store.updatedAt)}
          {reasons.because(String(known?.data.reason ?? ""))}
        </>
      )
    case "ready":
      return (
        <>
          {since(reasons.open, store.provisionedAt)}
          {known?.type !== "store_ready" && by}.
        </>
      )
    case "suspended":
      return (
        <>
          {since(reasons.closed, operatorSuspendedAt ?? subscription?.suspendedAt)}
          {by}
          {reasons.because(
            operatorSuspendedAt ? (store.suspensionReason ?? reasons.none) : describeSuspension(known?.data.reason),
          )}
        </>
      )
    case "cancelled":
      return (
        <>
          {since(reasons.closed, subscription?.cancelledAt)}
          {by}
          {reasons.because(reasons.cancelled)}
        </>
      )
    default:
      return assertNever(store.status)
  }
}

/** Why the subscription was suspended; a reason of another kind is shown as it is recorded. */
const describeSuspension = (reason: unknown): string =>
  reason === "trial_expired" || reason === "grace_expired" ? W.store.reasons[reason] : labelOf(String(reason ?? ""))

/** The next date of the subscription: the end of the trial, of the paid period, of the grace period or of the data. */
function BillingState({
  subscription,
  settings,
}: { subscription: Facts["subscription"] } & Pick<StatusProps, "settings">) {
  const { now } = useView()
  const { billing } = W.store
  if (!subscription) return <>{billing.none}</>
  const { status, trialEndsAt, currentPeriodEndsAt, pastDueSince, cancelAt, cancelledAt } = subscription
  const at = (label: string, when: Date | null) =>
    when && (
      <>
        {label} <Time at={when} isExact />.
      </>
    )
  if (cancelAt && status !== "cancelled") return at(billing.ends, cancelAt)
  switch (status) {
    case "trialing":
      return at(trialEndsAt && trialEndsAt < now ? billing.trial_ended : billing.trial, trialEndsAt)
    case "active":
      return at(billing.paid, currentPeriodEndsAt)
    case "past_due":
      return at(billing.past_due, pastDueSince && addMs(pastDueSince, settings.TENANCY_BILLING_GRACE_DAYS * DAY))
    case "suspended":
      return <>{billing.unpaid}</>
    case "cancelled":
      return at(billing.purge, cancelledAt && addMs(cancelledAt, settings.TENANCY_RETENTION_DAYS * DAY))
    default:
      return assertNever(status)
  }
}
