// A store's page: status, actions, subscription, usage, theme, domains, apps, notes, support access and audit log.
import type { Context } from "hono"
import type * as z from "zod"
import { publicUrl } from "../../../env"
import { appList } from "../../../platform/apps/schemas"
import type { StoreDetail } from "../../../platform/stores/detail"
import { getStoreDetail } from "../../../platform/stores/detail"
import { storeResource, type UpdateStore } from "../../../platform/stores/schemas"
import { isBilledByCard } from "../../../platform/subscriptions/rules"
import type { FormState } from "../../forms"
import { ActionButton, Field, Form, renderFields, TextArea } from "../../kit/form"
import { page } from "../../kit/page"
import { Badge, Card, DescriptionList, labelOf, listDescriptions, Note, Table, Time } from "../../kit/parts"
import { STORES } from "../../paths"
import { W } from "../../strings"
import type { ConsoleEnv } from "../../types"
import { AuditTable } from "../audit"
import { SupportCard } from "../support-card"
import { Preview } from "../theme"
import { Domains } from "./domains"
import { SubscriptionCard } from "./plan"
import { Usage } from "./usage"

export async function renderStore(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const id = c.req.param("id") ?? ""
  const detail = await getStoreDetail(ctx, id)
  const { store } = detail.facts
  const resource = storeResource(ctx.settings, detail.facts)
  c.set("hasFrames", true)
  const isProvisioning = store.status === "pending" || store.status === "provisioning"
  return page(c, {
    title: store.name,
    crumbs: [[W.stores.title, STORES]],
    state,
    actions: (
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
        <div id="state" data-refresh={isProvisioning ? "2" : undefined}>
          <Card>
            <DescriptionList
              items={listDescriptions<typeof resource>({
                id: [W.store.id, <code>{store.id}</code>],
                name: { omitted: "the title of the page" },
                status: [W.stores.status, <Badge status={store.status} />],
                access_state: [
                  W.store.storefront,
                  <>
                    <Badge status={resource.access_state} /> {W.store.visitors_see[resource.access_state]}
                  </>,
                ],
                theme: { omitted: "has its own card" },
                preset: { omitted: "on the theme's card" },
                owner_email: { omitted: "on the details card" },
                root_url: [W.store.address, <a href={resource.root_url}>{resource.root_url}</a>],
                provisioned_at: { omitted: "on the provisioning card" },
                created_at: [W.common.created, <Time at={store.createdAt} />],
                updated_at: { omitted: "the audit log shows every change" },
                billing_provider: { omitted: "on the subscription's card" },
                usage: { omitted: "has its own card" },
                subscription: { omitted: "has its own card" },
              })}
            />
            <Actions detail={detail} />
          </Card>
          {store.status !== "ready" && <Provisioning detail={detail} />}
        </div>
        <div class="grid">
          <DetailsCard detail={detail} />
          <SubscriptionCard detail={detail} now={ctx.now} />
        </div>
        <div class="grid">
          <Usage detail={detail} />
          <Theme detail={detail} />
        </div>
        <Domains detail={detail} settings={ctx.settings} />
        <div class="grid">
          <Apps detail={detail} />
          <Notes detail={detail} />
        </div>
        <SupportCard store={id} rows={detail.support} />
        <Card title={W.store.audit_log} id="trail">
          <AuditTable rows={detail.entries} />
          <CausedEvents detail={detail} />
          <p>
            <a href={`/console/audit?store=${id}`}>{W.store.full_audit_log}</a>
            {" · "}
            <a href={`/console/deliveries?store=${id}`}>{W.store.deliveries}</a>
          </p>
        </Card>
        <Card title={W.store.delete} id="delete" isForm>
          <p>{W.store.delete_hint(publicUrl(ctx.settings, `${store.id}.${ctx.settings.CENTRAL_DOMAIN}`))}</p>
          <ActionButton action={`${STORES}/${id}/delete`} label={W.store.delete} danger />
        </Card>
      </>
    ),
  })
}

