// A store's page: its status, and a tab for each subject.
import type { Context } from "hono"
import type { Child } from "hono/jsx"
import type * as z from "zod"
import type { Ctx } from "../../../core/context"
import { getFallbackHost, publicUrl } from "../../../env"
import { Disclosure } from "../../../page-kit/disclosure"
import { ActionButton, Field, Form, renderFields, TextArea } from "../../../page-kit/form"
import type { FormState } from "../../../page-kit/form-state"
import { Badge, Card, DescriptionList, labelOf, listDescriptions, Note, Time } from "../../../page-kit/parts"
import { Table } from "../../../page-kit/table"
import { Tabs } from "../../../page-kit/tabs"
import { appList } from "../../../platform/apps/schemas"
import type { StoreDetail } from "../../../platform/stores/detail"
import { getStoreDetail } from "../../../platform/stores/detail"
import { storeResource, type UpdateStore } from "../../../platform/stores/schemas"
import { page } from "../../kit/page"
import { STORES } from "../../paths"
import { W } from "../../strings"
import type { ConsoleEnv } from "../../types"
import { AuditTable } from "../audit"
import { SECTIONS_OF_STORE } from "../site-page"
import { SupportCard } from "../support-card"
import { Preview } from "../theme"
import { Domains } from "./domains"
import { SubscriptionCard } from "./plan"
import { StoreStatus } from "./status"
import { findStoreTab, getTabPath, listStoreTabs, type StoreTab } from "./tabs"
import { Usage } from "./usage"

/** Renders the tab of a store's page that the request's path belongs to. */
export async function renderStore(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const id = c.req.param("id") ?? ""
  const detail = await getStoreDetail(ctx, id)
  const { store } = detail.facts
  const tab = findStoreTab(c.req.path)
  if (tab === "content") c.set("hasFrames", true)
  return page(c, {
    title: store.name,
    crumbs: [[W.stores.title, STORES]],
    state,
    actions: (
      <a class="button" data-quiet href={storeResource(ctx.settings, detail.facts).root_url} rel="noreferrer">
        {W.store.visit}
      </a>
    ),
    children: (
      <>
        <StoreStatus detail={detail} settings={ctx.settings} />
        <Tabs label={W.store.pages(store.name)} tabs={listStoreTabs(id)} current={getTabPath(id, tab)} />
        {TABS[tab](detail, ctx)}
      </>
    ),
  })
}

const TABS: Record<StoreTab, (detail: StoreDetail, ctx: Ctx) => Child> = {
  overview: (detail, { settings }) => (
    <>
      {detail.facts.store.provisionedAt === null && <Provisioning detail={detail} />}
      <div class="grid">
        <DetailsCard detail={detail} settings={settings} />
        <Usage detail={detail} />
      </div>
      <div class="grid">
        <Notes detail={detail} />
        <SupportCard store={detail.facts.store.id} rows={detail.support} />
      </div>
      <Deletion store={detail.facts.store} settings={settings} />
    </>
  ),
  billing: (detail, { now }) => <SubscriptionCard detail={detail} now={now} />,
  domains: (detail, { settings }) => <Domains detail={detail} settings={settings} />,
  apps: (detail) => <Apps detail={detail} />,
  shop: (detail) => <SiteLinks store={detail.facts.store.id} sections="shop" />,
  content: (detail) => (
    <div class="grid">
      <SiteLinks store={detail.facts.store.id} sections="content" />
      <Theme detail={detail} />
    </div>
  ),
  activity: (detail) => <Activity detail={detail} />,
}

const Deletion = ({ store, settings }: { store: StoreDetail["facts"]["store"]; settings: Ctx["settings"] }) => (
  <Card title={W.store.delete} id="delete" isForm>
    <p>{W.store.delete_hint(publicUrl(settings, getFallbackHost(settings, store.id)))}</p>
    <ActionButton action={`${STORES}/${store.id}/delete`} label={W.store.delete} danger />
  </Card>
)

/** Links to the pages of the store's site. */
const SiteLinks = ({ store, sections }: { store: string; sections: keyof typeof SECTIONS_OF_STORE }) => (
  <Card title={sections === "shop" ? W.sites.shop : W.store.site} id="site">
    <ul class="links">
      {SECTIONS_OF_STORE[sections].map((section) => (
        <li>
          <a href={`/console/sites/${store}/${section}`}>{W.sites[section]}</a>
        </li>
      ))}
    </ul>
  </Card>
)

/** The audit log with the events that the changes caused. */
const Activity = ({ detail }: { detail: StoreDetail }) => {
  const { id } = detail.facts.store
  return (
    <Card title={W.store.audit_log} id="trail">
      <AuditTable rows={detail.entries} />
      <CausedEvents detail={detail} />
      <p>
        <a href={`/console/audit?store=${id}`}>{W.store.full_audit_log}</a>
        {" · "}
        <a href={`/console/deliveries?store=${id}`}>{W.store.deliveries}</a>
        {" · "}
        <a href={`/console/webhooks?store_id=${id}`}>{W.store.endpoints}</a>
      </p>
    </Card>
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

function DetailsCard({ detail: { facts }, settings }: { detail: StoreDetail; settings: Ctx["settings"] }) {
  const { store } = facts
  const resource = storeResource(settings, facts)
  const path = `${STORES}/${store.id}/edit`
  return (
    <Card title={W.store.details} id="details">
      <DescriptionList
        items={[
          ...listDescriptions<typeof resource>({
            id: [W.store.id, <code>{store.id}</code>],
            name: { omitted: "the title of the page" },
            status: { omitted: "above the tabs" },
            access_state: { omitted: "above the tabs" },
            theme: { omitted: "on the content tab" },
            preset: { omitted: "on the content tab" },
            owner_email: [W.stores.owner, <a href={`mailto:${store.ownerEmail}`}>{store.ownerEmail}</a>],
            root_url: [W.store.address, <a href={resource.root_url}>{resource.root_url}</a>],
            provisioned_at: { omitted: "on the provisioning card" },
            created_at: [W.common.created, <Time at={store.createdAt} />],
            updated_at: { omitted: "the audit log shows every change" },
            billing_provider: { omitted: "on the billing tab" },
            usage: { omitted: "has its own card" },
            subscription: { omitted: "on the billing tab" },
          }),
          [W.store.database, store.database],
        ]}
      />
      <Disclosure label={W.common.edit} id="edit" action={path}>
        <Form action={path} submitLabel={W.common.save}>
          {renderFields<z.input<typeof UpdateStore>>({
            name: (name) => <Field name={name} value={store.name} required maxlength={120} idPrefix="edit" />,
            owner_email: (name) => <Field name={name} type="email" value={store.ownerEmail} required idPrefix="edit" />,
            theme: { omitted: "has its own page" },
          })}
        </Form>
      </Disclosure>
    </Card>
  )
}

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
                about={app.name}
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
              about={note.note.slice(0, 40)}
              danger
            />
          </div>
        </li>
      ))}
    </ul>
    <Disclosure label={W.store.add_note} action={`${STORES}/${facts.store.id}/notes`}>
      <Form action={`${STORES}/${facts.store.id}/notes`} submitLabel={W.store.add_note}>
        <TextArea name="note" required rows={3} />
      </Form>
    </Disclosure>
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
