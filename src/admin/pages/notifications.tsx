// Notifications to a shop's devices and inboxes: the list, a new one with a preview, a test, and the progress of one.
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
import { rowId } from "../../core/http/row-id"
import { withLookups } from "../../core/http/validation"
import { localToUtc } from "../../lib/time-zone"
import { Disclosure } from "../../page-kit/disclosure"
import { ActionButton, DateTimeField, Field, Form, Select, TextArea } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, DescriptionList, EmptyState, MetricList, Pager, Time } from "../../page-kit/parts"
import { PageQuery, pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { type AdminContext, createAdminPages, requireRole } from "../access"
import { handleForm, NoFields, withNotice } from "../forms"
import { page } from "../page"
import { NOTIFICATIONS } from "../paths"
import { getSession } from "../session"
import { useT } from "../view"

const SendForm = withLookups(CreateNotification.extend({ confirmed: z.boolean().optional() }), "at")

const pathOf = (id: number | string, action = "") => `${NOTIFICATIONS}/${id}${action}`

export const notifications = createAdminPages()
  .get(NOTIFICATIONS, (c) => renderNotifications(c))
  .get(`${NOTIFICATIONS}/test`, (c) => c.redirect(NOTIFICATIONS, 303))
  .post(NOTIFICATIONS, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: SendForm,
      convert: (fields) => ({ fields: { ...fields, ...toUtcTime(c, fields.at) }, errors: {} }),
      run: async (input) => {
        const { ctx } = c.var
        if (!input.valid.confirmed)
          return renderPreview(c, input.complete({ at: findScheduleError(ctx, input.valid.at) }))
        const { id } = await createNotification(ctx, ctx.site, input)
        return withNotice(pathOf(id), "notified")
      },
      render: (state) => renderNotifications(c, state),
    }),
  )
  .post(`${NOTIFICATIONS}/test`, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: CheckPush,
      run: async (input) => {
        const { reason } = await checkPush(c.var.ctx, c.var.ctx.site, input)
        if (reason === null) return withNotice(NOTIFICATIONS, "push_tested")
        const message = c.var.strings.notifications.test_failed
        return renderNotifications(c, { status: 422, values: c.var.form, errors: {}, message })
      },
      render: (state) => renderNotifications(c, state),
    }),
  )
  .get(`${NOTIFICATIONS}/:id{[0-9]+}`, (c) => renderNotification(c))
  .get(`${NOTIFICATIONS}/:id{[0-9]+}/cancel`, (c) => c.redirect(pathOf(c.req.param("id")), 303))
  .post(`${NOTIFICATIONS}/:id{[0-9]+}/cancel`, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await cancelNotification(c.var.ctx, c.var.ctx.site, rowId(c.req.param("id")))
        return withNotice(pathOf(c.req.param("id")), "notification_cancelled")
      },
      render: (state) => renderNotification(c, state),
    }),
  )

/** Converts the time that was entered in the shop's time zone. */
function toUtcTime(c: AdminContext, at: unknown): { at?: string } {
  return typeof at === "string" && at ? { at: localToUtc(at, getSession(c).shop.timezone) } : {}
}

async function renderNotifications(c: AdminContext, state?: FormState) {
  const { notifications: t, common, kit } = c.var.strings
  const { input } = pickQuery(PageQuery, c.req.query())
  const { rows, hasMore, push } = await listNotificationsWithPush(c.var.ctx.site, input.page)
  return page(c, {
    title: t.title,
    state,
    children: (
      <>
        {rows.length === 0 ? (
          <EmptyState text={t.empty} />
        ) : (
          <Table
            label={t.title}
            rows={rows}
            columns={[
              { head: t.notification, isLong: true, cell: (row) => <a href={pathOf(row.id)}>{row.title}</a> },
              {
                head: kit.fields.status ?? "",
                cell: ({ status }) => <Badge status={status} text={t.statuses[status]} />,
              },
              { head: t.target, cell: (row) => t.targets[row.target] },
              { head: t.recipients, isNumeric: true, cell: (row) => row.recipients },
              { head: t.sent, isNumeric: true, cell: (row) => row.sentCount },
              { head: t.read, isNumeric: true, cell: (row) => row.readCount },
              { head: common.created, cell: (row) => <Time at={row.sentAt ?? row.scheduledAt ?? row.createdAt} /> },
            ]}
          />
        )}
        <Pager page={input.page} pageSize={NOTIFICATIONS_PAGE_SIZE} hasMore={hasMore} />
        <NewNotification />
        <Card title={t.push}>
          <p>{push.enabled ? t.push_on : t.push_off}</p>
          {push.project_id && (
            <Form action={`${NOTIFICATIONS}/test`} submitLabel={t.test}>
              <Field name="device" label={t.device} type="number" min={1} hint={t.device_hint} />
            </Form>
          )}
        </Card>
      </>
    ),
  })
}