/** Buttons for the actions that are possible now, and the reasons why the others are not. */
function Actions({ detail: { facts } }: { detail: StoreDetail }) {
  const { store, subscription } = facts
  const isProvisioned = store.provisionedAt !== null && !["pending", "provisioning", "failed"].includes(store.status)
  const getStatusReason = (isAllowed: boolean) =>
    isAllowed
      ? null
      : isProvisioned
        ? W.store.why_status(labelOf(store.status).toLowerCase())
        : W.store.why_unprovisioned
  const choices: [name: string, label: string, refused: string | null, danger: boolean][] = [
    ["suspend", W.store.suspend, getStatusReason(store.status === "ready"), true],
    ["resume", W.store.resume, getStatusReason(store.status === "suspended"), false],
    ["reprovision", W.store.reprovision, store.status === "failed" ? null : W.store.why_not_failed, false],
    [
      "subscription/cancel",
      W.store.cancel,
      !subscription
        ? W.store.why_no_subscription
        : isBilledByCard(subscription)
          ? W.store.why_card(W.subscriptions.providers[subscription.provider])
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
            <ActionButton action={`${STORES}/${store.id}/${name}`} label={label} danger={danger} />
          ))}
      </div>
      <details class="more">
        <summary>{W.store.unavailable_actions}</summary>
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

/** The steps of provisioning and their states. */
function Provisioning({ detail: { facts, entries } }: { detail: StoreDetail }) {
  const { store } = facts
  const failure = entries.find(({ type }) => type === "provisioning_failed")
  const steps: [label: string, at: Date | null, state: keyof typeof W.store.step_states][] = [
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
          { head: W.stores.status, cell: ([, , state]) => <Badge status={state} text={W.store.step_states[state]} /> },
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

const DetailsCard = ({ detail: { facts } }: { detail: StoreDetail }) => (
  <Card title={W.store.details} id="details">
    <DescriptionList
      items={[
        [W.stores.owner, <a href={`mailto:${facts.store.ownerEmail}`}>{facts.store.ownerEmail}</a>],
        [W.store.database, facts.store.database],
      ]}
    />
    <Form action={`${STORES}/${facts.store.id}/edit`} submitLabel={W.common.save}>
      {renderFields<z.input<typeof UpdateStore>>({
        name: (name) => <Field name={name} value={facts.store.name} required maxlength={120} idPrefix="edit" />,
        owner_email: (name) => (
          <Field name={name} type="email" value={facts.store.ownerEmail} required idPrefix="edit" />
        ),
        theme: { omitted: "has its own page" },
      })}
    </Form>
  </Card>
)

const Theme = ({ detail: { facts } }: { detail: StoreDetail }) => {
  const { id, name, theme, preset, database } = facts.store
  return (
    <Card title={W.stores.theme} id="theme">
      <p>
        {labelOf(theme)}, {labelOf(preset)}. <a href={`${STORES}/${id}/theme`}>{W.theme.change}</a>
      </p>
      {database && <Preview store={id} name={name} theme={theme} small />}
    </Card>
  )
}

function Apps({ detail: { facts } }: { detail: StoreDetail }) {
  const base = `${STORES}/${facts.store.id}/apps`
  return (
    <Card title={W.store.apps} id="apps">
      <Table
        label={W.store.apps}
        rows={appList(facts).data}
        columns={[
          { head: W.store.app, cell: (app) => app.name },
          { head: W.stores.status, cell: (app) => <Badge status={app.enabled ? "on" : "off"} /> },
          { head: W.store.required_by, cell: (app) => app.required_by.join(", ") },
          {
            head: W.common.actions,
            cell: (app) => (
              <ActionButton
                action={`${base}/${app.slug}/${app.enabled ? "disable" : "enable"}`}
                label={app.enabled ? W.store.turn_off : W.store.turn_on}
                danger={app.enabled}
              />
            ),
          },
        ]}
      />
    </Card>
  )
}

const Notes = ({ detail: { facts, notes } }: { detail: StoreDetail }) => (
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
            <ActionButton
              action={`${STORES}/${facts.store.id}/notes/${note.id}/delete`}
              label={W.common.delete}
              danger
            />
          </div>
        </li>
      ))}
    </ul>
    <Form action={`${STORES}/${facts.store.id}/notes`} submitLabel={W.store.add_note}>
      <TextArea name="note" required rows={3} />
    </Form>
  </Card>
)

/** The events that the latest changes caused, with their delivery counts. */
const CausedEvents = ({ detail: { events } }: { detail: StoreDetail }) =>
  events.length === 0 ? null : (
    <details class="more">
      <summary>{W.store.caused(events.length)}</summary>
      <Table
        label={W.events.title}
        rows={events}
        columns={[
          { head: W.events.event, cell: (event) => <a href={`/console/events/${event.id}`}>{event.type}</a> },
          { head: W.audit.when, cell: (event) => <Time at={event.createdAt} /> },
          { head: W.deliveries.title, isNumeric: true, cell: (event) => `${event.delivered} / ${event.deliveries}` },
        ]}
      />
    </details>
  )
