// What licenses are for: products, each with its versions.
import { type Context, Hono } from "hono"
import { CreateProduct, ListProducts, UpdateProduct } from "../../license/products/schemas"
import { createProduct, listProducts, switchProduct, updateProduct } from "../../license/products/service"
import { listVersions } from "../../license/versions/service"
import { act, param } from "../form-handler"
import { change, done, type FormState, NOTHING } from "../forms"
import { Area, Button, Check, Field, Form } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card, Empty, Pager, Table, Time } from "../kit/parts"
import { LICENSES, PRODUCTS } from "../paths"
import { readQuery } from "../query-params"
import { recentPassword, sessionOnly } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { VersionForm } from "./version-form"

export const products = new Hono<ConsoleEnv>()
  .get(PRODUCTS, (c) => list(c))
  .post(
    PRODUCTS,
    sessionOnly,
    act(
      CreateProduct,
      async (c, input) => done(`${PRODUCTS}/${(await createProduct(c.var.ctx, input)).referenceId}`, "created"),
      list,
    ),
  )
  .get(`${PRODUCTS}/:id`, (c) => product(c))
  .post(
    `${PRODUCTS}/:id/edit`,
    recentPassword("decides which updates customers are offered"),
    act(
      UpdateProduct,
      async (c, input) => {
        await updateProduct(c.var.ctx, { segment: param(c, "id") }, input)
        return done(`${PRODUCTS}/${param(c, "id")}`, "saved")
      },
      product,
      change,
    ),
  )
  .post(`${PRODUCTS}/:id/:switch{activate|deactivate}`, sessionOnly, (c) =>
    act(
      NOTHING,
      async () => {
        await switchProduct(c.var.ctx, { segment: param(c, "id") }, param(c, "switch") === "activate")
        return done(`${PRODUCTS}/${param(c, "id")}`, "saved")
      },
      product,
    )(c),
  )

async function list(c: Context<ConsoleEnv>, state?: FormState) {
  const { input } = readQuery(c, ListProducts)
  const { rows, total } = await listProducts(c.var.ctx, input)
  return page(c, {
    title: W.products.title,
    state,
    children: (
      <>
        {rows.length === 0 ? (
          <Empty text={W.products.empty} />
        ) : (
          <Table
            label={W.products.title}
            rows={rows}
            columns={[
              { head: W.keys.name, cell: (row) => <a href={`${PRODUCTS}/${row.referenceId}`}>{row.name}</a> },
              { head: W.products.reference, cell: (row) => <code>{row.referenceId}</code> },
              { head: W.stores.status, cell: (row) => <Badge of={row.isActive ? "active" : "off"} /> },
              {
                head: W.licenses.title,
                cell: (row) => (
                  <a href={`${LICENSES}?product_reference_id=${encodeURIComponent(row.referenceId)}`}>
                    {W.common.open}
                  </a>
                ),
              },
              { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
            ]}
          />
        )}
        <Pager page={input.page} perPage={input.per_page} total={total} />
        <Card title={W.products.new} id="new" writes>
          <Form action={PRODUCTS} submit={W.products.create}>
            <Field name="name" required maxlength={255} />
            <Field name="reference_id" label={W.products.reference} maxlength={50} hint={W.products.reference_hint} />
            <Area name="description" rows={3} />
            <Check name="license_update" label={W.products.license_update} on />
            <Check name="serve_latest_updates" label={W.products.serve_latest} on />
          </Form>
        </Card>
      </>
    ),
  })
}

export async function product(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const segment = param(c, "id")
  const { product: found, versions } = await listVersions(ctx, segment)
  const path = `${PRODUCTS}/${found.referenceId}`
  return page(c, {
    title: found.name,
    crumbs: [[W.products.title, PRODUCTS]],
    state,
    acts: (
      <Button
        action={`${path}/${found.isActive ? "deactivate" : "activate"}`}
        label={found.isActive ? W.store.off : W.store.on}
        danger={found.isActive}
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
                { head: W.products.released, cell: (row) => <Time at={row.releasedAt} none={W.store.not_yet} /> },
                { head: W.stores.status, cell: (row) => <Badge of={row.isActive ? "active" : "off"} /> },
                { head: W.products.summary, long: true, cell: (row) => row.summary },
              ]}
            />
          )}
        </Card>
        <Card title={W.versions.new} id="new" writes>
          <VersionForm action={`${path}/versions`} />
        </Card>
        <Card title={W.common.edit} id="edit" writes>
          <Form action={`${path}/edit`} submit={W.common.save}>
            <Field name="name" value={found.name} required maxlength={255} />
            <Area name="description" value={found.description} rows={3} />
            <Field name="marketplace_id" label={W.products.marketplace} value={found.marketplaceId} maxlength={50} />
            <Check name="license_update" label={W.products.license_update} on={found.licenseUpdate} />
            <Check name="serve_latest_updates" label={W.products.serve_latest} on={found.serveLatestUpdates} />
          </Form>
        </Card>
      </>
    ),
  })
}
