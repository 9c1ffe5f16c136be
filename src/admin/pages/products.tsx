// A shop's products: list, new, edit, duplicate, delete and pictures.
import type { Context } from "hono"
import type * as z from "zod"
import {
  CreateProduct,
  ListProducts,
  listImages,
  MAX_IMAGES,
  type Product,
  UpdateProduct,
} from "../../apps/ecommerce/products/schemas"
import {
  addProductImage,
  createProduct,
  listProductsAndSamples,
  readProduct,
  removeProduct,
  removeSamples,
  updateProduct,
} from "../../apps/ecommerce/products/service"
import { validInput } from "../../core/http/input"
import { invalid } from "../../core/http/refusal"
import { money } from "../../lib/intl"
import { Disclosure } from "../../page-kit/disclosure"
import { ExportLink } from "../../page-kit/export-link"
import { FilterForm, SelectFilter, TextFilter } from "../../page-kit/filters"
import { ActionButton, Field, Form, Select } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Badge, Card, Note, Pager, Time } from "../../page-kit/parts"
import { pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { convertProduct, createProductGuard, MAX_NAME_LENGTH, ProductFields } from "../../shop-kit/products"
import { createAdminPages, requireRole } from "../access"
import { requireShop } from "../apps"
import { EmptyList } from "../empty-list"
import { handleForm, withNotice } from "../forms"
import { page } from "../page"
import { PRODUCTS } from "../paths"
import { getCtx, getSession } from "../session"
import type { AdminEnv } from "../types"
import { useAdminView, useT } from "../view"
import { DeleteLink } from "./content-parts"
import { PictureField } from "./editor"
import { filePath, uploadPicture } from "./media"

type C = Context<AdminEnv>

const PER_PAGE = 50

const SAMPLES = `${PRODUCTS}/samples/delete`

/** Sort orders by value of the parameter `sort`. */
const SORTS: Record<string, { sort_by: "name" | "price" | "created_at"; order: "asc" | "desc" }> = {
  name: { sort_by: "name", order: "asc" },
  "-name": { sort_by: "name", order: "desc" },
  price: { sort_by: "price", order: "asc" },
  "-price": { sort_by: "price", order: "desc" },
  created: { sort_by: "created_at", order: "asc" },
}

const productPath = (id: number | string, action = "/edit") => `${PRODUCTS}/${id}${action}`

/** The path of a product's picture, for its display in the admin. */
const Thumbnail = ({ src }: { src: string | null }) =>
  src === null ? null : <img class="thumb" src={src} alt="" loading="lazy" />

export const products = createAdminPages()
  .get(PRODUCTS, requireShop, async (c) => {
    const { strings } = c.var
    const { input } = pickQuery(ListProducts.omit({ per_page: true, sort_by: true, order: true }), c.req.query())
    const order = SORTS[c.req.query("sort") ?? ""] ?? { sort_by: "created_at", order: "desc" }
    const { rows, total, hasSamples } = await listProductsAndSamples(getCtx(c), {
      ...input,
      ...order,
      per_page: PER_PAGE,
    })
    return page(c, {
      title: strings.nav.products,
      actions: <ListActions />,
      children: (
        <>
          <FilterForm live="products">
            <TextFilter name="search" type="search" />
            <SelectFilter
              name="status"
              anyLabel={strings.products.statuses.published}
              choices={[{ value: "draft", label: strings.products.statuses.draft }]}
            />
          </FilterForm>
          <div id="products">
            {hasSamples && (
              <Note>
                <p>{strings.products.samples_body}</p>
                <ActionButton action={SAMPLES} label={strings.products.remove_samples} danger />
              </Note>
            )}
            {rows.length === 0 ? (
              <EmptyList
                texts={strings.products}
                add={{ label: strings.products.new, path: `${PRODUCTS}/new`, action: PRODUCTS }}
                hasDrafts
              />
            ) : (
              <Table
                label={strings.nav.products}
                rows={rows}
                columns={[
                  {
                    head: strings.kit.fields.name ?? "",
                    sort: { ascending: "name", descending: "-name" },
                    cell: (row) => (
                      <>
                        <Thumbnail src={row.image} />
                        <a href={productPath(row.id)}>{row.name}</a>{" "}
                        {row.isSample && <span class="badge">{strings.products.sample}</span>}
                      </>
                    ),
                  },
                  // Next to the name, so that a phone shows it without scrolling.
                  {
                    head: strings.kit.fields.stock ?? "",
                    isNumeric: true,
                    cell: (row) => row.stock ?? strings.products.untracked,
                  },
                  {
                    head: strings.kit.fields.price ?? "",
                    isNumeric: true,
                    sort: { ascending: "price", descending: "-price" },
                    cell: (row) => money(row.priceCents, row.currency, c.var.ctx.locale),
                  },
                  {
                    head: strings.kit.fields.status ?? "",
                    cell: (row) => <Badge status={row.status} text={strings.products.statuses[row.status]} />,
                  },
                  {
                    head: strings.common.created,
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
  .get(`${PRODUCTS}/new`, requireShop, requireRole("editor"), (c) => renderNew(c))
  .get(`${PRODUCTS}/:id{[0-9]+}`, (c) => c.redirect(productPath(c.req.param("id")), 303))
  .get(`${PRODUCTS}/:id{[0-9]+}/edit`, requireShop, (c) => renderEdit(c))
  .get(`${PRODUCTS}/:id{[0-9]+}/delete`, requireShop, requireRole("editor"), async (c) => {
    const { products: t, common } = c.var.strings
    const product = await readProduct(getCtx(c), c.req.param("id"))
    return page(c, {
      title: t.delete_title(product.name),
      crumbs: [[c.var.strings.nav.products, PRODUCTS]],
      children: (
        <>
          <p>{t.delete_body}</p>
          <ActionButton action={productPath(product.id, "/delete")} label={common.delete} danger />
          <p>
            <a href={productPath(product.id)}>{common.cancel}</a>
          </p>
        </>
      ),
    })
  })
  .post(PRODUCTS, requireRole("editor"), requireShop, (c) =>
    handleForm(c, {
      schema: CreateProduct,
      convert: (fields) => convertProduct(c.var.form, fields, getSession(c).shop.currency),
      run: async (input) => {
        const { id } = await createProduct(getCtx(c), input)
        return withNotice(productPath(id), "product_created")
      },
      render: (state) => renderNew(c, state),
    }),
  )
  .post(`${PRODUCTS}/:id{[0-9]+}/edit`, requireRole("editor"), requireShop, async (c) => {
    const { id, currency } = await readProduct(getCtx(c), c.req.param("id"))
    const guard = createProductGuard(c.var.form)
    return handleForm(c, {
      schema: UpdateProduct,
      isEdit: true,
      convert: (fields) => convertProduct(c.var.form, guard.omitUneditedStock(fields), currency, true),
      run: async (input) => {
        await updateProduct(getCtx(c), String(id), input, guard.assertUnchanged)
        return withNotice(productPath(id), "product_saved")
      },
      render: (state) => renderEdit(c, guard.refresh(state)),
    })
  })
  .get(SAMPLES, (c) => c.redirect(PRODUCTS, 303))
  .post(SAMPLES, requireRole("editor"), requireShop, async (c) => {
    await removeSamples(getCtx(c))
    return c.redirect(withNotice(PRODUCTS, "samples_removed"), 303)
  })
  .post(`${PRODUCTS}/:id{[0-9]+}/delete`, requireRole("editor"), requireShop, async (c) => {
    await removeProduct(getCtx(c), c.req.param("id"))
    return c.redirect(withNotice(PRODUCTS, "product_deleted"), 303)
  })
  .post(`${PRODUCTS}/:id{[0-9]+}/duplicate`, requireRole("editor"), requireShop, async (c) => {
    const source = await readProduct(getCtx(c), c.req.param("id"))
    const { id } = await createProduct(getCtx(c), toCopy(source, c.var.strings.products.copy_of(source.name)))
    return c.redirect(withNotice(productPath(id), "product_duplicated"), 303)
  })
  .post(`${PRODUCTS}/:id{[0-9]+}/pictures`, requireRole("editor"), requireShop, async (c) => {
    const ctx = getCtx(c)
    const product = await readProduct(ctx, c.req.param("id"))
    return handleForm(c, {
      schema: UpdateProduct,
      run: async () => {
        if (listImages(product).length >= MAX_IMAGES) throw invalid("file", "max_items", { max: MAX_IMAGES })
        const file = await uploadPicture(c)
        await addProductImage(ctx, String(product.id), filePath(c, file.path))
        return withNotice(productPath(product.id), "product_saved")
      },
      render: (state) => renderEdit(c, state),
    })
  })

/** A copy is a draft with a new slug. */
const toCopy = (product: Product, name: string) =>
  validInput(CreateProduct, {
    name: name.slice(0, MAX_NAME_LENGTH),
    slug: undefined,
    description: product.description,
    image: product.image,
    images: listImages(product),
    seo_title: product.seoTitle,
    seo_description: product.seoDescription,
    price_cents: product.priceCents,
    currency: product.currency,
    stock: product.stock,
    status: "draft" as const,
  } satisfies Record<keyof z.input<typeof CreateProduct>, unknown>)

const renderNew = (c: C, state: FormState = emptyForm()) =>
  page(c, {
    title: c.var.strings.products.new,
    crumbs: [[c.var.strings.nav.products, PRODUCTS]],
    state,
    children: (
      <Form action={PRODUCTS} submitLabel={c.var.strings.common.create}>
        <Fields shopCurrency={getSession(c).shop.currency} />
      </Form>
    ),
  })

async function renderEdit(c: C, state?: FormState) {
  const { strings } = c.var
  const product = await readProduct(getCtx(c), c.req.param("id") ?? "")
  return page(c, {
    title: product.name,
    crumbs: [[strings.nav.products, PRODUCTS]],
    state,
    actions: (
      <>
        {product.status === "published" && (
          <a class="button" data-quiet href={`/products/${product.slug}`}>
            {strings.products.view}
          </a>
        )}
        <ActionButton action={productPath(product.id, "/duplicate")} label={strings.products.duplicate} />
        <DeleteLink href={productPath(product.id, "/delete")} />
      </>
    ),
    children: (
      <>
        <Form
          action={productPath(product.id)}
          submitLabel={strings.common.save}
          readOnly={<Summary product={product} />}
        >
          <Fields product={product} shopCurrency={getSession(c).shop.currency} />
        </Form>
        <Pictures product={product} />
      </>
    ),
  })
}

/** The read-only view for members who may not change the product. */
function Summary({ product }: { product: Product }) {
  const { language } = useAdminView()
  return (
    <Card>
      <p>{money(product.priceCents, product.currency, language)}</p>
      <p>{product.description}</p>
    </Card>
  )
}

function ListActions() {
  const { canPost, t } = useAdminView()
  return (
    <>
      <ExportLink path={PRODUCTS} />
      {canPost(PRODUCTS) && (
        <>
          <a class="button" data-quiet href={`${PRODUCTS}/import`}>
            {t.products.import}
          </a>
          <a class="button" href={`${PRODUCTS}/new`}>
            {t.products.new}
          </a>
        </>
      )}
    </>
  )
}

/** The fields of a product, with a picker for its pictures. Offers the shop's currency to a product with another one. */
function Fields({ product, shopCurrency }: { product?: Product; shopCurrency: string }) {
  const { products, content, settings } = useT()
  const t = product ? { ...products, slug_hint: content.slug_change_hint } : products
  const value = product && listImages(product).join("\n")
  const pictures = <PictureField name="images" rows={3} max={MAX_IMAGES} value={value} hint={t.images_hint} />
  const currency = product?.currency ?? shopCurrency
  const currencyField =
    currency === shopCurrency ? undefined : (
      <Select
        name="currency"
        label={settings.currency}
        value={currency}
        choices={[currency, shopCurrency].map((choice) => ({ value: choice, label: choice }))}
        hint={t.currency_hint(shopCurrency)}
      />
    )
  return (
    <ProductFields product={product} currency={currency} currencyField={currencyField} texts={t} pictures={pictures} />
  )
}

/** The pictures of a product, and a form that adds one. */
function Pictures({ product }: { product: Product }) {
  const { products: t } = useT()
  const action = productPath(product.id, "/pictures")
  return (
    <Card title={t.pictures}>
      <p>
        {listImages(product).map((src) => (
          <Thumbnail src={src} />
        ))}
      </p>
      <Disclosure label={t.upload} action={action}>
        <Form action={action} submitLabel={t.upload} upload>
          <Field name="file" type="file" label={t.file} accept="image/*" required />
        </Form>
      </Disclosure>
    </Card>
  )
}
