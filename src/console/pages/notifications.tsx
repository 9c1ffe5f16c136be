// A site's notifications: whom one would reach, how far one has come and why it failed, and the account that pushes go through.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { countAudience } from "../../content/notifications/audience"
import { cancelNotification } from "../../content/notifications/cancel"
import { createNotification } from "../../content/notifications/create"
import { NOTIFICATIONS_PAGE, notificationsAndPush, showNotification } from "../../content/notifications/operator-list"
import { CreateNotification } from "../../content/notifications/schemas"
import { checkPush } from "../../content/push/check"
import { noteSentence, stopSentence } from "../../content/push/reasons"
import { type pushSettings, SavePush } from "../../content/push/schemas"
import { savePushSettings } from "../../content/push/settings"
import { rowId } from "../../core/http/row-id"
import { queryNumber } from "../../core/http/validation"
import { done, type FormState, NOTHING, submit } from "../forms"
import { Area, Button, Check, Field, Form, Moment, Select } from "../kit/form"
import { Badge, Card, Empty, Facts, Note, number, Pager, Table, Time } from "../kit/parts"
import { readQuery } from "../query-params"
import { recentPassword, sessionOnly } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { base, siteOf, sitePage } from "./site-page"

type Console = Context<ConsoleEnv>

const PATH = "/console/sites/:site/notifications"

const Listed = z.object({ page: queryNumber(100_000).default(1) })
const Send = CreateNotification.extend({ confirmed: z.boolean().optional() })
const Device = z.object({ device: z.int().positive().optional() })

const TARGETS = ["all", "android", "ios", "customers"]
const TYPES = ["general", "order", "promotion", "system"]

const listPath = (c: Console) => `${base(c)}/notifications`

export const notifications = new Hono<ConsoleEnv>()
  .get(PATH, (c) => list(c))
  .post(PATH, recentPassword("sends a message to everybody on a site"), async (c) => {
    const site = await siteOf(c)
    return submit(
      c,
      Send,
      async ({ confirmed, ...input }) => {
        if (!confirmed) return preview(c, input)
        const { id } = await createNotification(c.var.ctx, site, input)
        return done(`${listPath(c)}/${id}`, "notified")
      },
      (state) => list(c, state),
    )
  })
  .post(`${PATH}/push`, recentPassword("stores the account that pushes go through"), async (c) => {
    const site = await siteOf(c)
    return submit(
      c,
      SavePush,
      async (input) => {
        await savePushSettings(c.var.ctx, site, input)
        return done(`${listPath(c)}#push`, "saved")
      },
      (state) => list(c, state),
    )
  })
  .post(`${PATH}/check`, sessionOnly, async (c) => {
    const site = await siteOf(c)
    return submit(
      c,
      Device,
      async ({ device }) => {
        const { reason } = await checkPush(c.var.ctx, site, device)
        if (reason === null) return done(`${listPath(c)}#push`, device ? "push_sent" : "push_checked")
        return list(c, { status: 422, values: c.var.form, errors: {}, message: reason })
      },
      (state) => list(c, state),
    )
  })
  .get(`${PATH}/:id`, (c) => one(c))
  .post(`${PATH}/:id/cancel`, sessionOnly, async (c) => {
    const site = await siteOf(c)
    const id = rowId(c.req.param("id"))
    return submit(
      c,
      NOTHING,
      async () => {
        await cancelNotification(c.var.ctx, site, id)
        return done(`${listPath(c)}/${id}`, "notification_cancelled")
      },
      (state) => one(c, state),
    )
  })

async function list(c: Console, state?: FormState) {
  const site = await siteOf(c)
  const { input } = readQuery(c, Listed)
  const { rows, more, push } = await notificationsAndPush(site, input.page)
  return sitePage(c, {
    title: W.sites.notifications,
    state,
    children: (
      <>
        {rows.length === 0 ? (
          <Empty text={W.sites.no_notifications} />
        ) : (
          <Table
            label={W.sites.notifications}
            rows={rows}
            columns={[
              { head: W.sites.name, long: true, cell: (row) => <a href={`${listPath(c)}/${row.id}`}>{row.title}</a> },
              { head: W.stores.status, cell: (row) => <Badge of={row.status} /> },
              { head: W.sites.target, cell: (row) => row.target },
              { head: W.sites.recipients, num: true, cell: (row) => number(row.recipients) },
              { head: W.push.sent, num: true, cell: (row) => number(row.sentCount) },
              { head: W.push.failed, num: true, cell: (row) => number(row.failedCount) },
              { head: W.sites.read, num: true, cell: (row) => number(row.readCount) },
              { head: W.audit.when, cell: (row) => <Time at={row.sentAt ?? row.scheduledAt ?? row.createdAt} /> },
            ]}
          />
        )}
        <Pager page={input.page} perPage={NOTIFICATIONS_PAGE} more={more} />
        <div class="grid">
          <Card title={W.sites.new_notification} id="new" writes>
            <Form action={listPath(c)} submit={W.push.count}>
              <Field name="title" required maxlength={100} />
              <Area name="message" required rows={3} />
              <Select name="target" choices={TARGETS} />
              <Select name="type" choices={TYPES} />
              <Moment name="at" hint={W.sites.at_hint} />
              <Field name="action_url" label={W.sites.action_url} type="url" />
              <Field name="image_url" label={W.sites.image_url} type="url" />
            </Form>
          </Card>
          <Push c={c} push={push} />
        </div>
      </>
    ),
  })
}

