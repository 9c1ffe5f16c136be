// Actions on a store that its owner or its visitors notice. Each has a confirmation page.
import type { Context } from "hono"
import type { Child } from "hono/jsx"
import * as z from "zod"
import type { Ctx } from "../../../core/context"
import { Sentence } from "../../../core/html/moment"
import type { Input } from "../../../core/http/input"
import { Refusal } from "../../../core/http/refusal"
import { rowId } from "../../../core/http/row-id"
import { dryRun } from "../../../core/write/commit"
import { getFallbackHost } from "../../../env"
import { addMs, DAY } from "../../../lib/time"
import { formatBytes, formatMoney, formatNumber, Time } from "../../../page-kit/parts"
import { disableApp } from "../../../platform/apps/service"
import { makePrimary, readDomains, removeDomain } from "../../../platform/domains/service"
import { detachStore } from "../../../platform/payments/reconcile"
import { readNote, removeNote } from "../../../platform/stores/notes"
import type { OwnerMail } from "../../../platform/stores/owner-mail"
import { removeStore } from "../../../platform/stores/remove"
import { resumeStore } from "../../../platform/stores/resume"
import type { StoreDetails } from "../../../platform/stores/schemas"
import { readStore, suspendStore } from "../../../platform/stores/service"
import { isFreePlan, isInOrder } from "../../../platform/subscriptions/rules"
import {
  AssignPlan,
  ChangePlan,
  Extend,
  RESOLUTIONS,
  type Resolution,
  ResumeStore,
} from "../../../platform/subscriptions/schemas"
import {
  assignPlan,
  cancelSubscription,
  changeToPlan,
  extendSubscription,
  reactivateSubscription,
  resyncPlan,
} from "../../../platform/subscriptions/service"
import { usageResource } from "../../../platform/usage/schemas"
import type { Confirmation, Confirmed, Preview } from "../../confirmation/confirmed"
import { type FormRole, mayPost } from "../../form-access"
import { pathParam } from "../../form-handler"
import { NoFields } from "../../forms"
import { type NoticeKey, withNotice } from "../../notices"
import { STORES } from "../../paths"
import { createPages } from "../../router"
import { getSession } from "../../session"
import { W } from "../../strings"
import type { ConsoleEnv } from "../../types"
import { describeState, getPaidUntil, listChanges } from "./changes"
import { renderStore } from "./page"
import { findStoreTab, getTabPath, type StoreTab } from "./tabs"

type Console = Context<ConsoleEnv>

type Facts = Pick<StoreDetails, "store" | "subscription">

interface StoreAction<Schema extends z.ZodObject> {
  role: FormRole
  /** The action as the password page names it. */
  password?: string
  schema: Schema
  /** The question that is the page's title. */
  title: (store: string, input: Input<Schema>, before: StoreDetails) => string
  submitLabel: string | ((input: Input<Schema>, before: StoreDetails) => string)
  /** Whether the button is red; default true. */
  isHarmful?: boolean
  effects: (before: StoreDetails, after: Facts, ctx: Ctx) => Child[]
  /** Runs the action, or shows in a dry run what it would change. */
  apply: (ctx: Ctx, id: string, input: Input<Schema>, confirmed: Confirmed, c: Console) => Promise<Facts>
  mail?: (before: StoreDetails, after: Facts) => Pick<OwnerMail, "kind" | "facts"> | "own"
  /** The tab to return to; the overview by default. */
  tab?: StoreTab
  notice?: NoticeKey
  /** The notice, when it depends on the result. */
  getNotice?: (after: Facts, input: Input<Schema>) => NoticeKey
  /** A choice that the operator makes first. */
  question?: (before: StoreDetails, input: Input<Schema>, c: Console) => Preview["question"]
  /** A link to another way to do it. */
  alternative?: (path: string, input: Input<Schema>) => NonNullable<Preview["alternative"]>
}

