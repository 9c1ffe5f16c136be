// One store: what it is, what a visitor sees, what may be done to it and why the rest may not.
import { type Context, Hono } from "hono"
import type * as z from "zod"
import { accessState, isRoutable } from "../../core/access"
import { rowId } from "../../core/row-id"
import { publicUrl } from "../../env"
import { appList } from "../../platform/apps/schemas"
import { disableApp, enableApp } from "../../platform/apps/service"
import { AttachDomain, domainResource } from "../../platform/domains/schemas"
import { attachDomain, makePrimary, removeDomain } from "../../platform/domains/service"
import { verifyDomain } from "../../platform/domains/verify"
import { detachStore } from "../../platform/payments/reconcile"
import { planTerms } from "../../platform/plans/schemas"
import { aroundStore } from "../../platform/stores/around"
import { AddNote, addNote, removeNote } from "../../platform/stores/notes"
import { retryProvisioning } from "../../platform/stores/provision"
import { removeStore } from "../../platform/stores/remove"
import { DeleteStore, SwitchTheme, storeResource, UpdateStore } from "../../platform/stores/schemas"
import { resumeStore, suspendStore } from "../../platform/stores/service"
import { updateStore } from "../../platform/stores/update"
import { allowedActions } from "../../platform/subscriptions/rules"
import { AssignPlan, ChangePlan, Extend } from "../../platform/subscriptions/schemas"
import {
  assignPlan,
  cancelSubscription,
  changeToPlan,
  extendSubscription,
  reactivateSubscription,
  resyncPlan,
} from "../../platform/subscriptions/service"
import { usageBlock } from "../../platform/usage/schemas"
import { readUsage } from "../../platform/usage/service"
import { change, done, type FormState, NOTHING, submit } from "../forms"
import { Area, Button, Field, Form, Select } from "../kit/form"
import { page } from "../kit/page"
import { Badge, bytes, Card, Facts, money, Note, number, Table, Time, words } from "../kit/parts"
import { useView } from "../kit/view"
import type { ConsoleEnv } from "../types"
import { W } from "../words"
import { Entries } from "./audit"
import { Support } from "./support-card"
import { Preview } from "./theme"

const PATH = "/console/stores"

/** A POST of a button or form of the page: does it, and leads back to the page. */
const act =
  <Schema extends z.ZodObject>(
    schema: Schema,
    run: (c: Context<ConsoleEnv>, id: string, input: z.output<Schema>) => Promise<unknown>,
    said: keyof typeof W.done = "saved",
    take = submit,
  ) =>
  (c: Context<ConsoleEnv>) => {
    const id = c.req.param("id") ?? ""
    return take(
      c,
      schema,
      async (input) => {
        await run(c, id, input)
        return done(`${PATH}/${id}`, said)
      },
      (state) => show(c, state),
    )
  }

const param = (c: Context<ConsoleEnv>, name: string) => c.req.param(name) ?? ""

