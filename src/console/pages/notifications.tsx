// A site's notifications and its push settings.
import type { Context } from "hono"
import * as z from "zod"
import { countAudience } from "../../content/notifications/audience"
import { cancelNotification } from "../../content/notifications/cancel"
import { createNotification, findScheduleError } from "../../content/notifications/create"
import {
  getNotification,
  listNotificationsWithPush,
  NOTIFICATIONS_PAGE_SIZE,
} from "../../content/notifications/operator-list"
import { CreateNotification } from "../../content/notifications/schemas"
import { CheckPush, checkPush } from "../../content/push/check"
import { describePushNote, describeStop } from "../../content/push/reasons"
import { type pushSettings, SavePush } from "../../content/push/schemas"
import { savePushSettings } from "../../content/push/settings"
import { rowId } from "../../core/http/row-id"
import { withLookups } from "../../core/http/validation"
import { Disclosure } from "../../page-kit/disclosure"
import { ActionButton, Checkbox, DateTimeField, Field, Form, Select, TextArea } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import {
  Badge,
  Card,
  DescriptionList,
  EmptyState,
  formatNumber,
  labelOf,
  Note,
  Pager,
  Time,
} from "../../page-kit/parts"
import { PageQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { harmless, recentPassword } from "../form-access"
import { handleForm, NoFields } from "../forms"
import { withNotice } from "../notices"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { getSite, getSitePath, sitePage } from "./site-page"

type Console = Context<ConsoleEnv>

const PATH = "/console/sites/:site/notifications"

const SendForm = withLookups(CreateNotification.extend({ confirmed: z.boolean().optional() }), "at")

const TARGETS = ["all", "android", "ios", "customers"]
const TYPES = ["general", "order", "promotion", "system"]

const getListPath = (c: Console) => `${getSitePath(c)}/notifications`

export const notifications = createPages()
  .get(PATH, (c) => renderNotifications(c))
  .post(PATH, recentPassword("support", "send a notification"), async (c) => {
    const site = await getSite(c)
    return handleForm(
      c,
      SendForm,
      async (input) => {
        const { confirmed } = input.valid
        if (!confirmed) return renderPreview(c, input.complete({ at: findScheduleError(c.var.ctx, input.valid.at) }))
        const { id } = await createNotification(c.var.ctx, site, input)
        return withNotice(`${getListPath(c)}/${id}`, "notified")
      },
      (state) => renderNotifications(c, state),
    )
  })
  .post(`${PATH}/push`, recentPassword("admin", "change the push notification settings"), async (c) => {
    const site = await getSite(c)
    return handleForm(
      c,
      SavePush,
      async (input) => {
        await savePushSettings(c.var.ctx, site, input)
        return withNotice(`${getListPath(c)}#push`, "saved")
      },
      (state) => renderNotifications(c, state),
    )
  })
  .post(`${PATH}/check`, harmless("support"), async (c) => {
    const site = await getSite(c)
    return handleForm(
      c,
      CheckPush,
      async (input) => {
        const { reason } = await checkPush(c.var.ctx, site, input)
        const { device } = input.valid
        if (reason === null) return withNotice(`${getListPath(c)}#push`, device ? "push_sent" : "push_checked")
        return renderNotifications(c, { status: 422, values: c.var.form, errors: {}, message: reason })
      },
      (state) => renderNotifications(c, state),
    )
  })
  .get(`${PATH}/:id`, (c) => renderNotification(c))
  .post(`${PATH}/:id/cancel`, harmless("support"), async (c) => {
    const site = await getSite(c)
    const id = rowId(c.req.param("id"))
    return handleForm(
      c,
      NoFields,
      async () => {
        await cancelNotification(c.var.ctx, site, id)
        return withNotice(`${getListPath(c)}/${id}`, "notification_cancelled")
      },
      (state) => renderNotification(c, state),
    )
  })

async function renderNotifications(c: Console, state?: FormState) {
  const site = await getSite(c)
  const { input } = parseQuery(c, PageQuery)
  const { rows, hasMore, push } = await listNotificationsWithPush(site, input.page)
  return sitePage(c, {
    title: W.sites.notifications,
    state,
    children: (
      <>
        {rows.length === 0 ? (
          <EmptyState text={W.sites.no_notifications} />
        ) : (
          <Table
            label={W.sites.notifications}
            rows={rows}
            columns={[
              {
                head: W.sites.name,
                isLong: true,
                cell: (row) => <a href={`${getListPath(c)}/${row.id}`}>{row.title}</a>,
              },
              { head: W.stores.status, cell: (row) => <Badge status={row.status} /> },
              { head: W.sites.target, cell: (row) => W.sites.targets[row.target] ?? row.target },
              { head: W.sites.recipients, isNumeric: true, cell: (row) => formatNumber(row.recipients) },
              { head: W.push.sent, isNumeric: true, cell: (row) => formatNumber(row.sentCount) },
              { head: W.push.failed, isNumeric: true, cell: (row) => formatNumber(row.failedCount) },
              { head: W.sites.read, isNumeric: true, cell: (row) => formatNumber(row.readCount) },
              { head: W.audit.when, cell: (row) => <Time at={row.sentAt ?? row.scheduledAt ?? row.createdAt} /> },
            ]}
          />
        )}
        <Pager page={input.page} pageSize={NOTIFICATIONS_PAGE_SIZE} hasMore={hasMore} />
        <div class="grid">
          <Disclosure label={W.sites.new_notification} id="new" action={getListPath(c)}>
            <Form action={getListPath(c)} submitLabel={W.push.count}>
              <Field name="title" required maxlength={100} />
              <TextArea name="message" required rows={3} />
              <Select
                name="target"
                label={W.sites.target}
                choices={TARGETS.map((value) => ({ value, label: W.sites.targets[value] ?? value }))}
              />
              <Select name="type" choices={TYPES} />
              <DateTimeField name="at" hint={W.sites.at_hint} />
              <Field name="action_url" label={W.sites.action_url} type="url" />
              <Field name="image_url" label={W.sites.image_url} type="url" />
            </Form>
          </Disclosure>
          <PushCard c={c} push={push} />
        </div>
      </>
    ),
  })
}

/** The push provider's service account, with a credentials check. */
function PushCard({ c, push }: { c: Console; push: ReturnType<typeof pushSettings> }) {
  return (
    <Card title={W.push.title} id="push">
      <DescriptionList
        items={[
          [W.stores.status, <Badge status={push.enabled ? "on" : "off"} />],
          [W.push.project, push.project_id],
          [W.push.account, push.client_email],
          [W.push.since, <Time at={push.configured_at} none={W.store.not_yet} />],
        ]}
      />
      <Form action={`${getListPath(c)}/push`} submitLabel={W.common.save}>
        <Checkbox name="enabled" label={W.push.enabled} isChecked={push.enabled} />
        <TextArea
          name="service_account"
          label={W.push.service_account}
          rows={4}
          maxlength={20_000}
          accept=".json,application/json"
          hint={W.push.service_account_hint}
        />
      </Form>
      {push.project_id && (
        <Form action={`${getListPath(c)}/check`} submitLabel={W.push.check}>
          <Field name="device" label={W.push.device} type="number" min={1} hint={W.push.device_hint} />
        </Form>
      )}
    </Card>
  )
}

/** Shows the notification and how many recipients it has before it is sent. */
async function renderPreview(c: Console, input: z.output<typeof CreateNotification>): Promise<Response> {
  const { devices, recipients } = await countAudience(await getSite(c), input.target)
  const { form } = c.var
  return sitePage(c, {
    title: W.push.preview,
    crumbs: [[W.sites.notifications, getListPath(c)]],
    children: (
      <Card title={input.title}>
        <p>{input.message}</p>
        <DescriptionList
          items={[
            [W.sites.target, W.sites.targets[input.target] ?? input.target],
            [W.sites.recipients, formatNumber(recipients)],
            [W.push.devices, formatNumber(devices)],
            [W.sites.at, input.at ? <Time at={input.at} isExact /> : W.push.now],
          ]}
        />
        <Form action={getListPath(c)} submitLabel={input.at ? W.push.schedule : W.sites.send}>
          {[...form]
            .filter(([name]) => name !== "once" && name !== "confirmed")
            .map(([name, values]) => (
              <input type="hidden" name={name} value={values.at(-1) ?? ""} />
            ))}
          <input type="hidden" name="confirmed" value="true" />
        </Form>
      </Card>
    ),
  })
}

async function renderNotification(c: Console, state?: FormState) {
  const id = rowId(c.req.param("id") ?? "")
  const { notification: row, failures } = await getNotification(await getSite(c), id)
  const processed = row.sentCount + row.failedCount
  const why = describeStop(row.stop) ?? describePushNote(row.pushNote)
  return sitePage(c, {
    title: row.title,
    crumbs: [[W.sites.notifications, getListPath(c)]],
    state,
    actions: row.status === "scheduled" && (
      <ActionButton action={`${getListPath(c)}/${id}/cancel`} label={W.push.cancel} danger />
    ),
    children: (
      <div id="notification" data-refresh={row.status === "sending" ? "2" : undefined}>
        {why && (
          <Note tone={row.status === "failed" ? "bad" : "warn"}>
            <p>{why}</p>
          </Note>
        )}
        <Card>
          <p>{row.message}</p>
          <DescriptionList
            items={[
              [W.stores.status, <Badge status={row.status} />],
              [W.sites.target, W.sites.targets[row.target] ?? row.target],
              [W.sites.type, labelOf(row.type)],
              [W.audit.actor, row.createdByName],
              [W.sites.at, <Time at={row.sentAt ?? row.scheduledAt ?? row.createdAt} />],
              [W.sites.recipients, formatNumber(row.recipients)],
              [
                W.push.devices,
                row.devices > 0 && (
                  <>
                    <progress value={processed} max={row.devices} aria-label={W.push.progress} />{" "}
                    {W.push.of(processed, row.devices)}
                  </>
                ),
              ],
              [W.push.sent, formatNumber(row.sentCount)],
              [W.push.failed, formatNumber(row.failedCount)],
              [W.push.delivered, formatNumber(row.deliveredCount)],
              [W.sites.read, formatNumber(row.readCount)],
              [W.sites.clicked, formatNumber(row.clickedCount)],
            ]}
          />
        </Card>
        {failures.length > 0 && (
          <Card title={W.push.failures} id="failures">
            <Table
              label={W.push.failures}
              rows={failures}
              columns={[
                { head: W.push.reason, cell: ({ reason }) => <code>{reason}</code> },
                { head: W.push.meaning, isLong: true, cell: ({ meaning }) => meaning },
                { head: W.push.devices, isNumeric: true, cell: ({ devices }) => formatNumber(devices) },
              ]}
            />
          </Card>
        )}
      </div>
    ),
  })
}
