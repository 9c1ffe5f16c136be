// What a store's apps hold, as its staff see it: products with their reviews, orders, galleries and messages. Operators
// only read; support access is for changes.
import type { Context } from "hono"
import { ListMessages } from "../../apps/contact/schemas"
import { listMessages } from "../../apps/contact/service"
import { ListOrders } from "../../apps/ecommerce/orders/schemas"
import { listOrders, readOrder } from "../../apps/ecommerce/orders/service"
import { ListProducts } from "../../apps/ecommerce/products/schemas"
import { listProducts, readProduct } from "../../apps/ecommerce/products/service"
import { ListGalleries } from "../../apps/galleries/schemas"
import { listGalleries } from "../../apps/galleries/service"
import { listReviews } from "../../apps/reviews/service"
import { STATUSES } from "../../content/blog/fields"
import { createOperatorCtx } from "../../content/user"
import { Refusal } from "../../core/http/refusal"
import { queryText } from "../../core/http/validation"
import { SelectFilter, TextFilter } from "../../page-kit/filters"
import { Badge, Card, DescriptionList, EmptyState, formatMoney, labelOf, Pager, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { Filters } from "../kit/filters"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { getSitePath, sitePage } from "./site-page"

const PATH = "/console/sites/:site"

type Console = Context<ConsoleEnv>

const getCtx = (c: Console) => createOperatorCtx(c.var.ctx, c.req.param("site") ?? "")

const OrderQuery = ListOrders.extend({ order: queryText })

export const shop = createPages()
  .get(`${PATH}/products`, async (c) => {
    const { input } = parseQuery(c, ListProducts)
    const { rows, total } = await listProducts(await getCtx(c), input)
    return sitePage(c, {
      title: W.sites.products,
      children: (
        <>
          <Filters live="products">
            <TextFilter name="search" type="search" label={W.fields.q} />
            <SelectFilter name="status" anyLabel={W.sites.published} choices={STATUSES.filter(isUnpublished)} />
          </Filters>
          <div id="products">
            {rows.length === 0 ? (
              <EmptyState text={W.shop.empty.products} />
            ) : (
              <Table
                label={W.sites.products}
                rows={rows}
                columns={[
                  { head: W.keys.name, cell: (row) => <a href={`${getSitePath(c)}/products/${row.id}`}>{row.name}</a> },
                  { head: W.stores.status, cell: (row) => <Badge status={row.status} /> },
                  { head: W.plans.price, isNumeric: true, cell: (row) => formatMoney(row.priceCents, row.currency) },
                  { head: W.shop.stock, isNumeric: true, cell: (row) => row.stock ?? W.store.unlimited },
                  { head: W.sites.updated, cell: (row) => <Time at={row.updatedAt} /> },
                ]}
              />
            )}
            <Pager page={input.page} pageSize={input.per_page} total={total} />
          </div>
        </>
      ),
    })
  })
  .get(`${PATH}/products/:id`, async (c) => {
    const ctx = await getCtx(c)
    const id = c.req.param("id")
    const [product, reviews] = await Promise.all([readProduct(ctx, id), findReviews(ctx, Number(id))])
    return sitePage(c, {
      title: product.name,
      crumbs: [[W.sites.products, `${getSitePath(c)}/products`]],
      children: (
        <>
          <Card>
            <DescriptionList
              items={[
                [W.stores.status, <Badge status={product.status} />],
                [W.sites.slug, product.slug],
                [W.plans.price, formatMoney(product.priceCents, product.currency)],
                [W.shop.stock, product.stock ?? W.store.unlimited],
                [W.webhooks.description, product.description],
                [W.common.created, <Time at={product.createdAt} />],
                [W.sites.updated, <Time at={product.updatedAt} />],
              ]}
            />
          </Card>
          <Card title={W.shop.reviews} id="reviews">
            {reviews.length === 0 ? (
              <p>{W.shop.empty.reviews}</p>
            ) : (
              <Table
                label={W.shop.reviews}
                rows={reviews}
                columns={[
                  { head: W.shop.author, cell: ({ author }) => `${author.firstName} ${author.lastName}`.trim() },
                  { head: W.shop.rating, isNumeric: true, cell: ({ review }) => review.rating },
                  { head: W.shop.comment, isLong: true, cell: ({ review }) => review.comment },
                  { head: W.common.created, cell: ({ review }) => <Time at={review.createdAt} /> },
                ]}
              />
            )}
          </Card>
        </>
      ),
    })
  })
  .get(`${PATH}/orders`, async (c) => {
    const { input } = parseQuery(c, OrderQuery)
    const ctx = await getCtx(c)
    const [{ rows, total }, shown] = await Promise.all([
      listOrders(ctx, { ...input, scope: "all" }),
      input.order ? readOrder(ctx, input.order) : null,
    ])
    return sitePage(c, {
      title: W.sites.orders,
      children: (
        <>
          {shown && <OrderCard {...shown} />}
          {rows.length === 0 ? (
            <EmptyState text={W.shop.empty.orders} />
          ) : (
            <Table
              label={W.sites.orders}
              rows={rows}
              columns={[
                { head: W.orders.order, cell: (row) => <a href={`?order=${row.id}`}>{`#${row.number ?? row.id}`}</a> },
                { head: W.stores.status, cell: (row) => labelOf(row.status) },
                { head: W.orders.amount, isNumeric: true, cell: (row) => formatMoney(row.totalCents, row.currency) },
                { head: W.shop.customer, cell: (row) => row.customerName ?? `#${row.userId}` },
                { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
              ]}
            />
          )}
          <Pager page={input.page} pageSize={input.per_page} total={total} />
        </>
      ),
    })
  })
  .get(`${PATH}/galleries`, async (c) => {
    const { input } = parseQuery(c, ListGalleries)
    const { rows, total } = await listGalleries(await getCtx(c), input)
    return sitePage(c, {
      title: W.sites.galleries,
      children: (
        <>
          <Filters>
            <SelectFilter name="status" anyLabel={W.sites.published} choices={STATUSES.filter(isUnpublished)} />
          </Filters>
          {rows.length === 0 ? (
            <EmptyState text={W.shop.empty.galleries} />
          ) : (
            <Table
              label={W.sites.galleries}
              rows={rows}
              columns={[
                { head: W.keys.name, cell: (row) => row.name },
                { head: W.sites.slug, cell: (row) => row.slug },
                { head: W.stores.status, cell: (row) => <Badge status={row.status} /> },
                { head: W.webhooks.description, isLong: true, cell: (row) => row.description },
                { head: W.sites.updated, cell: (row) => <Time at={row.updatedAt} /> },
              ]}
            />
          )}
          <Pager page={input.page} pageSize={input.per_page} total={total} />
        </>
      ),
    })
  })
  .get(`${PATH}/messages`, async (c) => {
    const { input } = parseQuery(c, ListMessages)
    const { rows, total } = await listMessages(await getCtx(c), input)
    return sitePage(c, {
      title: W.sites.messages,
      children: (
        <>
          {rows.length === 0 ? (
            <EmptyState text={W.shop.empty.messages} />
          ) : (
            <Table
              label={W.sites.messages}
              rows={rows}
              columns={[
                { head: W.shop.author, cell: (row) => `${row.name}, ${row.email}` },
                { head: W.stores.status, cell: (row) => labelOf(row.status) },
                {
                  head: W.shop.message,
                  isLong: true,
                  cell: (row) => (
                    <details>
                      <summary>{row.subject ?? W.common.none}</summary>
                      {row.message}
                    </details>
                  ),
                },
                { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
              ]}
            />
          )}
          <Pager page={input.page} pageSize={input.per_page} total={total} />
        </>
      ),
    })
  })

const isUnpublished = (status: string): boolean => status !== "published"

const MAX_REVIEWS = 50

/** The newest reviews of a product; none of a draft, which nobody can review. */
const findReviews = async (ctx: Awaited<ReturnType<typeof getCtx>>, product: number) => {
  try {
    return (await listReviews(ctx, { page: 1, per_page: MAX_REVIEWS, product_id: product, status: "published" })).rows
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.code === "not_found") return []
    throw thrown
  }
}

const OrderCard = ({ order, items }: Awaited<ReturnType<typeof readOrder>>) => (
  <Card title={`${W.orders.order} #${order.number ?? order.id}`} id="order">
    <DescriptionList
      items={[
        [W.stores.status, labelOf(order.status)],
        [W.orders.note, order.note],
        [W.common.created, <Time at={order.createdAt} />],
      ]}
    />
    <Table
      label={W.shop.items}
      rows={items}
      columns={[
        { head: W.shop.item, cell: (item) => item.name },
        { head: W.shop.quantity, isNumeric: true, cell: (item) => item.quantity },
        { head: W.plans.price, isNumeric: true, cell: (item) => formatMoney(item.priceCents, order.currency) },
        {
          head: W.orders.amount,
          isNumeric: true,
          cell: (item) => formatMoney(item.priceCents * item.quantity, order.currency),
        },
      ]}
    />
  </Card>
)