/** The account at the push provider, and whether it would do. */
function Push({ c, push }: { c: Console; push: ReturnType<typeof pushSettings> }) {
  return (
    <Card title={W.push.title} id="push">
      <Facts
        of={[
          [W.stores.status, <Badge of={push.enabled ? "on" : "off"} />],
          [W.push.project, push.project_id],
          [W.push.account, push.client_email],
          [W.push.since, <Time at={push.configured_at} none={W.store.not_yet} />],
        ]}
      />
      <Form action={`${listPath(c)}/push`} submit={W.common.save}>
        <Check name="enabled" label={W.push.enabled} on={push.enabled} />
        <Area
          name="service_account"
          label={W.push.service_account}
          rows={4}
          accept=".json,application/json"
          hint={W.push.service_account_hint}
        />
      </Form>
      {push.project_id && (
        <Form action={`${listPath(c)}/check`} submit={W.push.check}>
          <Field name="device" label={W.push.device} type="number" min={1} hint={W.push.device_hint} />
        </Form>
      )}
    </Card>
  )
}

/** Whom it would reach, counted now, before it is sent. */
async function preview(c: Console, input: z.output<typeof CreateNotification>): Promise<Response> {
  const { devices, recipients } = await countAudience(await siteOf(c), input.target)
  const { form } = c.var
  return sitePage(c, {
    title: W.push.preview,
    crumbs: [[W.sites.notifications, listPath(c)]],
    children: (
      <Card title={input.title}>
        <p>{input.message}</p>
        <Facts
          of={[
            [W.sites.target, input.target],
            [W.sites.recipients, number(recipients)],
            [W.push.devices, number(devices)],
            [W.sites.at, input.at ? <Time at={input.at} /> : W.push.now],
          ]}
        />
        <Form action={listPath(c)} submit={input.at ? W.push.schedule : W.sites.send}>
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

async function one(c: Console, state?: FormState) {
  const id = rowId(c.req.param("id") ?? "")
  const { notification: row, failures } = await showNotification(await siteOf(c), id)
  const settled = row.sentCount + row.failedCount
  const why = stopSentence(row.stop) ?? noteSentence(row.pushNote)
  return sitePage(c, {
    title: row.title,
    crumbs: [[W.sites.notifications, listPath(c)]],
    state,
    acts: row.status === "scheduled" && <Button action={`${listPath(c)}/${id}/cancel`} label={W.push.cancel} danger />,
    children: (
      <div id="notification" data-refresh={row.status === "sending" ? "2" : undefined}>
        {why && (
          <Note tone={row.status === "failed" ? "bad" : "warn"}>
            <p>{why}</p>
          </Note>
        )}
        <Card>
          <p>{row.message}</p>
          <Facts
            of={[
              [W.stores.status, <Badge of={row.status} />],
              [W.sites.target, row.target],
              [W.sites.type, row.type],
              [W.audit.who, row.createdByName],
              [W.sites.at, <Time at={row.sentAt ?? row.scheduledAt ?? row.createdAt} />],
              [W.sites.recipients, number(row.recipients)],
              [
                W.push.devices,
                row.devices > 0 && (
                  <>
                    <progress value={settled} max={row.devices} aria-label={W.push.progress} />{" "}
                    {W.push.of(settled, row.devices)}
                  </>
                ),
              ],
              [W.push.sent, number(row.sentCount)],
              [W.push.failed, number(row.failedCount)],
              [W.push.delivered, number(row.deliveredCount)],
              [W.sites.read, number(row.readCount)],
              [W.sites.clicked, number(row.clickedCount)],
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
                { head: W.push.meaning, long: true, cell: ({ meaning }) => meaning },
                { head: W.push.devices, num: true, cell: ({ devices }) => number(devices) },
              ]}
            />
          </Card>
        )}
      </div>
    ),
  })
}