const toChoices = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }))

function NewNotification() {
  const { notifications: t } = useT()
  return (
    <Disclosure label={t.new} action={NOTIFICATIONS}>
      <Form action={NOTIFICATIONS} submitLabel={t.preview}>
        <Field name="title" label={t.notification} required maxlength={100} />
        <TextArea name="message" label={t.message} required rows={3} maxlength={500} />
        <Select name="target" label={t.target} choices={toChoices(t.targets)} />
        <Select name="type" label={t.type} choices={toChoices(t.types)} />
        <DateTimeField name="at" label={t.at} hint={t.at_hint} />
        <Field name="action_url" label={t.action_url} type="url" maxlength={2000} />
        <Field name="image_url" label={t.image_url} type="url" maxlength={2000} />
      </Form>
    </Disclosure>
  )
}

/** Shows the notification and how many it would reach, before it is sent. */
async function renderPreview(c: AdminContext, input: z.output<typeof CreateNotification>): Promise<Response> {
  const { notifications: t } = c.var.strings
  const { devices, recipients } = await countAudience(c.var.ctx.site, input.target)
  return page(c, {
    title: t.preview_title,
    crumbs: [[t.title, NOTIFICATIONS]],
    children: (
      <Card title={input.title}>
        <p class="text">{input.message}</p>
        <DescriptionList
          items={[
            [t.target, t.targets[input.target]],
            [t.recipients, recipients],
            [t.devices, devices],
            [t.at, input.at ? <Time at={input.at} isExact /> : t.now],
            [t.action_url, input.action_url],
          ]}
        />
        <Form action={NOTIFICATIONS} submitLabel={input.at ? t.schedule : t.send}>
          {[...c.var.form]
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

async function renderNotification(c: AdminContext, state?: FormState) {
  const { notifications: t, kit } = c.var.strings
  const { notification: row } = await getNotification(c.var.ctx.site, rowId(c.req.param("id") ?? ""))
  return page(c, {
    title: row.title,
    crumbs: [[t.title, NOTIFICATIONS]],
    state,
    actions: row.status === "scheduled" && <ActionButton action={pathOf(row.id, "/cancel")} label={t.cancel} danger />,
    children: (
      <div id="notification" data-refresh={row.status === "sending" ? "2" : undefined}>
        <Card>
          <p class="text">{row.message}</p>
          <DescriptionList
            items={[
              [kit.fields.status ?? "", <Badge status={row.status} text={t.statuses[row.status]} />],
              [t.target, t.targets[row.target]],
              [t.type, t.types[row.type]],
              [t.by, row.createdByName],
              [t.at, <Time at={row.sentAt ?? row.scheduledAt ?? row.createdAt} isExact />],
              [t.action_url, row.actionUrl],
            ]}
          />
        </Card>
        <Card>
          <MetricList
            items={[
              [t.recipients, row.recipients],
              [t.devices, row.devices],
              [t.sent, row.sentCount],
              [t.failed, row.failedCount],
              [t.delivered, row.deliveredCount],
              [t.read, row.readCount],
              [t.clicked, row.clickedCount],
            ]}
          />
        </Card>
      </div>
    ),
  })
}
