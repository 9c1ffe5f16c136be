// The users of a site: list, user, disabling, erasing, and an export of everything about one.
import { eraseCustomer, exportCustomer, setCustomerDisabled } from "../../../content/accounts/customers"
import { listUsers, readUser, SearchUsers, USERS_PAGE_SIZE } from "../../../content/accounts/operator-list"
import { staffRole } from "../../../content/staff/rules"
import { createOperatorCtx } from "../../../content/user"
import { Refusal } from "../../../core/http/refusal"
import { fullName } from "../../../lib/full-name"
import { SelectFilter, TextFilter } from "../../../page-kit/filters"
import { ActionButton } from "../../../page-kit/form"
import type { FormState } from "../../../page-kit/form-state"
import { Badge, Card, DescriptionList, EmptyState, labelOf, Pager, Time } from "../../../page-kit/parts"
import { Table } from "../../../page-kit/table"
import { harmless } from "../../form-access"
import { pathParam } from "../../form-handler"
import { handleForm, NoFields } from "../../forms"
import { Filters } from "../../kit/filters"
import { withNotice } from "../../notices"
import { parseQuery } from "../../query-params"
import { createPages } from "../../router"
import { W } from "../../strings"
import { getSite, getSitePath, sitePage, withSiteCrumbs } from "../site-page"
import { type C, SITE } from "./shared"

const PATH = `${SITE}/users`

const { users: T } = W.shop

const listPath = (c: C) => `${getSitePath(c)}/users`

const pathOf = (c: C) => `${listPath(c)}/${pathParam(c, "id")}`

type User = Awaited<ReturnType<typeof readUser>>

const nameOf = (user: User): string => fullName(user) || user.email

const getCtx = (c: C, role: "viewer" | "admin") => createOperatorCtx(c.var.ctx, pathParam(c, "site"), role)

export const siteUsers = createPages()
  .get(PATH, async (c) => {
    const site = await getSite(c)
    const { input } = parseQuery(c, SearchUsers)
    const { rows, hasMore } = await listUsers(site, input)
    return sitePage(c, {
      title: W.sites.users,
      children: (
        <>
          <Filters live="users">
            <TextFilter name="email" />
            <SelectFilter
              name="kind"
              label={W.sites.kind}
              choices={Object.entries(W.sites.kinds).map(([value, label]) => ({ value, label }))}
            />
          </Filters>
          <div id="users">
            {rows.length === 0 ? (
              <EmptyState text={W.sites.no_users} />
            ) : (
              <Table
                label={W.sites.users}
                rows={rows}
                columns={[
                  { head: W.fields.email ?? "", cell: (row) => <a href={`${listPath(c)}/${row.id}`}>{row.email}</a> },
                  { head: W.keys.name, cell: (row) => fullName(row) },
                  { head: W.sites.kind, cell: (row) => <Kind user={row} /> },
                  { head: W.sites.verified, cell: (row) => <Time at={row.emailVerifiedAt} none={W.store.not_yet} /> },
                  { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
                ]}
              />
            )}
            <Pager page={input.page} pageSize={USERS_PAGE_SIZE} hasMore={hasMore} />
          </div>
        </>
      ),
    })
  })
  .get(`${PATH}/:id`, (c) => renderUser(c))
  .get(`${PATH}/:id/export`, async (c) =>
    c.json(await exportCustomer(await getCtx(c, "viewer"), pathParam(c, "id")), 200, {
      "Content-Disposition": 'attachment; filename="user.json"',
    }),
  )
  .post(`${PATH}/:id/enable`, harmless("support"), (c) =>
    handleForm(
      c,
      NoFields,
      async () => {
        await setCustomerDisabled(await getCtx(c, "admin"), pathParam(c, "id"), false)
        return withNotice(pathOf(c), "user_enabled")
      },
      (state) => renderUser(c, state),
    ),
  )
  .confirmed(`${PATH}/:id/disable`, {
    roles: ["support"],
    schema: NoFields,
    async preview(c) {
      const user = await loadCustomer(c)
      return {
        ...getPreview(c, user),
        title: T.disable_title(nameOf(user)),
        effects: T.disable_effects,
        submitLabel: T.disable,
      }
    },
    async run(c) {
      await setCustomerDisabled(await getCtx(c, "admin"), pathParam(c, "id"), true)
      return withNotice(pathOf(c), "user_disabled")
    },
    renderForm: renderUser,
  })
  .confirmed(`${PATH}/:id/delete`, {
    roles: ["support"],
    password: "erase a user",
    schema: NoFields,
    async preview(c) {
      const user = await loadCustomer(c)
      return {
        ...getPreview(c, user),
        title: T.erase_title(nameOf(user)),
        effects: T.erase_effects,
        typed: { label: T.type_email, accepts: [user.email] },
        submitLabel: T.erase,
      }
    },
    async run(c) {
      await eraseCustomer(await getCtx(c, "admin"), pathParam(c, "id"))
      return withNotice(listPath(c), "user_erased")
    },
    renderForm: renderUser,
  })

/** Reads a user who does not belong to the staff, whom only owners manage. */
async function loadCustomer(c: C): Promise<User> {
  const user = await readUser(await getSite(c), pathParam(c, "id"))
  if (user.isStaff) throw new Refusal("not_found")
  return user
}

const getPreview = (c: C, user: User) => ({
  crumbs: withSiteCrumbs(c, [
    [W.sites.users, listPath(c)],
    [nameOf(user), pathOf(c)],
  ]),
  back: pathOf(c),
  state: [c.req.param("site"), user.id, user.email, user.disabledAt],
})

const Kind = ({ user }: { user: User }) => (
  <>
    {user.isStaff ? T.staff : T.customer} {user.disabledAt !== null && <Badge status="disabled" text={T.disabled} />}
  </>
)

async function renderUser(c: C, state?: FormState) {
  const site = await getSite(c)
  const user = await readUser(site, pathParam(c, "id"))
  const role = staffRole(user)
  return sitePage(c, {
    title: nameOf(user),
    crumbs: [[W.sites.users, listPath(c)]],
    state,
    actions: role === null && <UserActions user={user} path={pathOf(c)} />,
    children: (
      <Card>
        <DescriptionList
          items={[
            [W.fields.email ?? "", user.email],
            [T.name, fullName(user)],
            [T.phone, user.phone],
            [W.sites.kind, <Kind user={user} />],
            role && [T.role, labelOf(role)],
            [T.verified, <Time at={user.emailVerifiedAt} none={W.store.not_yet} />],
            user.disabledAt && [T.disabled, <Time at={user.disabledAt} isExact />],
            [W.common.created, <Time at={user.createdAt} />],
          ]}
        />
        {role === null ? (
          site.store && (
            <p>
              <a href={`${getSitePath(c)}/orders?search=${encodeURIComponent(user.email)}`}>{T.orders}</a>
            </p>
          )
        ) : (
          <p class="sub">{T.staff_hint}</p>
        )}
      </Card>
    ),
  })
}

const UserActions = ({ user, path }: { user: User; path: string }) => (
  <>
    <a class="button" data-quiet href={`${path}/export`}>
      {T.export}
    </a>
    {user.disabledAt === null ? (
      <ActionButton action={`${path}/disable`} label={T.disable} />
    ) : (
      <ActionButton action={`${path}/enable`} label={T.enable} />
    )}
    <ActionButton action={`${path}/delete`} label={T.erase} danger />
  </>
)