/** Builds the confirmation of an action whose service function returns the changed store. */
const storeAction = <Schema extends z.ZodObject>(action: StoreAction<Schema>): Confirmation<Schema> => ({
  roles: [action.role],
  password: action.password,
  schema: action.schema,
  async preview(c, input) {
    const { ctx } = c.var
    const id = pathParam(c, "id")
    const unconfirmed = { reason: null, notifyOwner: false }
    const [before, after] = await Promise.all([
      readStore(ctx, id),
      dryRun(ctx, (dry) => action.apply(dry, id, input, unconfirmed, c)),
    ])
    const mail = action.mail?.(before, after)
    return {
      ...aboutStore(c, before),
      title: action.title(before.store.name, input, before),
      state: describeState(before),
      changes: listChanges(before, after),
      effects: action.effects(before, after, ctx),
      submitLabel: typeof action.submitLabel === "string" ? action.submitLabel : action.submitLabel(input, before),
      isHarmful: action.isHarmful,
      question: action.question?.(before, input, c),
      alternative: action.alternative?.(c.req.path, input),
      ownerMail: mail === undefined || mail === "own" ? mail : { ...mail, store: before },
    }
  },
  async run(c, input, confirmed) {
    const id = pathParam(c, "id")
    const after = await action.apply(c.var.ctx, id, input, confirmed, c)
    return withNotice(
      getTabPath(id, action.tab ?? "overview"),
      action.getNotice?.(after, input) ?? action.notice ?? "saved",
      c.req.param("slug"),
    )
  },
  renderForm: renderStore,
})

const aboutStore = (c: Console, { store }: StoreDetails): Pick<Preview, "crumbs" | "back"> => ({
  crumbs: [
    [W.stores.title, STORES],
    [store.name, `${STORES}/${store.id}`],
  ],
  back: getTabPath(store.id, findStoreTab(c.req.path)),
})

const suspend = storeAction({
  role: "support",
  password: "suspend a store",
  schema: NoFields,
  title: W.storeActions.suspend,
  submitLabel: W.store.suspend,
  effects: () => W.storeActions.suspend_effects,
  apply: (ctx, id, _, { reason, notifyOwner }) => suspendStore(ctx, id, { reason, notify: notifyOwner }),
  mail: () => "own",
  notice: "suspended",
})

const formatPrice = ({ plan }: NonNullable<StoreDetails["subscription"]>): string =>
  plan ? formatMoney(plan.price_cents, plan.currency) : ""

/** The resolutions that each role may choose; `leave` opens the store only. */
const RESOLUTION_ROLES: Record<Resolution, FormRole> = {
  extend_trial: "finance",
  mark_paid: "finance",
  leave: "support",
}

const listResolutions = (c: Console): Resolution[] =>
  RESOLUTIONS.filter((resolution) => mayPost(getSession(c).operator.role, [RESOLUTION_ROLES[resolution]]))

/** Whether a payment can be booked: without a plan or a price, there is none. */
const isOffered = (resolution: Resolution, { plan }: NonNullable<StoreDetails["subscription"]>): boolean =>
  resolution !== "mark_paid" || !isFreePlan(plan)

const resume: Confirmation<typeof ResumeStore> = {
  ...storeAction({
    role: "support",
    password: "resume a store",
    schema: ResumeStore,
    title: W.storeActions.resume,
    submitLabel: W.store.resume,
    isHarmful: false,
    effects: ({ subscription: before }, { subscription }) => [
      W.storeActions.resume_effect,
      !before || isInOrder(before)
        ? W.storeActions.billing_unchanged
        : subscription?.status === before.status
          ? W.storeActions.resume_unpaid(before.status)
          : subscription?.status === "trialing"
            ? W.storeActions.resolved.extend_trial
            : W.storeActions.resolved.mark_paid(formatPrice(before)),
    ],
    question: ({ subscription }, { resolution }, c) =>
      resolution === undefined && subscription && !isInOrder(subscription)
        ? {
            text: W.storeActions.resolution_question(subscription.status),
            choices: listResolutions(c)
              .filter((choice) => isOffered(choice, subscription))
              .map((choice) => ({
                label: W.storeActions.resolutions[choice],
                href: `${c.req.path}?resolution=${choice}`,
              })),
          }
        : undefined,
    apply(ctx, id, input, _, c) {
      const { resolution = "leave" } = input
      // A preview without a resolution only asks for one.
      if (input.resolution !== undefined && !listResolutions(c).includes(resolution)) throw new Refusal("forbidden")
      return resumeStore(ctx, id, input)
    },
    mail: () => ({ kind: "resumed_by_operator" }),
    // Undoing would only close the store again: a payment or trial stays.
    getNotice: ({ subscription }, input) =>
      input.resolution === "mark_paid"
        ? "resumed_paid"
        : input.resolution === "extend_trial" && subscription?.status === "trialing"
          ? "resumed_on_trial"
          : "resumed",
  }),
  roles: ["support", "finance"],
}

