// Licensed products, each with its versions.
import type { Context } from "hono"
import type * as z from "zod"
import { versionTag } from "../../core/http/precondition"
import { CreateProduct, ListProducts, UpdateProduct } from "../../license/products/schemas"
import { createProduct, listProducts, setProductActive, updateProduct } from "../../license/products/service"
import { listVersions } from "../../license/versions/service"
import { Disclosure } from "../../page-kit/disclosure"
import { ActionButton, Checkbox, Field, Form, renderFields, TextArea } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { ActiveBadge, Card, Day, EmptyState, Pager, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { ShownVersion } from "../../page-kit/version-guard"
import { harmless, recentPassword } from "../form-access"
import { formHandler, pathParam } from "../form-handler"
import { handleEditForm, NoFields } from "../forms"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { LICENSES, PRODUCTS } from "../paths"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { VersionForm } from "./version-form"

export const products = createPages()
  .get(PRODUCTS, (c) => renderProducts(c))
  .post(
    PRODUCTS,
    harmless("support"),
    formHandler(
      CreateProduct,
      async (c, input) => withNotice(`${PRODUCTS}/${(await createProduct(c.var.ctx, input)).referenceId}`, "created"),
      renderProducts,
    ),
  )
  .get(`${PRODUCTS}/:id`, (c) => renderProduct(c))
  .post(
    `${PRODUCTS}/:id/edit`,
    recentPassword("support", "change which updates customers are offered"),
    formHandler(
      UpdateProduct,
      async (c, input, assertUnchanged) => {
        await updateProduct(c.var.ctx, { segment: pathParam(c, "id") }, input, assertUnchanged)
        return withNotice(`${PRODUCTS}/${pathParam(c, "id")}`, "saved")
      },
      renderProduct,
      handleEditForm,
    ),
  )
  .post(`${PRODUCTS}/:id/:switch{activate|deactivate}`, harmless("support"), (c) =>
    formHandler(
      NoFields,
      async () => {
        const isActive = pathParam(c, "switch") === "activate"
        await setProductActive(c.var.ctx, { segment: pathParam(c, "id") }, isActive)
        return withNotice(`${PRODUCTS}/${pathParam(c, "id")}`, isActive ? "product_activated" : "product_deactivated")
      },
      renderProduct,
    )(c),
  )

async function renderProducts(c: Context<ConsoleEnv>, state?: FormState) {
  const { input } = parseQuery(c, ListProducts)
  const { rows, total } = await listProducts(c.var.ctx, input)
  return page(c, {
    title: W.products.title,
    state,
    children: (
      <>
        <Disclosure label={W.products.new} id="new" action={PRODUCTS}>
          <Form action={PRODUCTS} submitLabel={W.products.create}>
            {renderFields<z.input<typeof CreateProduct>>({
              name: (name) => <Field name={name} required maxlength={255} />,
              reference_id: (name) => (
                <Field name={name} label={W.products.reference} maxlength={50} hint={W.products.reference_hint} />
              ),
              description: (name) => <TextArea name={name} rows={3} />,
              license_update: (name) => <Checkbox name={name} label={W.products.license_update} isChecked />,
              serve_latest_updates: (name) => <Checkbox name={name} label={W.products.serve_latest} isChecked />,
              marketplace_id: { omitted: "known after the product is published there" },
              envato_id: { omitted: "an alternative name of marketplace_id" },
              is_active: { omitted: "has its own button" },
            })}
          </Form>
        </Disclosure>
        {rows.length === 0 ? (
          <EmptyState text={W.products.empty} />
        ) : (
          <Table
            label={W.products.title}
            rows={rows}
            columns={[
              { head: W.keys.name, cell: (row) => <a href={`${PRODUCTS}/${row.referenceId}`}>{row.name}</a> },
              { head: W.products.reference, cell: (row) => <code>{row.referenceId}</code> },
              { head: W.stores.status, cell: (row) => <ActiveBadge isActive={row.isActive} /> },
              {
                head: W.licenses.title,
                cell: (row) => (
                  <a href={`${LICENSES}?product_reference_id=${encodeURIComponent(row.referenceId)}`}>
                    {W.products.view_licenses}
                  </a>
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
}

export async function renderProduct(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const segment = pathParam(c, "id")
  const { product, versions } = await listVersions(ctx, segment)
  const path = `${PRODUCTS}/${product.referenceId}`
  return page(c, {
    title: product.name,
    crumbs: [[W.products.title, PRODUCTS]],
    state,
    actions: (
      <ActionButton
        action={`${path}/${product.isActive ? "deactivate" : "activate"}`}
        label={product.isActive ? W.products.deactivate : W.products.activate}
        danger={product.isActive}
      />
    ),
    children: (
      <>
        <Card title={W.products.versions} id="versions">
          {versions.length === 0 ? (
            <p>{W.products.no_versions}</p>
          ) : (
            <Table
              label={W.products.versions}
              rows={versions}
              columns={[
                {
                  head: W.products.version,
                  cell: (row) => <a href={`${path}/versions/${row.versionId}`}>{row.version}</a>,
                },
                { head: W.products.released, cell: (row) => <Day at={row.releasedAt} none={W.store.not_yet} /> },
                { head: W.stores.status, cell: (row) => <ActiveBadge isActive={row.isActive} /> },
                { head: W.products.summary, isLong: true, cell: (row) => row.summary },
              ]}
            />
          )}
        </Card>
        <Disclosure label={W.versions.new} id="new" action={`${path}/versions`}>
          <VersionForm action={`${path}/versions`} />
        </Disclosure>
        <Disclosure label={W.common.edit} id="edit" action={`${path}/edit`}>
          <Form action={`${path}/edit`} submitLabel={W.common.save}>
            <ShownVersion version={versionTag(product.id, product.revision)} />
            {renderFields<z.input<typeof UpdateProduct>>({
              name: (name) => <Field name={name} value={product.name} required maxlength={255} />,
              description: (name) => <TextArea name={name} value={product.description} rows={3} />,
              marketplace_id: (name) => (
                <Field name={name} label={W.products.marketplace} value={product.marketplaceId} maxlength={50} />
              ),
              license_update: (name) => (
                <Checkbox name={name} label={W.products.license_update} isChecked={product.licenseUpdate} />
              ),
              serve_latest_updates: (name) => (
                <Checkbox name={name} label={W.products.serve_latest} isChecked={product.serveLatestUpdates} />
              ),
              envato_id: { omitted: "an alternative name of marketplace_id" },
              is_active: { omitted: "has its own button" },
            })}
          </Form>
        </Disclosure>
      </>
    ),
  })
}
