// The messages of a store's visitors: list, message, reply, and delete.
import { contact } from "../../../apps/contact/manifest"
import { replyToMessage } from "../../../apps/contact/reply"
import { ListMessages, ReplyToMessage, UpdateContactMessage } from "../../../apps/contact/schemas"
import { listMessages, type Message, markMessage, readMessage, removeMessage } from "../../../apps/contact/service"
import { CONTACT_STATUSES } from "../../../apps/contact/tables"
import { SelectFilter } from "../../../page-kit/filters"
import { ActionButton, Form, TextArea } from "../../../page-kit/form"
import type { FormState } from "../../../page-kit/form-state"
import { Card, EmptyState, Pager, Time } from "../../../page-kit/parts"
import { Table } from "../../../page-kit/table"
import { MessageCard, MessageStatus } from "../../../shop-kit/messages"
import { harmless } from "../../form-access"
import { pathParam } from "../../form-handler"
import { handleEditForm, NoFields } from "../../forms"
import { Filters } from "../../kit/filters"
import { withNotice } from "../../notices"
import { parseQuery } from "../../query-params"
import { createPages } from "../../router"
import { W } from "../../strings"
import { getSitePath, sitePage, withSiteCrumbs } from "../site-page"
import { AppState, type C, getReaderCtx, getStaffCtx, PER_PAGE, SITE } from "./shared"

const PATH = `${SITE}/messages`

const { messages: T } = W.shop

const listPath = (c: C) => `${getSitePath(c)}/messages`

const pathOf = (c: C) => `${listPath(c)}/${pathParam(c, "id")}`

export const shopMessages = createPages()
  .get(PATH, async (c) => {
    const { input } = parseQuery(c, ListMessages.omit({ per_page: true }))
    const ctx = await getReaderCtx(c)
    const { rows, total } = await listMessages(ctx, { ...input, per_page: PER_PAGE })
    return sitePage(c, {
      title: W.sites.messages,
      children: (
        <>
          <AppState site={ctx.site} app={contact} />
          <Filters>
            <SelectFilter
              name="status"
              choices={CONTACT_STATUSES.map((value) => ({ value, label: T.statuses[value] }))}
            />
          </Filters>
          {rows.length === 0 ? (
            <EmptyState text={T.empty} />
          ) : (
            <Table
              label={W.sites.messages}
              rows={rows}
              columns={[
                {
                  head: T.from,
                  isLong: true,
                  cell: (row) => <a href={`${listPath(c)}/${row.id}`}>{row.name || row.email}</a>,
                },
                { head: T.subject, isLong: true, cell: (row) => row.subject ?? T.no_subject },
                { head: W.stores.status, cell: (row) => <MessageStatus message={row} texts={T} /> },
                { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
              ]}
            />
          )}
          <Pager page={input.page} pageSize={PER_PAGE} total={total} />
        </>
      ),
    })
  })
  .get(`${PATH}/:id`, (c) => renderMessage(c))
  .post(`${PATH}/:id/edit`, harmless("support"), (c) =>
    handleEditForm(
      c,
      UpdateContactMessage,
      async (input) => {
        await markMessage(await getStaffCtx(c), pathParam(c, "id"), input)
        return withNotice(pathOf(c), "saved")
      },
      (state) => renderMessage(c, state),
    ),
  )
  .post(`${PATH}/:id/reply`, harmless("support"), (c) =>
    handleEditForm(
      c,
      ReplyToMessage,
      async (input) => {
        await replyToMessage(await getStaffCtx(c), pathParam(c, "id"), input)
        return withNotice(pathOf(c), "reply_sent")
      },
      (state) => renderMessage(c, state),
    ),
  )
  .confirmed(`${PATH}/:id/delete`, {
    roles: ["support"],
    schema: NoFields,
    async preview(c) {
      const message = await readMessage(await getReaderCtx(c), pathParam(c, "id"))
      return {
        title: T.delete_title,
        crumbs: withSiteCrumbs(c, [
          [W.sites.messages, listPath(c)],
          [titleOf(message), pathOf(c)],
        ]),
        back: pathOf(c),
        state: [message.siteId, message.id, message.updatedAt],
        effects: T.delete_effects,
        submitLabel: T.delete,
      }
    },
    async run(c) {
      await removeMessage(await getStaffCtx(c), pathParam(c, "id"))
      return withNotice(listPath(c), "deleted")
    },
    renderForm: renderMessage,
  })

const titleOf = ({ subject }: Message): string => subject ?? T.no_subject

async function renderMessage(c: C, state?: FormState) {
  const ctx = await getReaderCtx(c)
  const message = await readMessage(ctx, pathParam(c, "id"))
  const isNew = message.status === "new"
  return sitePage(c, {
    title: titleOf(message),
    crumbs: [[W.sites.messages, listPath(c)]],
    state,
    actions: (
      <>
        <ActionButton
          action={`${pathOf(c)}/edit`}
          label={isNew ? T.mark_read : T.mark_new}
          hidden={{ status: isNew ? "read" : "new" }}
        />
        <ActionButton action={`${pathOf(c)}/delete`} label={T.delete} danger />
      </>
    ),
    children: (
      <>
        <AppState site={ctx.site} app={contact} />
        <MessageCard message={message} texts={T} />
        <Card title={T.reply} isForm>
          <Form action={`${pathOf(c)}/reply`} submitLabel={T.send_reply}>
            <TextArea name="reply" label={T.reply_text} required rows={7} maxlength={5000} hint={T.reply_hint} />
          </Form>
        </Card>
      </>
    ),
  })
}
