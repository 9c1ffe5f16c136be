// Messages of visitors: the list, one message, and replies by mail.
import type { Context } from "hono"
import { replyToMessage } from "../../apps/contact/reply"
import { ListMessages, ReplyToMessage, UpdateContactMessage } from "../../apps/contact/schemas"
import { listMessages, type Message, markMessage, readMessage, removeMessage } from "../../apps/contact/service"
import { CONTACT_STATUSES } from "../../apps/contact/tables"
import { FilterForm, SelectFilter } from "../../page-kit/filters"
import { ActionButton, Form, TextArea } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card, Pager, Time } from "../../page-kit/parts"
import { pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { MessageCard, MessageStatus, type MessageTexts } from "../../shop-kit/messages"
import { createAdminPages, requireRole } from "../access"
import { requireMessages } from "../apps"
import { EmptyList } from "../empty-list"
import { handleForm, NoFields, withNotice } from "../forms"
import { page } from "../page"
import { MESSAGES, SETTINGS } from "../paths"
import { getCtx, getSession } from "../session"
import type { AdminEnv } from "../types"
import { useAdminView, useT } from "../view"

type C = Context<AdminEnv>

const PER_PAGE = 50

const pathOf = (id: number | string, action = "") => `${MESSAGES}/${id}${action}`

export const messages = createAdminPages()
  .get(MESSAGES, requireMessages, async (c) => {
    const { messages: t, common } = c.var.strings
    const { input } = pickQuery(ListMessages.omit({ per_page: true }), c.req.query())
    const { rows, total } = await listMessages(getCtx(c), { ...input, per_page: PER_PAGE })
    return page(c, {
      title: t.title,
      children: (
        <>
          <FilterForm>
            <SelectFilter
              name="status"
              choices={CONTACT_STATUSES.map((value) => ({ value, label: t.statuses[value] }))}
            />
          </FilterForm>
          {rows.length === 0 ? (
            <EmptyList texts={t} />
          ) : (
            <Table
              label={t.title}
              rows={rows}
              columns={[
                { head: t.from, isLong: true, cell: (row) => <a href={pathOf(row.id)}>{row.name || row.email}</a> },
                { head: t.subject, isLong: true, cell: (row) => row.subject ?? t.no_subject },
                { head: c.var.strings.kit.fields.status ?? "", cell: (row) => <Status message={row} /> },
                { head: common.created, cell: (row) => <Time at={row.createdAt} /> },
              ]}
            />
          )}
          <Pager page={input.page} pageSize={PER_PAGE} total={total} />
        </>
      ),
    })
  })
  .get(`${MESSAGES}/:id{[0-9]+}`, requireMessages, (c) => renderMessage(c))
  .get(`${MESSAGES}/:id{[0-9]+}/:action{edit|reply}`, (c) => c.redirect(pathOf(c.req.param("id")), 303))
  .get(`${MESSAGES}/:id{[0-9]+}/delete`, requireRole("editor"), requireMessages, async (c) => {
    const { messages: t, common } = c.var.strings
    const message = await readMessage(getCtx(c), c.req.param("id"))
    return page(c, {
      title: t.delete_title,
      crumbs: [
        [t.title, MESSAGES],
        [titleOf(c, message), pathOf(message.id)],
      ],
      children: (
        <>
          <p>{t.delete_body}</p>
          <ActionButton action={pathOf(message.id, "/delete")} label={common.delete} danger />
          <p>
            <a href={pathOf(message.id)}>{common.back}</a>
          </p>
        </>
      ),
    })
  })
  .post(`${MESSAGES}/:id{[0-9]+}/edit`, requireRole("editor"), requireMessages, (c) =>
    handleForm(c, {
      schema: UpdateContactMessage,
      isEdit: true,
      run: async (input) => {
        await markMessage(getCtx(c), c.req.param("id"), input)
        return withNotice(pathOf(c.req.param("id")), "message_saved")
      },
      render: (state) => renderMessage(c, state),
    }),
  )
  .post(`${MESSAGES}/:id{[0-9]+}/reply`, requireRole("editor"), requireMessages, (c) =>
    handleForm(c, {
      schema: ReplyToMessage,
      isEdit: true,
      run: async (input) => {
        await replyToMessage(getCtx(c), c.req.param("id"), input)
        return withNotice(pathOf(c.req.param("id")), "reply_sent")
      },
      render: (state) => renderMessage(c, state),
    }),
  )
  .post(`${MESSAGES}/:id{[0-9]+}/delete`, requireRole("editor"), requireMessages, (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await removeMessage(getCtx(c), c.req.param("id"))
        return withNotice(MESSAGES, "message_deleted")
      },
      render: (state) => renderMessage(c, state),
    }),
  )

const titleOf = (c: C, { subject }: Message): string => subject ?? c.var.strings.messages.no_subject

/** The texts of the components that staff and operators share. */
function useMessageTexts(): MessageTexts {
  const { messages: t, common, orders } = useT()
  return { ...t, last_reply: t.your_reply, phone: orders.phone, created: common.created }
}

const Status = ({ message }: { message: Message }) => <MessageStatus message={message} texts={useMessageTexts()} />

const Details = ({ message }: { message: Message }) => <MessageCard message={message} texts={useMessageTexts()} />

async function renderMessage(c: C, state?: FormState) {
  const message = await readMessage(getCtx(c), c.req.param("id") ?? "")
  const { shop } = getSession(c)
  return page(c, {
    title: titleOf(c, message),
    crumbs: [[c.var.strings.messages.title, MESSAGES]],
    state,
    actions: <MessageActions message={message} />,
    children: (
      <>
        <Details message={message} />
        <ReplyForm message={message} replyTo={shop.contact_email} />
      </>
    ),
  })
}

function MessageActions({ message: { id, status } }: { message: Message }) {
  const { canPost, t } = useAdminView()
  const isNew = status === "new"
  return (
    <>
      <ActionButton
        action={pathOf(id, "/edit")}
        label={isNew ? t.messages.mark_read : t.messages.mark_new}
        hidden={{ status: isNew ? "read" : "new" }}
      />
      {canPost(pathOf(id, "/delete")) && (
        <a class="button" data-danger href={pathOf(id, "/delete")}>
          {t.common.delete}
        </a>
      )}
    </>
  )
}

function ReplyForm({ message, replyTo }: { message: Message; replyTo: string | null }) {
  const { messages: t } = useT()
  return (
    <Card title={t.reply} isForm>
      <Form action={pathOf(message.id, "/reply")} submitLabel={t.send_reply}>
        <TextArea
          name="reply"
          label={t.reply_text}
          required
          rows={7}
          maxlength={5000}
          hint={replyTo === null ? <a href={SETTINGS}>{t.no_reply_address}</a> : t.reply_hint(replyTo)}
        />
      </Form>
    </Card>
  )
}
