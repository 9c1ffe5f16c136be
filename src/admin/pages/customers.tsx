// A shop's customers: the list, each one's orders and what they have paid, and an export of everything about one.
import { customerResource, ListCustomers } from "../../apps/ecommerce/customers/schemas"
import { listCustomers, readCustomer } from "../../apps/ecommerce/customers/service"
import { money } from "../../lib/intl"
import { FilterForm, TextFilter } from "../../page-kit/filters"
import { Card, DescriptionList, EmptyState, Pager, Time } from "../../page-kit/parts"
import { pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { createAdminPages } from "../access"
import { requireShop } from "../apps"
import { page } from "../page"
import { CUSTOMERS } from "../paths"
import { getCtx } from "../session"
import { OrderTable } from "./orders"

const PER_PAGE = 50

export const customers = createAdminPages()
  .get(CUSTOMERS, requireShop, async (c) => {
    const { customers: t, nav, kit, orders } = c.var.strings
    const { input } = pickQuery(ListCustomers.omit({ per_page: true }), c.req.query())
    const { rows, total } = await listCustomers(getCtx(c), { ...input, per_page: PER_PAGE })
    return page(c, {
      title: nav.customers,
      children: (
        <>
          <FilterForm live="customers">
            <TextFilter name="search" type="search" />
          </FilterForm>
          <div id="customers">
            {rows.length === 0 ? (
              <EmptyState text={t.empty} />
            ) : (
              <Table
                label={nav.customers}
                rows={rows}
                columns={[
                  {
                    head: kit.fields.name ?? "",
                    cell: (row) => (
                      <a href={`${CUSTOMERS}/${row.id}`}>{`${row.firstName} ${row.lastName}`.trim() || row.email}</a>
                    ),
                  },
                  { head: kit.fields.email ?? "", isLong: true, cell: (row) => row.email },
                  { head: nav.orders, isNumeric: true, cell: (row) => row.ordersCount },
                  { head: t.since, cell: (row) => <Time at={row.createdAt} /> },
                ]}
              />
            )}
            <p class="sub">{t.guests(orders.guest)}</p>
            <Pager page={input.page} pageSize={PER_PAGE} total={total} />
          </div>
        </>
      ),
    })
  })
  .get(`${CUSTOMERS}/:id{[0-9]+}`, requireShop, async (c) => {
    const { customers: t, nav, kit, orders } = c.var.strings
    const found = await readCustomer(getCtx(c), c.req.param("id"))
    const { customer, spent } = found
    const name = `${customer.firstName} ${customer.lastName}`.trim() || customer.email
    return page(c, {
      title: name,
      crumbs: [[nav.customers, CUSTOMERS]],
      actions: (
        <a class="button" data-quiet href={`${CUSTOMERS}/${customer.id}/export`}>
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
                [nav.orders, customer.ordersCount],
                [
                  t.spent,
                  spent.map(({ currency, totalCents }) => money(totalCents, currency, c.var.ctx.locale)).join(", "),
                ],
              ]}
            />
          </Card>
          {found.orders.length > 0 && <OrderTable rows={found.orders} />}
        </>
      ),
    })
  })
  .get(`${CUSTOMERS}/:id{[0-9]+}/export`, requireShop, async (c) => {
    const found = await readCustomer(getCtx(c), c.req.param("id"))
    return c.json(customerResource(found), 200, {
      "Content-Disposition": `attachment; filename="customer-${found.customer.id}.json"`,
    })
  })