/** Cancels now unless the form says otherwise, as the API does. */
const CancelForm = z.object({ at_period_end: z.boolean().optional() })

const cancel = storeAction({
  role: "finance",
  password: "cancel a subscription",
  schema: CancelForm,
  title: (store, { at_period_end: isLater }) =>
    isLater ? W.storeActions.cancel_at_end(store) : W.storeActions.cancel(store),
  submitLabel: ({ at_period_end: isLater }) => W.storeActions.cancel_labels[isLater ? "later" : "now"],
  effects(_, { subscription }, { now, settings }) {
    const end = subscription?.cancelAt ?? now
    const purge = addMs(end, settings.TENANCY_RETENTION_DAYS * DAY)
    return [
      subscription?.cancelAt ? <DatedEffect of={W.storeActions.cancel_later} at={end} /> : W.storeActions.cancel_now,
      <DatedEffect of={W.storeActions.cancel_purge} at={purge} />,
    ]
  },
  alternative: (path, { at_period_end: isLater = false }) =>
    isLater
      ? { label: W.storeActions.cancel_alternatives.now, href: path }
      : { label: W.storeActions.cancel_alternatives.later, href: `${path}?at_period_end=true` },
  apply: (ctx, id, { at_period_end = false }, { reason, notifyOwner }) =>
    cancelSubscription(ctx, id, { at_period_end, reason, notify: notifyOwner }),
  mail: () => "own",
  getNotice: ({ subscription }) => (subscription?.cancelAt ? "cancel_scheduled" : "cancelled"),
})

/** Whether the subscription is to end later, so that reactivating only withdraws that. */
const isCancelScheduled = ({ subscription }: StoreDetails): boolean =>
  subscription !== null && subscription.cancelAt !== null

const reactivate = storeAction({
  role: "finance",
  password: "reactivate a subscription",
  schema: NoFields,
  tab: "billing",
  title: (store, _, before) =>
    isCancelScheduled(before) ? W.storeActions.withdraw(store) : W.storeActions.reactivate(store),
  submitLabel: (_, before) => (isCancelScheduled(before) ? W.store.withdraw : W.store.reactivate),
  isHarmful: false,
  effects: (before, { store }) =>
    isCancelScheduled(before)
      ? W.storeActions.withdraw_effects
      : [
          store.operatorSuspendedAt ? W.storeActions.reactivate_closed : W.storeActions.reactivate_open,
          W.storeActions.reactivate_period,
        ],
  apply: (ctx, id) => reactivateSubscription(ctx, id),
  mail: () => ({ kind: "operator_reactivated" }),
  notice: "reactivated",
})

const extend = storeAction({
  role: "finance",
  password: "extend a subscription",
  schema: Extend,
  tab: "billing",
  title: W.storeActions.extend,
  submitLabel: W.store.extend,
  isHarmful: false,
  effects: () => W.storeActions.extend_effects,
  apply: (ctx, id, input) => extendSubscription(ctx, id, input),
  mail: (_, { subscription }) => ({ kind: "operator_extended", facts: { until: getPaidUntil(subscription) } }),
})

