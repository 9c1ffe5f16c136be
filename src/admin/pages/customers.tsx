// A shop's customers: the list, each one's orders and what they have paid, disabling, erasing, and an export of everything
// about one.
import { type CustomerWithOrders, ListCustomers } from "../../apps/ecommerce/customers/schemas"
// lint: every shop has customers; without the app, their pages show no orders
import { type CustomerWithTotals, listCustomersWithTotals, readCustomer } from "../../apps/ecommerce/customers/service"
import { eraseCustomer, exportCustomer, setCustomerDisabled } from "../../content/accounts/customers"
import { fullName } from "../../lib/full-name"
import { money } from "../../lib/intl"
import { FilterForm, TextFilter } from "../../page-kit/filters"
import { ActionButton } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, DescriptionList, Pager, Time } from "../../page-kit/parts"
import { pickQuery } from "../../page-kit/query"
import { type Column, Table } from "../../page-kit/table"
import { type AdminContext, createAdminPages, requireRole } from "../access"
import { sellsProducts } from "../apps"
import { EmptyList } from "../empty-list"
import { handleForm, NoFields, withNotice } from "../forms"
import { page } from "../page"
import { CUSTOMERS } from "../paths"
import { getCtx } from "../session"
import { useAdminView } from "../view"
import { OrderTable } from "./orders"

const PER_PAGE = 50

export const customers = createAdminPages()
  .get(CUSTOMERS, async (c) => {
    const { customers: t, nav, kit } = c.var.strings
    const { input } = pickQuery(ListCustomers.omit({ per_page: true }), c.req.query())
    const hasOrders = isSelling(c)
    const { rows, total } = await listCustomersWithTotals(getCtx(c), { ...input, per_page: PER_PAGE })
    return page(c, {
      title: nav.customers,
      children: (
        <>
          <FilterForm live="customers">
            <TextFilter name="search" type="search" />
          </FilterForm>
          <div id="customers">
            {rows.length === 0 ? (
              <EmptyList texts={t} />
            ) : (
              <Table
                label={nav.customers}
                rows={rows}
                columns={[
                  {
                    head: kit.fields.name ?? "",
                    cell: (row) => (
                      <>
                        <a href={pathOf(row.id)}>{nameOf(row)}</a>{" "}
                        {row.disabledAt && <Badge status="disabled" text={t.disabled} />}
                      </>
                    ),
                  },
                  { head: kit.fields.email ?? "", isLong: true, cell: (row) => row.email },
                  ...(hasOrders ? listOrderColumns(c) : []),
                  { head: t.since, cell: (row) => <Time at={row.createdAt} /> },
                ]}
              />
            )}
            {hasOrders && <p class="sub">{t.guests}</p>}
            <Pager page={input.page} pageSize={PER_PAGE} total={total} />
          </div>
        </>
      ),
    })
  })
  .get(`${CUSTOMERS}/:id{[0-9]+}`, (c) => renderCustomer(c))
  .get(`${CUSTOMERS}/:id{[0-9]+}/export`, async (c) =>
    c.json(await exportCustomer(getCtx(c), c.req.param("id")), 200, {
      "Content-Disposition": `attachment; filename="customer-${c.req.param("id")}.json"`,
    }),
  )
  .get(`${CUSTOMERS}/:id{[0-9]+}/:action{disable|enable}`, (c) => c.redirect(pathOf(c.req.param("id")), 303))
  .get(`${CUSTOMERS}/:id{[0-9]+}/erase`, requireRole("admin"), (c) => renderErasure(c))
  .post(`${CUSTOMERS}/:id{[0-9]+}/disable`, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await setCustomerDisabled(getCtx(c), c.req.param("id"), true)
        return withNotice(pathOf(c.req.param("id")), "customer_disabled")
      },
      render: (state) => renderCustomer(c, state),
    }),
  )
  .post(`${CUSTOMERS}/:id{[0-9]+}/enable`, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await setCustomerDisabled(getCtx(c), c.req.param("id"), false)
        return withNotice(pathOf(c.req.param("id")), "customer_enabled")
      },
      render: (state) => renderCustomer(c, state),
    }),
  )
  .post(`${CUSTOMERS}/:id{[0-9]+}/erase`, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await eraseCustomer(getCtx(c), c.req.param("id"))
        return withNotice(CUSTOMERS, "customer_erased")
      },
      render: (state) => renderErasure(c, state),
    }),
  )