export const store = new Hono<ConsoleEnv>()
  .get(`${PATH}/:id`, (c) => show(c))
  .post(
    `${PATH}/:id/edit`,
    act(UpdateStore, (c, id, input) => updateStore(c.var.ctx, id, input), "saved", change),
  )
  .post(`${PATH}/:id/delete`, (c) => {
    const id = param(c, "id")
    return submit(
      c,
      DeleteStore,
      async ({ confirm }) => {
        await removeStore(c.var.ctx, id, { confirm, reason: "console" })
        return done(PATH, "store_deleted")
      },
      (state) => show(c, state),
    )
  })
  .post(
    `${PATH}/:id/suspend`,
    act(NOTHING, (c, id) => suspendStore(c.var.ctx, id), "suspended"),
  )
  .post(
    `${PATH}/:id/resume`,
    act(NOTHING, (c, id) => resumeStore(c.var.ctx, id), "resumed"),
  )
  .post(
    `${PATH}/:id/cancel`,
    act(NOTHING, (c, id) => cancelSubscription(c.var.ctx, id), "cancelled"),
  )
  .post(
    `${PATH}/:id/theme`,
    act(SwitchTheme, (c, id, input) => updateStore(c.var.ctx, id, { theme: input.theme }), "saved", change),
  )
  .post(
    `${PATH}/:id/reprovision`,
    act(NOTHING, (c, id) => retryProvisioning(c.var.ctx, id), "reprovisioned"),
  )
  .post(
    `${PATH}/:id/usage`,
    act(NOTHING, (c, id) => readUsage(c.var.ctx, id, { refresh: true }), "counted"),
  )
  .post(
    `${PATH}/:id/subscription/assign`,
    act(AssignPlan, (c, id, input) => assignPlan(c.var.ctx, id, input)),
  )
  .post(
    `${PATH}/:id/subscription/change-plan`,
    act(ChangePlan, (c, id, input) => changeToPlan(c.var.ctx, id, input)),
  )
  .post(
    `${PATH}/:id/subscription/extend`,
    act(Extend, (c, id, input) => extendSubscription(c.var.ctx, id, input)),
  )
  .post(
    `${PATH}/:id/subscription/cancel`,
    act(NOTHING, (c, id) => cancelSubscription(c.var.ctx, id), "cancelled"),
  )
  .post(
    `${PATH}/:id/subscription/reactivate`,
    act(NOTHING, (c, id) => reactivateSubscription(c.var.ctx, id)),
  )
  .post(
    `${PATH}/:id/subscription/detach`,
    act(NOTHING, (c, id) => detachStore(c.var.ctx, id)),
  )
  .post(
    `${PATH}/:id/subscription/resync`,
    act(NOTHING, (c, id) => resyncPlan(c.var.ctx, id)),
  )
  .post(
    `${PATH}/:id/domains`,
    act(AttachDomain, (c, id, input) => attachDomain(c.var.ctx, id, input.domain), "domain_added"),
  )
  .post(`${PATH}/:id/domains/:domain/verify`, (c) => {
    const id = param(c, "id")
    return submit(
      c,
      NOTHING,
      async () => {
        const { domain, reason } = await verifyDomain(c.var.ctx, id, param(c, "domain"))
        if (!reason) return done(`${PATH}/${id}#domains`, "domain_verified")
        const message = W.store.dns[reason](domain.domain)
        return show(c, { status: 422, values: new Map(), errors: {}, message })
      },
      (state) => show(c, state),
    )
  })
  .post(
    `${PATH}/:id/domains/:domain/primary`,
    act(NOTHING, (c, id) => makePrimary(c.var.ctx, id, param(c, "domain"))),
  )
  .post(
    `${PATH}/:id/domains/:domain/delete`,
    act(NOTHING, (c, id) => removeDomain(c.var.ctx, id, param(c, "domain")), "deleted"),
  )
  .post(
    `${PATH}/:id/apps/:slug/enable`,
    act(NOTHING, (c, id) => enableApp(c.var.ctx, id, param(c, "slug"))),
  )
  .post(
    `${PATH}/:id/apps/:slug/disable`,
    act(NOTHING, (c, id) => disableApp(c.var.ctx, id, param(c, "slug"))),
  )
  .post(
    `${PATH}/:id/notes`,
    act(AddNote, (c, id, input) => addNote(c.var.ctx, id, input)),
  )
  .post(
    `${PATH}/:id/notes/:note/delete`,
    act(NOTHING, (c, id) => removeNote(c.var.ctx, id, rowId(param(c, "note"))), "deleted"),
  )

type Around = Awaited<ReturnType<typeof aroundStore>>

