// One store: what it is, what a visitor sees, what may be done to it and why the rest may not.
import type { Context } from "hono"
import { accessState } from "../../../core/http/store-access"
import { publicUrl } from "../../../env"
import { appList } from "../../../platform/apps/schemas"
import type { Around } from "../../../platform/stores/detail"
import { aroundStore } from "../../../platform/stores/detail"
import { storeResource } from "../../../platform/stores/schemas"
import type { FormState } from "../../forms"
import { Area, Button, Field, Form } from "../../kit/form"
import { page } from "../../kit/page"
import { Badge, Card, Facts, Note, Table, Time, words } from "../../kit/parts"
import { useView } from "../../kit/view"
import { STORES } from "../../paths"
import { W } from "../../strings"
import type { ConsoleEnv } from "../../types"
import { Entries } from "../audit"
import { Support } from "../support-card"
import { Preview } from "../theme"
import { Domains } from "./domains"
import { Plan } from "./plan"
import { Usage } from "./usage"

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
    crumbs: [[W.stores.title, STORES]],
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
          <Form action={`${STORES}/${id}/delete`} submit={W.store.delete} danger>
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
            <Button action={`${STORES}/${store.id}/${name}`} label={label} danger={danger} />
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
    <Form action={`${STORES}/${facts.store.id}/edit`} submit={W.common.save}>
      <Field name="name" value={facts.store.name} required maxlength={120} scope="edit" />
      <Field name="owner_email" type="email" value={facts.store.ownerEmail} required scope="edit" />
    </Form>
  </Card>
)

const Theme = ({ around: { facts } }: { around: Around }) => {
  const { id, name, theme, preset, database } = facts.store
  return (
    <Card title={W.stores.theme} id="theme">
      <p>
        {theme}, {preset}. <a href={`${STORES}/${id}/theme`}>{W.theme.try}</a>
      </p>
      {database && <Preview store={id} name={name} theme={theme} small />}
    </Card>
  )
}

function Apps({ around: { facts } }: { around: Around }) {
  const base = `${STORES}/${facts.store.id}/apps`
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
            <Button action={`${STORES}/${facts.store.id}/notes/${note.id}/delete`} label={W.common.delete} danger />
          </div>
        </li>
      ))}
    </ul>
    <Form action={`${STORES}/${facts.store.id}/notes`} submit={W.store.add_note}>
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