/** Whether the shop has orders. It also has customers without the e-commerce app: visitors create accounts in every shop. */
const isSelling = (c: AdminContext): boolean => sellsProducts(c.var.ctx.site.store?.apps ?? [])

/** The number and the total of customers' orders. */
const listOrderColumns = (c: AdminContext): Column<CustomerWithTotals>[] => [
  { head: c.var.strings.nav.orders, isNumeric: true, cell: (row) => row.ordersCount },
  { head: c.var.strings.customers.spent, isNumeric: true, cell: (row) => formatSpent(c, row) },
]

const pathOf = (id: number | string, action = "") => `${CUSTOMERS}/${id}${action}`

const nameOf = (row: Pick<CustomerWithOrders["customer"], "firstName" | "lastName" | "email">): string =>
  fullName(row) || row.email

const formatSpent = (c: AdminContext, { spent }: Pick<CustomerWithOrders, "spent">): string =>
  spent.map(({ currency, totalCents }) => money(totalCents, currency, c.var.ctx.locale)).join(", ")

async function renderCustomer(c: AdminContext, state?: FormState) {
  const { customers: t, nav, kit, orders } = c.var.strings
  const found = await readCustomer(getCtx(c), c.req.param("id") ?? "")
  const { customer } = found
  const hasOrders = isSelling(c)
  const isDisabled = customer.disabledAt !== null
  return page(c, {
    title: nameOf(customer),
    crumbs: [[nav.customers, CUSTOMERS]],
    state,
    actions: (
      <a class="button" data-quiet href={pathOf(customer.id, "/export")}>
        {t.export}
      </a>
    ),
    children: (
      <>
        <Card>
          <DescriptionList
            items={[
              [kit.fields.email ?? "", customer.email],
              [orders.phone, customer.phone],
              [t.since, <Time at={customer.createdAt} />],
              isDisabled ? [t.disabled, <Time at={customer.disabledAt} isExact />] : null,
              hasOrders ? [nav.orders, customer.ordersCount] : null,
              hasOrders ? [t.spent, formatSpent(c, found)] : null,
            ]}
          />
        </Card>
        {hasOrders && found.orders.length > 0 && <OrderTable rows={found.orders} />}
        <Card isForm>
          <p class="sub">{t.disable_hint}</p>
          <div class="acts">
            <ActionButton
              action={pathOf(customer.id, isDisabled ? "/enable" : "/disable")}
              label={isDisabled ? t.enable : t.disable}
            />
            <EraseLink id={customer.id} />
          </div>
        </Card>
      </>
    ),
  })
}

function EraseLink({ id }: { id: number }) {
  const { canPost, t } = useAdminView()
  if (!canPost(pathOf(id, "/erase"))) return null
  return (
    <a class="button" data-danger href={pathOf(id, "/erase")}>
      {t.customers.erase}
    </a>
  )
}

async function renderErasure(c: AdminContext, state?: FormState) {
  const { customers: t, nav, common } = c.var.strings
  const { customer } = await readCustomer(getCtx(c), c.req.param("id") ?? "")
  const path = pathOf(customer.id)
  return page(c, {
    title: t.erase_title(nameOf(customer)),
    crumbs: [
      [nav.customers, CUSTOMERS],
      [nameOf(customer), path],
    ],
    state,
    children: (
      <>
        <p>{t.erase_body}</p>
        <ActionButton action={`${path}/erase`} label={t.erase} danger />
        <p>
          <a href={path}>{common.back}</a>
        </p>
      </>
    ),
  })
}