const DatedEffect = ({ of: text, at }: { of: (date: string) => string; at: Date }) => (
  <Sentence of={text}>
    <Time at={at} isExact />
  </Sentence>
)

const planFacts = ({ subscription }: Facts) => ({ plan: subscription?.plan?.name ?? null })

const assign = storeAction({
  role: "finance",
  password: "assign a plan to a store",
  schema: AssignPlan,
  tab: "billing",
  title: W.storeActions.assign,
  submitLabel: W.store.assign,
  isHarmful: false,
  effects: () => W.storeActions.assign_effects,
  apply: (ctx, id, input) => assignPlan(ctx, id, input),
  mail: (_, after) => ({ kind: "operator_plan_assigned", facts: planFacts(after) }),
})

const changePlan = storeAction({
  role: "finance",
  password: "change a store's plan",
  schema: ChangePlan,
  tab: "billing",
  title: W.storeActions.change_plan,
  submitLabel: W.store.change_plan,
  isHarmful: false,
  effects: () => W.storeActions.change_plan_effects,
  apply: (ctx, id, input) => changeToPlan(ctx, id, input),
  mail: (_, after) => ({ kind: "operator_plan_changed", facts: planFacts(after) }),
})

const resync = storeAction({
  role: "finance",
  password: "apply a plan's current terms to a store",
  schema: NoFields,
  tab: "billing",
  title: W.storeActions.resync,
  submitLabel: W.store.resync,
  effects: () => W.storeActions.resync_effects,
  apply: (ctx, id) => resyncPlan(ctx, id),
  mail: () => ({ kind: "operator_terms_updated" }),
})

const switchAppOff = storeAction({
  role: "support",
  schema: NoFields,
  title: W.storeActions.disable_app,
  submitLabel: W.store.turn_off,
  effects: () => W.storeActions.disable_app_effects,
  apply: (ctx, id, _, __, c) => disableApp(ctx, id, pathParam(c, "slug")),
  tab: "apps",
  notice: "app_disabled",
  mail: (before, after) => ({
    kind: "operator_app_disabled",
    facts: { app: before.store.apps.filter((app) => !after.store.apps.includes(app)).join(", ") },
  }),
})

const detachBilling = storeAction({
  role: "finance",
  password: "move a store to manual billing",
  schema: NoFields,
  tab: "billing",
  title: W.storeActions.detach,
  submitLabel: W.store.detach_billing,
  effects: () => W.storeActions.detach_effects,
  apply: (ctx, id) => detachStore(ctx, id),
})

const deletion: Confirmation<typeof NoFields> = {
  roles: ["support"],
  password: "delete a store and its data",
  schema: NoFields,
  async preview(c) {
    const facts = await readStore(c.var.ctx, pathParam(c, "id"))
    const { store } = facts
    const usage = usageResource(facts)
    return {
      ...aboutStore(c, facts),
      title: W.storeActions.delete(store.name),
      state: describeState(facts),
      changes: [
        { label: W.store.products, before: formatNumber(usage.products), after: W.common.none },
        { label: W.store.orders, before: formatNumber(usage.orders), after: W.common.none },
        { label: W.store.storage, before: formatBytes(usage.storage_bytes), after: W.common.none },
      ],
      effects: [W.store.delete_hint(getFallbackHost(c.var.ctx.settings, store.id)), ...W.storeActions.delete_effects],
      submitLabel: W.store.delete,
      typed: { label: W.store.confirm_either(store.id, store.name), accepts: [store.id, store.name] },
      ownerMail: { kind: "operator_store_deleted", store: facts },
    }
  },
  async run(c) {
    const id = pathParam(c, "id")
    await removeStore(c.var.ctx, id, { confirm: id, reason: "console" })
    return withNotice(STORES, "store_deleted")
  },
  renderForm: renderStore,
}

