// The products of a store: list, new, edit and delete.
import { ecommerce } from "../../../apps/ecommerce/manifest"
import {
  CreateProduct,
  ListProducts,
  listImages,
  type Product,
  UpdateProduct,
} from "../../../apps/ecommerce/products/schemas"
import {
  createProduct,
  listProducts,
  readProduct,
  removeProduct,
  updateProduct,
} from "../../../apps/ecommerce/products/service"
import { listReviews } from "../../../apps/reviews/service"
import { readShopSettings } from "../../../content/shop/service"
import type { UserCtx } from "../../../content/user"
import { nullIfNotFound, Refusal } from "../../../core/http/refusal"
import { SelectFilter, TextFilter } from "../../../page-kit/filters"
import { ActionButton, Form, TextArea } from "../../../page-kit/form"
import type { FormState } from "../../../page-kit/form-state"
import { Badge, Card, DescriptionList, EmptyState, formatMoney, Pager, Time } from "../../../page-kit/parts"
import { Table } from "../../../page-kit/table"
import { useView } from "../../../page-kit/view"
import { convertProduct, createProductGuard, ProductFields } from "../../../shop-kit/products"
import { harmless } from "../../form-access"
import { pathParam } from "../../form-handler"
import { handleEditForm, handleForm, NoFields } from "../../forms"
import { Filters } from "../../kit/filters"
import { withNotice } from "../../notices"
import { parseQuery } from "../../query-params"
import { createPages } from "../../router"
import { W } from "../../strings"
import { getSitePath, sitePage, withSiteCrumbs } from "../site-page"
import { ReviewTable } from "./reviews"
import { AppState, type C, getReaderCtx, getStaffCtx, PER_PAGE, SITE } from "./shared"

const PATH = `${SITE}/products`

const { products: T } = W.shop

const listPath = (c: C) => `${getSitePath(c)}/products`

/** Sort orders by value of the parameter `sort`. */
const SORTS: Record<string, { sort_by: "name" | "price" | "created_at"; order: "asc" | "desc" }> = {
  name: { sort_by: "name", order: "asc" },
  "-name": { sort_by: "name", order: "desc" },
  price: { sort_by: "price", order: "asc" },
  "-price": { sort_by: "price", order: "desc" },
  created: { sort_by: "created_at", order: "asc" },
}

export const shopProducts = createPages()
  .get(PATH, async (c) => {
    const { input } = parseQuery(c, ListProducts.omit({ per_page: true, sort_by: true, order: true }))
    const order = SORTS[c.req.query("sort") ?? ""] ?? { sort_by: "created_at", order: "desc" }
    const ctx = await getReaderCtx(c)
    const { rows, total } = await listProducts(ctx, { ...input, ...order, per_page: PER_PAGE })
    return sitePage(c, {
      title: W.sites.products,
      actions: <NewLink path={listPath(c)} />,
      children: (
        <>
          <AppState site={ctx.site} app={ecommerce} />
          <Filters live="products">
            <TextFilter name="search" type="search" label={W.fields.q} />
            <SelectFilter
              name="status"
              anyLabel={T.statuses.published}
              choices={[{ value: "draft", label: T.statuses.draft }]}
            />
          </Filters>
          <div id="products">
            {rows.length === 0 ? (
              <EmptyState text={T.empty} />
            ) : (
              <Table
                label={W.sites.products}
                rows={rows}
                columns={[
                  {
                    head: W.keys.name,
                    sort: { ascending: "name", descending: "-name" },
                    cell: (row) => <a href={`${listPath(c)}/${row.id}`}>{row.name}</a>,
                  },
                  { head: W.stores.status, cell: (row) => <Badge status={row.status} text={T.statuses[row.status]} /> },
                  {
                    head: W.plans.price,
                    isNumeric: true,
                    sort: { ascending: "price", descending: "-price" },
                    cell: (row) => formatMoney(row.priceCents, row.currency),
                  },
                  { head: W.shop.stock, isNumeric: true, cell: (row) => row.stock ?? T.untracked },
                  {
                    head: W.common.created,
                    sort: { ascending: "created", descending: "" },
                    cell: (row) => <Time at={row.createdAt} />,
                  },
                ]}
              />
            )}
            <Pager page={input.page} pageSize={PER_PAGE} total={total} />
          </div>
        </>
      ),
    })
  })
  .get(`${PATH}/new`, (c) => renderNew(c))
  .get(`${PATH}/:id`, (c) => renderProduct(c))
  .post(PATH, harmless("support"), async (c) => {
    const ctx = await getStaffCtx(c)
    return handleForm(
      c,
      CreateProduct,
      async (input) => {
        try {
          const { id } = await createProduct(ctx, input)
          return withNotice(`${listPath(c)}/${id}`, "created")
        } catch (thrown) {
          if (!(thrown instanceof Refusal && thrown.code === "limit_reached")) throw thrown
          return renderNew(c, { status: 422, values: c.var.form, errors: {}, message: W.shop.limit_reached })
        }
      },
      (state) => renderNew(c, state),
      (fields) => convertProduct(c.var.form, fields, ""),
    )
  })
  .post(`${PATH}/:id/edit`, harmless("support"), async (c) => {
    const ctx = await getStaffCtx(c)
    const { id, currency } = await readProduct(ctx, pathParam(c, "id"))
    const guard = createProductGuard(c.var.form)
    return handleEditForm(
      c,
      UpdateProduct,
      async (input) => {
        await updateProduct(ctx, String(id), input, guard.assertUnchanged)
        return withNotice(`${listPath(c)}/${id}`, "saved")
      },
      (state) => renderProduct(c, guard.refresh(state)),
      (fields) => convertProduct(c.var.form, guard.omitUneditedStock(fields), currency, true),
    )
  })
  .confirmed(`${PATH}/:id/delete`, {
    roles: ["support"],
    schema: NoFields,
    async preview(c) {
      const product = await readProduct(await getReaderCtx(c), pathParam(c, "id"))
      const back = `${listPath(c)}/${product.id}`
      return {
        title: T.delete_title(product.name),
        crumbs: withSiteCrumbs(c, [
          [W.sites.products, listPath(c)],
          [product.name, back],
        ]),
        back,
        state: [product.siteId, product.id, product.name, product.updatedAt],
        effects: T.delete_effects,
        submitLabel: T.delete,
      }
    },
    async run(c) {
      await removeProduct(await getStaffCtx(c), pathParam(c, "id"))
      return withNotice(listPath(c), "deleted")
    },
    renderForm: renderProduct,
  })

