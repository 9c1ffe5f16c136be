// Licenses with their activations, rejected requests and offline files.

import type { Context } from "hono"
import type * as z from "zod"
import { versionTag } from "../../core/http/precondition"
import { rowId } from "../../core/http/row-id"
import { text, withLookups } from "../../core/http/validation"
import { isoDay } from "../../lib/time"
import { listActivations } from "../../license/activations/manage"
import { CreateLicense, type License, ListLicenses, UpdateLicense } from "../../license/licenses/schemas"
import {
  createLicense,
  listLicenses,
  readLicense,
  removeLicense,
  setBlocked,
  updateLicense,
} from "../../license/licenses/service"
import { OfflineFile, signLicenseFile } from "../../license/offline/file"
import type { Product } from "../../license/products/schemas"
import { listProducts } from "../../license/products/service"
import { type Rejection, readLicenseWithRejections } from "../../license/rejections/service"
import { Disclosure } from "../../page-kit/disclosure"
import { ExportLink } from "../../page-kit/export-link"
import { TextFilter } from "../../page-kit/filters"
import { ActionButton, Field, Form, renderFields, TextArea } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Badge, Card, Day, DescriptionList, EmptyState, Pager, Time } from "../../page-kit/parts"
import { PAGE_SIZE, PageQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { ShownVersion } from "../../page-kit/version-guard"
import { harmless, recentPassword } from "../form-access"
import { formHandler, pathParam } from "../form-handler"
import { handleEditForm, NoFields, omitUnchangedDays } from "../forms"
import { Filters } from "../kit/filters"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { LICENSES, PRODUCTS } from "../paths"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { Activations } from "./activations"

/** The API replaces an empty type with a default; the form requires one. */
const EditLicenseForm = withLookups(
  UpdateLicense.extend({ type: text({ max: 50 }).optional() }),
  "product_reference_id",
)

/** The license in a path, which is not one whose code looks like its id. */
const getRef = (c: Context<ConsoleEnv>) => ({ id: rowId(pathParam(c, "id")) })

export const licenses = createPages()
  .get(LICENSES, (c) => renderLicenses(c))
  .post(
    LICENSES,
    harmless("support"),
    formHandler(
      CreateLicense,
      async (c, input) => withNotice(`${LICENSES}/${(await createLicense(c.var.ctx, input)).license.id}`, "created"),
      renderLicenses,
    ),
  )
  .get(`${LICENSES}/:id`, (c) => renderLicense(c))
  .post(`${LICENSES}/:id/edit`, harmless("support"), async (c) => {
    const ref = getRef(c)
    const { license } = await readLicense(c.var.ctx, ref)
    const { expiresAt: expires_at, updatesUntil: updates_until, supportUntil: support_until } = license
    return handleEditForm(
      c,
      EditLicenseForm,
      async (input, assertUnchanged) => {
        await updateLicense(c.var.ctx, ref, input, assertUnchanged)
        return withNotice(`${LICENSES}/${ref.id}`, "saved")
      },
      (state) => renderLicense(c, state),
      (fields) => ({ fields: omitUnchangedDays(fields, { expires_at, updates_until, support_until }), errors: {} }),
    )
  })
  .post(`${LICENSES}/:id/:switch{block|unblock}`, harmless("support"), (c) =>
    formHandler(
      NoFields,
      async () => {
        const isBlocked = pathParam(c, "switch") === "block"
        await setBlocked(c.var.ctx, getRef(c), isBlocked)
        return withNotice(`${LICENSES}/${pathParam(c, "id")}`, isBlocked ? "license_blocked" : "license_unblocked")
      },
      renderLicense,
    )(c),
  )
  .confirmed(`${LICENSES}/:id/delete`, {
    roles: ["support"],
    password: "delete a license and its activations",
    schema: NoFields,
    async preview(c) {
      const { license } = await readLicense(c.var.ctx, getRef(c))
      const code = maskCode(license.code)
      const customer = license.email ?? license.customerId
      return {
        title: W.licenses.delete_title(license.id),
        crumbs: [
          [W.licenses.title, LICENSES],
          [code, `${LICENSES}/${license.id}`],
        ],
        back: `${LICENSES}/${license.id}`,
        state: [license.id, license.code, customer],
        changes: [
          { label: W.licenses.code, before: code, after: W.common.none },
          { label: W.licenses.customer, before: customer ?? W.common.none, after: W.common.none },
        ],
        effects: [W.licenses.delete_hint],
        submitLabel: W.licenses.delete,
        typed: {
          label: W.licenses.delete_confirm(license.code.slice(-4), license.email),
          accepts: [license.code, license.code.slice(-4), ...(license.email ? [license.email] : [])],
        },
      }
    },
    async run(c) {
      await removeLicense(c.var.ctx, getRef(c))
      return withNotice(LICENSES, "deleted")
    },
    renderForm: renderLicense,
  })
  .post(
    `${LICENSES}/:id/offline`,
    recentPassword("support", "download a license file that can't be revoked"),
    formHandler(
      OfflineFile,
      async (c, input) => {
        const found = await readLicense(c.var.ctx, getRef(c))
        const file = await signLicenseFile(c.var.ctx, found, input)
        return new Response(file, {
          headers: {
            "Content-Type": "application/jwt",
            "Content-Disposition": `attachment; filename="license-${found.license.id}.lic"`,
          },
        })
      },
      renderLicense,
    ),
  )

/** The latest products, which the form of a license proposes. */
const MAX_SUGGESTED_PRODUCTS = 50

/** Shows only the last four characters of a license code. */
const maskCode = (code: string): string => `••••${code.slice(-4)}`

const getLicenseStatus = (license: License, now: Date): "blocked" | "expired" | "valid" =>
  !license.isValid ? "blocked" : license.expiresAt && license.expiresAt <= now ? "expired" : "valid"

async function renderLicenses(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { input } = parseQuery(c, ListLicenses)
  const [{ rows, total }, products] = await Promise.all([
    listLicenses(ctx, input),
    listProducts(ctx, { page: 1, per_page: MAX_SUGGESTED_PRODUCTS }),
  ])
  return page(c, {
    title: W.licenses.title,
    state,
    actions: <ExportLink path={LICENSES} />,
    children: (
      <>
        <Disclosure label={W.licenses.new} id="new" action={LICENSES}>
          <Form action={LICENSES} submitLabel={W.licenses.create}>
            <LicenseFields products={products.rows} />
          </Form>
        </Disclosure>
        <Filters live="licenses" action={LICENSES}>
          <TextFilter name="search" type="search" label={W.fields.q} />
          <TextFilter name="product_reference_id" label={W.licenses.of_product} />
        </Filters>
        <div id="licenses">
          {rows.length === 0 ? (
            <EmptyState text={W.licenses.empty} />
          ) : (
            <Table
              label={W.licenses.title}
              rows={rows}
              hasColumnChoice
              columns={[
                {
                  head: W.licenses.code,
                  cell: ({ license }) => <a href={`${LICENSES}/${license.id}`}>{maskCode(license.code)}</a>,
                },
                { head: W.products.one, cell: ({ product }) => product.name },
                { head: W.stores.status, cell: ({ license }) => <Badge status={getLicenseStatus(license, ctx.now)} /> },
                {
                  head: W.licenses.uses,
                  isNumeric: true,
                  cell: ({ license }) => W.licenses.of(license.activeUses, license.parallelUses),
                },
                { head: W.licenses.customer, cell: ({ license }) => license.email ?? license.customerId },
                { head: W.keys.expires, cell: ({ license }) => <Day at={license.expiresAt} /> },
              ]}
            />
          )}
          <Pager page={input.page} pageSize={input.per_page} total={total} />
        </div>
      </>
    ),
  })
}

function LicenseFields({ license, products = [] }: { license?: License; products?: Product[] }) {
  const dayOf = (date: Date | null | undefined) => (date ? isoDay(date) : undefined)
  const state = emptyForm({
    email: license?.email,
    customer_id: license?.customerId,
    type: license?.type,
    parallel_uses: license?.parallelUses?.toString(),
    uses: license?.uses?.toString(),
    domains: license?.domains.join(", "),
    ips: license?.ips.join(", "),
    expires_at: dayOf(license?.expiresAt),
    updates_until: dayOf(license?.updatesUntil),
    support_until: dayOf(license?.supportUntil),
    comments: license?.comments,
  })
  return (
    <>
      {renderFields<z.input<typeof CreateLicense>>({
        product_reference_id: license
          ? { omitted: "only the API moves a license to another product" }
          : (name) => (
              <Field
                name={name}
                label={W.licenses.of_product}
                value={products.length === 1 ? products[0]?.referenceId : null}
                required
                maxlength={50}
                suggestions={products.map(({ referenceId }) => referenceId)}
              />
            ),
        license_code: license
          ? { omitted: "it never changes" }
          : (name) => <Field name={name} label={W.licenses.code} hint={W.licenses.code_hint} maxlength={255} />,
        email: (name) => <Field name={name} label={W.licenses.email} type="email" state={state} />,
        customer_id: (name) => <Field name={name} label={W.licenses.customer_id} state={state} />,
        type: (name) => <Field name={name} state={state} required={license !== undefined} />,
        parallel_uses: (name) => (
          <Field
            name={name}
            label={W.licenses.parallel}
            type="number"
            min={1}
            state={state}
            hint={W.licenses.unlimited}
          />
        ),
        uses: (name) => (
          <Field
            name={name}
            label={W.licenses.all_uses}
            type="number"
            min={1}
            state={state}
            hint={W.licenses.unlimited}
          />
        ),
        domains: (name) => <Field name={name} label={W.licenses.domains} state={state} hint={W.licenses.list_hint} />,
        ips: (name) => <Field name={name} label={W.licenses.ips} state={state} hint={W.licenses.list_hint} />,
        expires_at: (name) => <Field name={name} label={W.keys.expires} type="date" state={state} />,
        updates_until: (name) => <Field name={name} type="date" state={state} />,
        support_until: (name) => <Field name={name} type="date" state={state} />,
        comments: (name) => <TextArea name={name} state={state} rows={2} />,
        invoice: { omitted: "only the API sets it" },
        expiry_days: { omitted: "only the API sets it" },
        is_valid: { omitted: "has its own button" },
        is_marketplace: { omitted: "only the API sets it" },
        is_envato: { omitted: "an alternative name of is_marketplace" },
      })}
    </>
  )
}

async function renderLicense(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { license, product, rejections } = await readLicenseWithRejections(ctx, getRef(c))
  const { input } = parseQuery(c, PageQuery)
  const activations = await listActivations(ctx, { page: input.page, per_page: PAGE_SIZE }, license)
  const path = `${LICENSES}/${license.id}`
  const status = getLicenseStatus(license, ctx.now)
  return page(c, {
    title: W.licenses.one(license.id),
    crumbs: [[W.licenses.title, LICENSES]],
    state,
    actions: license.isValid ? (
      <ActionButton action={`${path}/block`} label={W.licenses.block} danger />
    ) : (
      <ActionButton action={`${path}/unblock`} label={W.licenses.unblock} />
    ),
    children: (
      <>
        <Card>
          <DescriptionList
            items={[
              [
                W.licenses.code,
                <details>
                  <summary>{maskCode(license.code)}</summary>
                  <code>{license.code}</code>
                </details>,
              ],
              [W.products.one, <a href={`${PRODUCTS}/${product.referenceId}`}>{product.name}</a>],
              [W.stores.status, <Badge status={status} />],
              [W.licenses.uses, W.licenses.of(license.activeUses, license.parallelUses)],
              [W.licenses.customer, license.email ?? license.customerId],
              [W.keys.expires, <Day at={license.expiresAt} />],
              [W.common.created, <Time at={license.createdAt} />],
            ]}
          />
        </Card>
        <Disclosure label={W.common.edit} id="edit" action={`${path}/edit`}>
          <Form action={`${path}/edit`} submitLabel={W.common.save}>
            <ShownVersion version={versionTag(license.id, license.revision)} />
            <LicenseFields license={license} />
          </Form>
        </Disclosure>
        <Card title={W.activations.title} id="activations">
          {activations.rows.length === 0 ? (
            <p>{W.activations.none}</p>
          ) : (
            <Activations rows={activations.rows} isOfOneLicense hidden={{ license: String(license.id) }} />
          )}
          <Pager page={input.page} pageSize={PAGE_SIZE} total={activations.total} />
        </Card>
        <Card title={W.rejections.title} id="tries">
          {rejections.length === 0 ? <p>{W.rejections.none}</p> : <RejectionTable rows={rejections} />}
          <p class="sub">{W.rejections.hint}</p>
        </Card>
        <div class="grid">
          <Card title={W.licenses.offline} id="offline">
            <p>{W.licenses.offline_hint}</p>
            {status === "valid" ? (
              <Form action={`${path}/offline`} submitLabel={W.licenses.offline_download}>
                <Field name="expires_at" label={W.licenses.until} type="date" idPrefix="offline" />
              </Form>
            ) : (
              <p class="sub">{W.licenses.offline_needs_valid}</p>
            )}
          </Card>
          <Card title={W.licenses.delete} id="delete" isForm>
            <p>{W.licenses.delete_hint}</p>
            <ActionButton action={`${path}/delete`} label={W.licenses.delete} danger />
          </Card>
        </div>
      </>
    ),
  })
}

const RejectionTable = ({ rows }: { rows: Rejection[] }) => (
  <Table
    label={W.rejections.title}
    rows={rows}
    columns={[
      { head: W.rejections.reason, cell: (row) => W.rejections.reasons[row.reason] },
      { head: W.rejections.count, isNumeric: true, cell: (row) => row.tries },
      { head: W.rejections.last, cell: (row) => <Time at={row.lastAt} /> },
      { head: W.rejections.attempt, cell: (row) => W.rejections.attempts[row.attempt] },
      {
        head: W.rejections.from,
        cell: (row) => [row.domain, row.ip].filter(Boolean).join(", ") || W.rejections.unknown,
      },
      { head: W.rejections.first, cell: (row) => <Time at={row.firstAt} /> },
    ]}
  />
)