export async function show(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const id = c.req.param("id") ?? ""
  const around = await aroundStore(ctx, id)
  const { store } = around.facts
  const resource = storeResource(ctx.settings, around.facts)
  c.set("frames", true)
  const isMoving = store.status === "pending" || store.status === "provisioning"
  return page(c, {
    title: store.name,
    crumbs: [[W.stores.title, PATH]],
    state,
    acts: (
      <>
        <a class="button" data-quiet href={`/console/sites/${id}`}>
          {W.store.site}
        </a>
        <a class="button" data-quiet href={resource.root_url} rel="noreferrer">
          {W.store.visit}
        </a>
      </>
    ),
    children: (
      <>
        <div id="state" data-refresh={isMoving ? "2" : undefined}>
          <Card>
            <Facts
              of={[
                [W.store.id, <code>{store.id}</code>],
                [W.stores.status, <Badge of={store.status} />],
                [
                  W.store.visitor,
                  <>
                    <Badge of={accessState(store.status)} /> {W.store.sees[accessState(store.status)]}
                  </>,
                ],
                [W.store.address, <a href={resource.root_url}>{resource.root_url}</a>],
                [W.common.created, <Time at={store.createdAt} />],
              ]}
            />
            <Actions around={around} />
          </Card>
          {store.status !== "ready" && <Provisioning around={around} />}
        </div>
        <div class="grid">
          <Owner around={around} />
          <Plan around={around} now={ctx.now} />
        </div>
        <div class="grid">
          <Usage around={around} />
          <Theme around={around} />
        </div>
        <Domains around={around} settings={ctx.settings} />
        <div class="grid">
          <Apps around={around} />
          <Notes around={around} />
        </div>
        <Support store={id} rows={around.support} />
        <Card title={W.store.trail} id="trail">
          <Entries rows={around.entries} />
          <Caused around={around} />
          <p>
            <a href={`/console/audit?store=${id}`}>{W.store.whole_trail}</a>
            {" · "}
            <a href={`/console/deliveries?store=${id}`}>{W.store.deliveries}</a>
          </p>
        </Card>
        <Card title={W.store.delete} id="delete" writes>
          <p>{W.store.delete_hint(publicUrl(ctx.settings, `${store.id}.${ctx.settings.CENTRAL_DOMAIN}`))}</p>
          <Form action={`${PATH}/${id}/delete`} submit={W.store.delete} danger>
            <Field name="confirm" label={W.store.confirm(id)} required />
          </Form>
        </Card>
      </>
    ),
  })
}