function NewLink({ path }: { path: string }) {
  const { canPost } = useView()
  return canPost(path) ? (
    <a class="button" href={`${path}/new`}>
      {T.new}
    </a>
  ) : null
}

const Fields = ({ product, currency }: { product?: Product; currency: string }) => (
  <ProductFields
    product={product}
    currency={currency}
    texts={T}
    pictures={
      <TextArea name="images" rows={3} value={product && listImages(product).join("\n")} hint={T.images_hint} />
    }
  />
)

async function renderNew(c: C, state?: FormState) {
  const { currency } = await readShopSettings(await getReaderCtx(c))
  return sitePage(c, {
    title: T.new,
    crumbs: [[W.sites.products, listPath(c)]],
    state,
    children: (
      <Card>
        <Form action={listPath(c)} submitLabel={W.common.create}>
          <Fields currency={currency} />
        </Form>
      </Card>
    ),
  })
}

async function renderProduct(c: C, state?: FormState) {
  const ctx = await getReaderCtx(c)
  const id = pathParam(c, "id")
  const [product, reviews] = await Promise.all([readProduct(ctx, id), findReviews(ctx, Number(id))])
  const path = `${listPath(c)}/${product.id}`
  return sitePage(c, {
    title: product.name,
    crumbs: [[W.sites.products, listPath(c)]],
    state,
    actions: <ActionButton action={`${path}/delete`} label={T.delete} danger />,
    children: (
      <>
        <AppState site={ctx.site} app={ecommerce} />
        <Card>
          <Form action={`${path}/edit`} submitLabel={W.common.save} readOnly={<Summary product={product} />}>
            <Fields product={product} currency={product.currency} />
          </Form>
        </Card>
        <Card title={W.shop.reviews.title}>
          {reviews.length === 0 ? (
            <p>{W.shop.reviews.none}</p>
          ) : (
            <ReviewTable rows={reviews.map((row) => ({ ...row, product }))} site={getSitePath(c)} />
          )}
        </Card>
      </>
    ),
  })
}

/** The read-only view for operators who may not change the product. */
const Summary = ({ product }: { product: Product }) => (
  <DescriptionList
    items={[
      [W.stores.status, <Badge status={product.status} text={T.statuses[product.status]} />],
      [W.sites.slug, product.slug],
      [W.plans.price, formatMoney(product.priceCents, product.currency)],
      [W.shop.stock, product.stock ?? T.untracked],
      [W.webhooks.description, product.description],
      [W.common.created, <Time at={product.createdAt} />],
      [W.sites.updated, <Time at={product.updatedAt} />],
    ]}
  />
)

const MAX_REVIEWS = 50

/** The newest reviews of a product; none of a draft, which cannot be reviewed. */
async function findReviews(ctx: UserCtx, product: number) {
  const query = { page: 1, per_page: MAX_REVIEWS, product_id: product, status: "published" } as const
  const page = await listReviews(ctx, query).catch(nullIfNotFound)
  return page?.rows ?? []
}