/** Builds the confirmation of an action on one of a store's domains. */
const domainAction = (action: {
  password: string
  title: (domain: string) => string
  submitLabel: string
  effects: string[]
  kind: OwnerMail["kind"]
  apply: (ctx: Ctx, id: string, domain: string) => Promise<unknown>
  notice: NoticeKey
}): Confirmation<typeof NoFields> => ({
  roles: ["support"],
  password: action.password,
  schema: NoFields,
  async preview(c) {
    const { ctx } = c.var
    const id = pathParam(c, "id")
    const segment = pathParam(c, "domain")
    const [facts] = await Promise.all([readDomains(ctx, id), dryRun(ctx, (dry) => action.apply(dry, id, segment))])
    const { attached } = facts
    const domain = attached.find((one) => String(one.id) === segment || one.domain === segment)
    if (!domain) throw new Refusal("not_found")
    const shown = attached.map((one) => [one.domain, one.isPrimary, one.verifiedAt?.getTime() ?? null])
    return {
      ...aboutStore(c, facts),
      title: action.title(domain.domain),
      state: [facts.store.seq, shown],
      effects: action.effects,
      submitLabel: action.submitLabel,
      ownerMail: { kind: action.kind, store: facts, facts: { domain: domain.domain } },
    }
  },
  async run(c) {
    const id = pathParam(c, "id")
    await action.apply(c.var.ctx, id, pathParam(c, "domain"))
    return withNotice(getTabPath(id, "domains"), action.notice)
  },
  renderForm: renderStore,
})

const primaryDomain = domainAction({
  password: "change a store's primary domain",
  title: W.storeActions.primary,
  submitLabel: W.store.make_primary,
  effects: W.storeActions.primary_effects,
  kind: "operator_primary_changed",
  apply: makePrimary,
  notice: "saved",
})

const domainRemoval = domainAction({
  password: "remove a domain from a store",
  title: W.storeActions.remove_domain,
  submitLabel: W.store.remove_domain,
  effects: W.storeActions.remove_domain_effects,
  kind: "operator_domain_removed",
  apply: removeDomain,
  notice: "deleted",
})

const noteRemoval: Confirmation<typeof NoFields> = {
  roles: ["support"],
  schema: NoFields,
  async preview(c) {
    const { ctx } = c.var
    const id = pathParam(c, "id")
    const noteId = rowId(pathParam(c, "note"))
    const [facts, note] = await Promise.all([readStore(ctx, id), readNote(ctx, id, noteId)])
    return {
      ...aboutStore(c, facts),
      title: W.storeActions.delete_note,
      state: [facts.store.seq, note.id],
      changes: [{ label: W.store.notes, before: note.note, after: W.common.none }],
      effects: [W.storeActions.irreversible],
      submitLabel: W.common.delete,
    }
  },
  async run(c) {
    const id = pathParam(c, "id")
    await removeNote(c.var.ctx, id, rowId(pathParam(c, "note")))
    return withNotice(`${STORES}/${id}`, "deleted")
  },
  renderForm: renderStore,
}

export const storeActions = createPages()
  .confirmed(`${STORES}/:id/suspend`, suspend)
  .confirmed(`${STORES}/:id/resume`, resume)
  .confirmed(`${STORES}/:id/cancel`, cancel)
  .confirmed(`${STORES}/:id/delete`, deletion)
  .confirmed(`${STORES}/:id/subscription/cancel`, cancel)
  .confirmed(`${STORES}/:id/subscription/reactivate`, reactivate)
  .confirmed(`${STORES}/:id/subscription/extend`, extend)
  .confirmed(`${STORES}/:id/subscription/assign`, assign)
  .confirmed(`${STORES}/:id/subscription/change-plan`, changePlan)
  .confirmed(`${STORES}/:id/subscription/resync`, resync)
  .confirmed(`${STORES}/:id/subscription/detach`, detachBilling)
  .confirmed(`${STORES}/:id/domains/:domain/primary`, primaryDomain)
  .confirmed(`${STORES}/:id/domains/:domain/delete`, domainRemoval)
  .confirmed(`${STORES}/:id/apps/:slug/disable`, switchAppOff)
  .confirmed(`${STORES}/:id/notes/:note/delete`, noteRemoval)
