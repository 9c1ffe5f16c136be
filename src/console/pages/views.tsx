// The operator's saved views of lists. Viewers have them too, so the paths are those of the account.
import type { Context } from "hono"
import * as z from "zod"
import { rowId } from "../../core/http/row-id"
import { ActionButton, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card, EmptyState } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { deleteView, listOwnViews, SaveView, saveView } from "../../platform/operators/views"
import { harmless } from "../form-access"
import { handleForm } from "../forms"
import { page } from "../kit/page"
import { ViewFields } from "../kit/saved-views"
import { NAVIGATION } from "../navigation"
import { withNotice } from "../notices"
import { ACCOUNT_VIEWS } from "../paths"
import { createPages } from "../router"
import { getSession } from "../session"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

/** The page that a view is deleted on, if it is not the view's list. */
const DeleteView = z.object({ from: z.literal("account").optional() })

const LIST_TITLES = new Map(NAVIGATION.flatMap(({ links }) => links.map(([label, href]) => [href, label])))

export const views = createPages()
  .get(ACCOUNT_VIEWS, (c) => renderViews(c))
  .post(ACCOUNT_VIEWS, harmless("any"), (c) =>
    handleForm(
      c,
      SaveView,
      async (input) => {
        await saveView(c.var.ctx, getSession(c), input)
        return withNotice(`${input.list}${input.query && `?${input.query}`}`, "view_saved")
      },
      (state) => renderViews(c, state),
    ),
  )
  .post(`${ACCOUNT_VIEWS}/:id/delete`, harmless("any"), (c) =>
    handleForm(
      c,
      DeleteView,
      async ({ from }) => {
        const { list } = await deleteView(c.var.ctx, getSession(c), rowId(c.req.param("id")))
        return withNotice(from ? ACCOUNT_VIEWS : list, "view_deleted")
      },
      (state) => renderViews(c, state),
    ),
  )

async function renderViews(c: Context<ConsoleEnv>, state?: FormState) {
  const rows = await listOwnViews(c.var.ctx, getSession(c))
  const list = state?.values.get("list")?.at(-1)
  return page(c, {
    title: W.views.title,
    crumbs: [[W.account.title, "/console/account"]],
    state,
    children: (
      <>
        {state && list !== undefined && (
          <Card title={W.views.save} id="save">
            <Form action={ACCOUNT_VIEWS} submitLabel={W.views.save}>
              <ViewFields list={list} query={state.values.get("query")?.at(-1) ?? ""} />
            </Form>
          </Card>
        )}
        {rows.length === 0 ? (
          <EmptyState text={W.views.empty} />
        ) : (
          <Table
            label={W.views.title}
            rows={rows}
            columns={[
              { head: W.keys.name, cell: (view) => <a href={`${view.list}?${view.query}`}>{view.name}</a> },
              { head: W.views.list, cell: (view) => LIST_TITLES.get(view.list) ?? view.list },
              { head: W.views.visible_to, cell: (view) => (view.isShared ? W.views.everyone : W.views.only_me) },
              {
                head: W.common.actions,
                hasActions: true,
                cell: (view) => (
                  <ActionButton
                    action={`${ACCOUNT_VIEWS}/${view.id}/delete`}
                    label={W.common.delete}
                    about={view.name}
                    hidden={{ from: "account" }}
                    danger
                  />
                ),
              },
            ]}
          />
        )}
      </>
    ),
  })
}