/** What can be done as a button, and what cannot with the reason why. */
function Actions({ around: { facts } }: { around: Around }) {
  const { store, subscription } = facts
  const { mayWrite } = useView()
  if (!mayWrite) return null
  const isProvisioned = store.provisionedAt !== null && !["pending", "provisioning", "failed"].includes(store.status)
  const why = (legal: boolean) =>
    legal ? null : isProvisioned ? W.store.why_status(words(store.status)) : W.store.why_unprovisioned
  const choices: [name: string, label: string, refused: string | null, danger: boolean][] = [
    ["suspend", W.stores.suspend, why(store.status === "ready"), true],
    ["resume", W.stores.resume, why(store.status === "suspended"), false],
    ["reprovision", W.store.reprovision, store.status === "failed" ? null : W.store.why_not_failed, false],
    [
      "subscription/cancel",
      W.store.cancel,
      !subscription
        ? W.store.why_no_subscription
        : subscription.provider === "stripe"
          ? W.store.why_stripe
          : subscription.status === "cancelled"
            ? W.store.why_cancelled
            : null,
      true,
    ],
  ]
  const refused = choices.filter(([, , reason]) => reason)
  return (
    <>
      <div class="row">
        {choices
          .filter(([, , reason]) => !reason)
          .map(([name, label, , danger]) => (
            <Button action={`${PATH}/${store.id}/${name}`} label={label} danger={danger} />
          ))}
      </div>
      <details class="more">
        <summary>{W.store.not_now}</summary>
        <ul>
          {refused.map(([, label, reason]) => (
            <li>
              {label}: {reason}
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}

/** How far provisioning has come, step by step. */
function Provisioning({ around: { facts, entries } }: { around: Around }) {
  const { store } = facts
  const failure = entries.find(({ type }) => type === "provisioning_failed")
  const steps: [label: string, at: Date | null, state: string][] = [
    [W.store.steps.created, store.createdAt, "ok"],
    [W.store.steps.started, store.provisioningStartedAt, store.provisioningStartedAt ? "ok" : "waiting"],
    [
      W.store.steps.ready,
      store.provisionedAt,
      store.provisionedAt ? "ok" : store.status === "failed" ? "failed" : "waiting",
    ],
  ]
  return (
    <Card title={W.store.provisioning} id="provisioning">
      <Table
        label={W.store.provisioning}
        rows={steps}
        columns={[
          { head: W.store.step, cell: ([label]) => label },
          { head: W.stores.status, cell: ([, , state]) => <Badge of={state} /> },
          { head: W.audit.when, cell: ([, at]) => <Time at={at} none={W.store.not_yet} /> },
        ]}
      />
      {store.status === "failed" && failure && (
        <Note tone="bad">
          <p>{String(failure.data.reason ?? "")}</p>
        </Note>
      )}
    </Card>
  )
}

const Owner = ({ around: { facts } }: { around: Around }) => (
  <Card title={W.store.details} id="details">
    <Facts
      of={[
        [W.stores.owner, <a href={`mailto:${facts.store.ownerEmail}`}>{facts.store.ownerEmail}</a>],
        [W.store.database, facts.store.database],
      ]}
    />
    <Form action={`${PATH}/${facts.store.id}/edit`} submit={W.common.save}>
      <Field name="name" value={facts.store.name} required maxlength={120} scope="edit" />
      <Field name="owner_email" type="email" value={facts.store.ownerEmail} required scope="edit" />
    </Form>
  </Card>
)

/** What the store bought, against what the plan is sold with today. */
function Plan({ around: { facts, plans }, now }: { around: Around; now: Date }) {
  const { store, subscription } = facts
  const base = `${PATH}/${store.id}/subscription`
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

/** What the store uses against the limits it bought. */
function Usage({ around: { facts } }: { around: Around }) {
  const { subscription, store } = facts
  const usage = usageBlock(facts)
  const limits = subscription?.plan?.limits
  const megabytes = Math.ceil(usage.storage_bytes / (1024 * 1024))
  const rows: [name: string, used: number, limit: number | undefined, shown: string, most: string][] = [
    [W.store.products, usage.products, limits?.products, number(usage.products), number(limits?.products ?? 0)],
    [W.store.orders, usage.orders, limits?.orders, number(usage.orders), number(limits?.orders ?? 0)],
    [W.store.storage, megabytes, limits?.storage_mb, bytes(usage.storage_bytes), W.store.mb(limits?.storage_mb ?? 0)],
    [
      W.store.staff,
      usage.staff_users,
      limits?.staff_users,
      number(usage.staff_users),
      number(limits?.staff_users ?? 0),
    ],
  ]
  return (
    <Card title={W.store.usage} id="usage">
      <Table
        label={W.store.usage}
        rows={rows}
        columns={[
          { head: W.store.what, cell: ([name]) => name },
          { head: W.store.used, num: true, cell: ([, , , shown]) => shown },
          { head: W.store.limit, num: true, cell: ([, , limit, , most]) => (limit ? most : W.store.unlimited) },
          {
            head: W.store.share,
            cell: ([name, used, limit]) =>
              limit ? (
                <meter
                  class="meter"
                  value={used}
                  max={limit}
                  low={limit * 0.8}
                  high={limit * 0.95}
                  optimum={0}
                  aria-label={name}
                />
              ) : (
                ""
              ),
          },
        ]}
      />
      <p class="sub">
        {W.store.counted} <Time at={usage.collected_at} />
      </p>
      <Button action={`${PATH}/${store.id}/usage`} label={W.store.count_now} />
    </Card>
  )
}

const Theme = ({ around: { facts } }: { around: Around }) => {
  const { id, name, theme, preset, database } = facts.store
  return (
    <Card title={W.stores.theme} id="theme">
      <p>
        {theme}, {preset}. <a href={`${PATH}/${id}/theme`}>{W.theme.try}</a>
      </p>
      {database && <Preview store={id} name={name} theme={theme} small />}
    </Card>
  )
}

/** Domains with the records to set. */
function Domains({ around, settings }: { around: Around; settings: Parameters<typeof domainResource>[0] }) {
  const { store } = around.facts
  const base = `${PATH}/${store.id}/domains`
  return (
    <Card title={W.store.domains} id="domains">
      <Table
        label={W.store.domains}
        rows={around.domains}
        columns={[
          { head: W.store.domain, cell: (row) => row.domain },
          {
            head: W.stores.status,
            cell: (row) => (
              <div class="row">
                <Badge of={isRoutable(row) ? "verified" : "waiting"} />
                {row.isPrimary && <span class="badge">{W.store.primary}</span>}
                {row.isFallback && <span class="badge">{W.store.fallback}</span>}
              </div>
            ),
          },
          {
            head: W.common.actions,
            cell: (row) => (
              <div class="row">
                {!isRoutable(row) && <Button action={`${base}/${row.id}/verify`} label={W.store.verify} />}
                {isRoutable(row) && !row.isPrimary && (
                  <Button action={`${base}/${row.id}/primary`} label={W.store.make_primary} />
                )}
                {!row.isFallback && !row.isPrimary && (
                  <Button action={`${base}/${row.id}/delete`} label={W.store.detach} danger />
                )}
              </div>
            ),
          },
          {
            head: W.store.records,
            long: true,
            cell: (row) => {
              const { verification } = domainResource(settings, row)
              if (!verification)
                return row.isFallback ? (
                  ""
                ) : (
                  <>
                    <Time at={row.verifiedAt} /> <a href={`${base}/${row.id}/dns`}>{W.dns.look}</a>
                  </>
                )
              return (
                <>
                  <p>
                    TXT <code>{verification.txt_name}</code> <code>{verification.txt_value}</code>
                  </p>
                  <p>
                    CNAME <code>{row.domain}</code> <code>{verification.cname_target}</code>
                  </p>
                  <p class="sub">
                    {W.store.asked} <Time at={row.checkedAt} />
                  </p>
                  <p id={`dns-${row.id}`} data-load={W.dns.asking}>
                    <a href={`${base}/${row.id}/dns`}>{W.dns.look}</a>
                  </p>
                </>
              )
            },
          },
        ]}
      />
      <Form action={base} submit={W.store.attach}>
        <Field name="domain" label={W.store.attach_label} required hint={W.store.attach_hint} />
      </Form>
    </Card>
  )
}

function Apps({ around: { facts } }: { around: Around }) {
  const base = `${PATH}/${facts.store.id}/apps`
  return (
    <Card title={W.store.apps} id="apps">
      <Table
        label={W.store.apps}
        rows={appList(facts).data}
        columns={[
          { head: W.store.app, cell: (app) => app.name },
          { head: W.stores.status, cell: (app) => <Badge of={app.enabled ? "on" : "off"} /> },
          { head: W.store.needed_by, cell: (app) => app.required_by.join(", ") },
          {
            head: W.common.actions,
            cell: (app) => (
              <Button
                action={`${base}/${app.slug}/${app.enabled ? "disable" : "enable"}`}
                label={app.enabled ? W.store.off : W.store.on}
                danger={app.enabled}
              />
            ),
          },
        ]}
      />
    </Card>
  )
}

const Notes = ({ around: { facts, notes } }: { around: Around }) => (
  <Card title={W.store.notes} id="notes">
    {notes.length === 0 && <p class="sub">{W.store.no_notes}</p>}
    <ul class="plain">
      {notes.map((note) => (
        <li>
          <p>{note.note}</p>
          <div class="row">
            <span class="sub">
              {note.createdByName}, <Time at={note.createdAt} />
            </span>
            <Button action={`${PATH}/${facts.store.id}/notes/${note.id}/delete`} label={W.common.delete} danger />
          </div>
        </li>
      ))}
    </ul>
    <Form action={`${PATH}/${facts.store.id}/notes`} submit={W.store.add_note}>
      <Area name="note" required rows={3} />
    </Form>
  </Card>
)

/** The events that the latest changes caused, and how their deliveries stand. */
const Caused = ({ around: { events } }: { around: Around }) =>
  events.length === 0 ? null : (
    <details class="more">
      <summary>{W.store.caused(events.length)}</summary>
      <Table
        label={W.events.title}
        rows={events}
        columns={[
          { head: W.events.event, cell: (event) => <a href={`/console/events/${event.id}`}>{event.type}</a> },
          { head: W.audit.when, cell: (event) => <Time at={event.createdAt} /> },
          { head: W.deliveries.title, num: true, cell: (event) => `${event.delivered} / ${event.deliveries}` },
        ]}
      />
    </details>
  )
