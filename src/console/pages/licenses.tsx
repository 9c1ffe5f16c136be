// The license manager: products with their versions, licenses with their activations, its keys and settings.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { Refusal } from "../../core/refusal"
import { fieldFaults, text } from "../../core/validation"
import { DAY, later } from "../../lib/time"
import { listActivations, switchActivation } from "../../license/activations/manage"
import { type Activation, ListActivations } from "../../license/activations/schemas"
import { CIPHERS } from "../../license/encryption/ciphers"
import { CreateLicenseKey, RevokeLicenseKey, SCOPES } from "../../license/keys/schemas"
import { createLicenseKey, listLicenseKeys, revokeLicenseKey } from "../../license/keys/service"
import { CreateLicense, type License, ListLicenses, UpdateLicense } from "../../license/licenses/schemas"
import {
  createLicense,
  listLicenses,
  readLicense,
  removeLicense,
  setBlocked,
  updateLicense,
} from "../../license/licenses/service"
import { OfflineFile, signFile } from "../../license/offline/file"
import { CreateProduct, ListProducts, UpdateProduct } from "../../license/products/schemas"
import { createProduct, listProducts, switchProduct, updateProduct } from "../../license/products/service"
import { SaveSettings, saveSettings } from "../../license/settings"
import { type RefusedTry, readWithTries } from "../../license/tries/service"
import { listVersions } from "../../license/versions/service"
import { blank, change, done, type FormState, NOTHING, submit } from "../forms"
import { Area, Ask, Button, Check, Checks, Field, Filters, Form, Pick, Select } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card, Empty, Facts, Note, Pager, Secret, Table, Time } from "../kit/parts"
import { Paged, PER_PAGE, readQuery, sliceOf } from "../query"
import type { ConsoleEnv } from "../types"
import { W } from "../words"
import { VersionForm } from "./version-form"

const PRODUCTS = "/console/products"
const LICENSES = "/console/licenses"
const ACTIVATIONS = "/console/activations"
const KEYS = "/console/license-keys"
const SETTINGS = "/console/license-settings"

const CIPHER_NAMES = Object.keys(CIPHERS)

const Confirmed = z.object({ confirm: z.string() })

/** The API makes another type of an emptied one; who edits is told that it has one. */
const EditLicense = UpdateLicense.extend({ type: text({ max: 50 }).optional() })

const param = (c: Context<ConsoleEnv>, name: string) => c.req.param(name) ?? ""

/** A POST of a form: does it, and leads on. */
const act =
  <Schema extends z.ZodObject>(
    schema: Schema,
    run: (c: Context<ConsoleEnv>, input: z.output<Schema>) => Promise<string | Response>,
    again: (c: Context<ConsoleEnv>, state: FormState) => Promise<Response>,
    take = submit,
  ) =>
  (c: Context<ConsoleEnv>) =>
    take(
      c,
      schema,
      (input) => run(c, input),
      (state) => again(c, state),
    )

export const licenses = new Hono<ConsoleEnv>()
  .get(PRODUCTS, (c) => products(c))
  .post(
    PRODUCTS,
    act(
      CreateProduct,
      async (c, input) => done(`${PRODUCTS}/${(await createProduct(c.var.ctx, input)).referenceId}`, "created"),
      products,
    ),
  )
  .get(`${PRODUCTS}/:id`, (c) => product(c))
  .post(
    `${PRODUCTS}/:id/edit`,
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
  .post(`${PRODUCTS}/:id/:switch{activate|deactivate}`, (c) =>
    act(
      NOTHING,
      async () => {
        await switchProduct(c.var.ctx, { segment: param(c, "id") }, param(c, "switch") === "activate")
        return done(`${PRODUCTS}/${param(c, "id")}`, "saved")
      },
      product,
    )(c),
  )
  .get(LICENSES, (c) => list(c))
  .post(
    LICENSES,
    act(
      CreateLicense,
      async (c, input) => done(`${LICENSES}/${(await createLicense(c.var.ctx, input)).license.id}`, "created"),
      list,
    ),
  )
  .get(`${LICENSES}/:id`, (c) => one(c))
  .post(
    `${LICENSES}/:id/edit`,
    act(
      EditLicense,
      async (c, input) => {
        await updateLicense(c.var.ctx, { segment: param(c, "id") }, input)
        return done(`${LICENSES}/${param(c, "id")}`, "saved")
      },
      one,
      change,
    ),
  )
  .post(`${LICENSES}/:id/:switch{block|unblock}`, (c) =>
    act(
      NOTHING,
      async () => {
        await setBlocked(c.var.ctx, { segment: param(c, "id") }, param(c, "switch") === "block")
        return done(`${LICENSES}/${param(c, "id")}`, "saved")
      },
      one,
    )(c),
  )
  .post(
    `${LICENSES}/:id/delete`,
    act(
      Confirmed,
      async (c, { confirm }) => {
        const { license } = await readLicense(c.var.ctx, { segment: param(c, "id") })
        if (confirm.trim() !== String(license.id)) return mismatch(c)
        await removeLicense(c.var.ctx, { segment: String(license.id) })
        return done(LICENSES, "deleted")
      },
      one,
    ),
  )
  .post(
    `${LICENSES}/:id/offline`,
    act(
      OfflineFile,
      async (c, { expires_at }) => {
        const found = await readLicense(c.var.ctx, { segment: param(c, "id") })
        const file = await signFile(c.var.ctx, found, expires_at ?? undefined)
        return new Response(file, {
          headers: {
            "Content-Type": "application/jwt",
            "Content-Disposition": `attachment; filename="license-${found.license.id}.lic"`,
          },
        })
      },
      one,
    ),
  )
  .get(ACTIVATIONS, async (c) => {
    const { input } = readQuery(c, ListActivations)
    const { rows, total } = await listActivations(c.var.ctx, input)
    return page(c, {
      title: W.activations.title,
      children: (
        <>
          <Filters>
            <Pick
              name="is_active"
              label={W.stores.status}
              choices={[
                { value: "true", label: W.activations.on },
                { value: "false", label: W.activations.off },
              ]}
            />
          </Filters>
          {rows.length === 0 ? <Empty text={W.activations.empty} /> : <Activations rows={rows} />}
          <Pager page={input.page} perPage={input.per_page} total={total} />
        </>
      ),
    })
  })
  .post(`${ACTIVATIONS}/:id/:switch{activate|deactivate}`, (c) => {
    const back = c.var.form.get("license")?.at(-1)
    return act(
      NOTHING,
      async () => {
        await switchActivation(c.var.ctx, param(c, "id"), param(c, "switch") === "activate")
        return done(back && /^\d+$/.test(back) ? `${LICENSES}/${back}` : ACTIVATIONS, "saved")
      },
      async (_, state) => page(c, { title: W.activations.title, crumbs: [[W.activations.title, ACTIVATIONS]], state }),
    )(c)
  })
  .get(KEYS, (c) => keys(c))
  .post(
    KEYS,
    act(
      CreateLicenseKey,
      async (c, input) => {
        const { key, plaintext } = await createLicenseKey(c.var.ctx, input)
        return page(c, {
          title: W.keys.shown_title,
          crumbs: [[W.licenseKeys.title, KEYS]],
          children: (
            <>
              <Note tone="warn">
                <p>{W.keys.shown_body}</p>
              </Note>
              <Card title={key.name}>
                <Secret id="key" value={plaintext} label={W.keys.shown_label} />
              </Card>
              <p>
                <a href={KEYS}>{W.keys.to_list}</a>
              </p>
            </>
          ),
        })
      },
      keys,
    ),
  )
  .post(`${KEYS}/:id/revoke`, (c) =>
    act(
      NOTHING,
      async () => {
        const { id } = RevokeLicenseKey.parse({ id: param(c, "id") })
        await revokeLicenseKey(c.var.ctx, id)
        return done(KEYS, "revoked")
      },
      keys,
    )(c),
  )
  .get(SETTINGS, (c) => settings(c))
  .post(
    SETTINGS,
    act(
      SaveSettings,
      async (c, input) => {
        await saveSettings(c.var.ctx, input)
        return done(SETTINGS, "saved")
      },
      settings,
      change,
    ),
  )

/** Keys that are left empty are left alone. */
const GivenKeys = z.object({
  lm_license_encryption_key: z.string().max(200).optional(),
  lm_legacy_encryption_key: z.string().max(1000).optional(),
})

licenses.post(
  `${SETTINGS}/keys`,
  act(
    GivenKeys,
    async (c, input) => {
      const named = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== ""))
      const keys = SaveSettings.safeParse(named)
      if (!keys.success) throw new Refusal("validation_failed", { fields: fieldFaults(keys.error, named) })
      await saveSettings(c.var.ctx, keys.data)
      return done(SETTINGS, "saved")
    },
    settings,
  ),
)

const mismatch = (c: Context<ConsoleEnv>) =>
  one(c, { status: 422, values: c.var.form, errors: { confirm: [W.refusals.confirm_mismatch] } })

async function products(c: Context<ConsoleEnv>, state?: FormState) {
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

/** A code as a list shows it: its end, so that one can be told from another. */
const masked = (code: string): string => `••••${code.slice(-4)}`

const stateOf = (license: License, now: Date): string =>
  !license.isValid ? "blocked" : license.expiresAt && license.expiresAt <= now ? "expired" : "valid"

async function list(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { input } = readQuery(c, ListLicenses)
  const { rows, total } = await listLicenses(ctx, input)
  return page(c, {
    title: W.licenses.title,
    state,
    children: (
      <>
        <Filters live="licenses" action={LICENSES}>
          <Ask name="search" type="search" label={W.fields.q} />
          <Ask name="product_reference_id" label={W.products.one} />
        </Filters>
        <div id="licenses">
          {rows.length === 0 ? (
            <Empty text={W.licenses.empty} />
          ) : (
            <Table
              label={W.licenses.title}
              rows={rows}
              columns={[
                {
                  head: W.licenses.code,
                  cell: ({ license }) => <a href={`${LICENSES}/${license.id}`}>{masked(license.code)}</a>,
                },
                { head: W.products.one, cell: ({ product: of }) => of.name },
                { head: W.stores.status, cell: ({ license }) => <Badge of={stateOf(license, ctx.now)} /> },
                {
                  head: W.licenses.uses,
                  num: true,
                  cell: ({ license }) => W.licenses.of(license.activeUses, license.parallelUses),
                },
                { head: W.licenses.customer, cell: ({ license }) => license.email ?? license.customerId },
                { head: W.keys.expires, cell: ({ license }) => <Time at={license.expiresAt} /> },
              ]}
            />
          )}
          <Pager page={input.page} perPage={input.per_page} total={total} />
        </div>
        <Card title={W.licenses.new} id="new" writes>
          <Form action={LICENSES} submit={W.licenses.create}>
            <Field name="product_reference_id" label={W.licenses.of_product} required maxlength={50} />
            <Field name="license_code" label={W.licenses.code} hint={W.licenses.code_hint} maxlength={255} />
            <Terms />
          </Form>
        </Card>
      </>
    ),
  })
}

function Terms({ license }: { license?: License }) {
  const day = (moment: Date | null | undefined) => moment?.toISOString().slice(0, 10)
  const state = blank({
    email: license?.email,
    customer_id: license?.customerId,
    type: license?.type,
    parallel_uses: license?.parallelUses?.toString(),
    uses: license?.uses?.toString(),
    domains: license?.domains.join(", "),
    ips: license?.ips.join(", "),
    expires_at: day(license?.expiresAt),
    updates_until: day(license?.updatesUntil),
    support_until: day(license?.supportUntil),
    comments: license?.comments,
  })
  return (
    <>
      <Field name="email" label={W.licenses.email} type="email" state={state} />
      <Field name="customer_id" label={W.licenses.customer} state={state} />
      <Field name="type" state={state} required={license !== undefined} />
      <Field
        name="parallel_uses"
        label={W.licenses.parallel}
        type="number"
        min={1}
        state={state}
        hint={W.licenses.unlimited}
      />
      <Field name="uses" label={W.licenses.all_uses} type="number" min={1} state={state} hint={W.licenses.unlimited} />
      <Field name="domains" state={state} hint={W.licenses.list_hint} />
      <Field name="ips" label={W.licenses.ips} state={state} hint={W.licenses.list_hint} />
      <Field name="expires_at" label={W.keys.expires} type="date" state={state} />
      <Field name="updates_until" type="date" state={state} />
      <Field name="support_until" type="date" state={state} />
      <Area name="comments" state={state} rows={2} />
    </>
  )
}

async function one(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { license, product: of, tries } = await readWithTries(ctx, { segment: param(c, "id") })
  const { input } = readQuery(c, Paged)
  const activations = await listActivations(ctx, { page: input.page, per_page: PER_PAGE }, license)
  const path = `${LICENSES}/${license.id}`
  return page(c, {
    title: W.licenses.one(license.id),
    crumbs: [[W.licenses.title, LICENSES]],
    state,
    acts: license.isValid ? (
      <Button action={`${path}/block`} label={W.licenses.block} danger />
    ) : (
      <Button action={`${path}/unblock`} label={W.licenses.unblock} />
    ),
    children: (
      <>
        <Card>
          <Facts
            of={[
              [
                W.licenses.code,
                <details>
                  <summary>{masked(license.code)}</summary>
                  <code>{license.code}</code>
                </details>,
              ],
              [W.products.one, <a href={`${PRODUCTS}/${of.referenceId}`}>{of.name}</a>],
              [W.stores.status, <Badge of={stateOf(license, ctx.now)} />],
              [W.licenses.uses, W.licenses.of(license.activeUses, license.parallelUses)],
              [W.licenses.customer, license.email ?? license.customerId],
              [W.keys.expires, <Time at={license.expiresAt} />],
              [W.common.created, <Time at={license.createdAt} />],
            ]}
          />
        </Card>
        <Card title={W.activations.title} id="activations">
          {activations.rows.length === 0 ? <p>{W.activations.none}</p> : <Activations rows={activations.rows} />}
          <Pager page={input.page} perPage={PER_PAGE} total={activations.total} />
        </Card>
        <Card title={W.tries.title} id="tries">
          {tries.length === 0 ? <p>{W.tries.none}</p> : <Tries rows={tries} />}
          <p class="sub">{W.tries.hint}</p>
        </Card>
        <div class="grid">
          <Card title={W.common.edit} id="edit" writes>
            <Form action={`${path}/edit`} submit={W.common.save}>
              <Terms license={license} />
            </Form>
          </Card>
          <div>
            <Card title={W.licenses.offline} id="offline">
              <p>{W.licenses.offline_hint}</p>
              <Form action={`${path}/offline`} submit={W.licenses.offline_get}>
                <Field name="expires_at" label={W.licenses.until} type="date" scope="offline" />
              </Form>
            </Card>
            <Card title={W.licenses.delete} id="delete" writes>
              <p>{W.licenses.delete_hint}</p>
              <Form action={`${path}/delete`} submit={W.licenses.delete} danger>
                <Field name="confirm" label={W.store.confirm(String(license.id))} required />
              </Form>
            </Card>
          </div>
        </div>
      </>
    ),
  })
}

const Activations = ({ rows }: { rows: Activation[] }) => (
  <Table
    label={W.activations.title}
    rows={rows}
    columns={[
      { head: W.activations.where, cell: (row) => row.domain ?? row.ip ?? `#${row.id}` },
      { head: W.stores.status, cell: (row) => <Badge of={row.isActive ? "active" : "off"} /> },
      {
        head: W.activations.license,
        cell: (row) => <a href={`${LICENSES}/${row.licenseId}`}>{`#${row.licenseId}`}</a>,
      },
      { head: W.activations.client, cell: (row) => row.clientName ?? W.common.none },
      { head: W.activations.since, cell: (row) => <Time at={row.activatedAt} /> },
      {
        head: W.common.actions,
        cell: (row) => (
          <Button
            action={`${ACTIVATIONS}/${row.id}/${row.isActive ? "deactivate" : "activate"}`}
            label={row.isActive ? W.store.off : W.store.on}
            danger={row.isActive}
            hidden={{ license: String(row.licenseId) }}
          />
        ),
      },
    ]}
  />
)

const Tries = ({ rows }: { rows: RefusedTry[] }) => (
  <Table
    label={W.tries.title}
    rows={rows}
    columns={[
      { head: W.tries.reason, cell: (row) => W.tries.reasons[row.reason] },
      { head: W.tries.count, num: true, cell: (row) => row.tries },
      { head: W.tries.last, cell: (row) => <Time at={row.lastAt} /> },
      { head: W.tries.attempt, cell: (row) => W.tries.attempts[row.attempt] },
      { head: W.tries.from, cell: (row) => [row.domain, row.ip].filter(Boolean).join(", ") || W.tries.nowhere },
      { head: W.tries.first, cell: (row) => <Time at={row.firstAt} /> },
    ]}
  />
)

async function keys(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { input } = readQuery(c, Paged)
  const rows = await listLicenseKeys(ctx, sliceOf(input))
  const scopes = [...SCOPES.external, ...SCOPES.internal]
  return page(c, {
    title: W.licenseKeys.title,
    state,
    children: (
      <>
        {rows.length === 0 ? (
          <Empty text={W.licenseKeys.empty} />
        ) : (
          <Table
            label={W.licenseKeys.title}
            rows={rows.slice(0, PER_PAGE)}
            columns={[
              { head: W.keys.name, cell: (row) => row.name },
              { head: W.sites.type, cell: (row) => row.type },
              {
                head: W.keys.state,
                cell: (row) => (
                  <Badge
                    of={row.revokedAt ? "revoked" : row.expiresAt && row.expiresAt <= ctx.now ? "expired" : "usable"}
                  />
                ),
              },
              { head: W.keys.expires, cell: (row) => <Time at={row.expiresAt} /> },
              { head: W.keys.last_used, cell: (row) => <Time at={row.lastUsedAt} /> },
              { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
              {
                head: W.common.actions,
                cell: (row) =>
                  !row.revokedAt && <Button action={`${KEYS}/${row.id}/revoke`} label={W.keys.revoke} danger />,
              },
            ]}
          />
        )}
        <Pager page={input.page} perPage={PER_PAGE} more={rows.length > PER_PAGE} />
        <Card title={W.keys.new} id="new" writes>
          <Form action={KEYS} submit={W.keys.create}>
            <Field name="name" required maxlength={120} />
            <Select name="type" choices={["external", "internal"]} />
            <Checks
              name="scopes"
              label={W.licenseKeys.scopes}
              choices={scopes.map((value) => ({ value, label: value }))}
            />
            <Field
              name="expires"
              label={W.keys.expires}
              type="date"
              value={later(ctx.now, 90 * DAY)
                .toISOString()
                .slice(0, 10)}
              hint={W.licenseKeys.expires_hint}
            />
          </Form>
        </Card>
      </>
    ),
  })
}

async function settings(c: Context<ConsoleEnv>, state?: FormState) {
  const now = (await saveSettings(c.var.ctx, {})) as Record<string, unknown>
  return page(c, {
    title: W.licenseSettings.title,
    state,
    children: (
      <div class="grid">
        <Card title={W.licenseSettings.title} id="settings">
          <Form
            action={SETTINGS}
            submit={W.common.save}
            instead={
              <Facts
                of={[
                  [W.licenseSettings.period, String(now.lm_requests_rate_limiting_period ?? "")],
                  [W.licenseSettings.method, String(now.lm_requests_rate_limiting_method ?? "")],
                  [W.licenseSettings.cipher, String(now.lm_license_encryption_cipher ?? "")],
                ]}
              />
            }
          >
            <Field
              name="lm_requests_rate_limiting_period"
              label={W.licenseSettings.period}
              type="number"
              min={1}
              required
              value={String(now.lm_requests_rate_limiting_period ?? "")}
            />
            <Select
              name="lm_requests_rate_limiting_method"
              label={W.licenseSettings.method}
              value={String(now.lm_requests_rate_limiting_method ?? "")}
              choices={["ip_address", "api_key", "api_key_ip_address"]}
            />
            <Select
              name="lm_license_encryption_cipher"
              label={W.licenseSettings.cipher}
              value={String(now.lm_license_encryption_cipher ?? "")}
              choices={CIPHER_NAMES.map((value) => ({ value, label: value }))}
            />
          </Form>
        </Card>
        <Card title={W.licenseSettings.keys} id="keys">
          <Facts
            of={[
              [W.licenseSettings.container, String(now.lm_license_encryption_key)],
              [W.licenseSettings.legacy, String(now.lm_legacy_encryption_key)],
            ]}
          />
          {now.lm_license_encryption_key === "0 set" && <p class="sub">{W.licenseSettings.derived}</p>}
          <Form action={`${SETTINGS}/keys`} submit={W.licenseSettings.add_key}>
            <Field
              name="lm_license_encryption_key"
              label={W.licenseSettings.container}
              type="password"
              hint={W.licenseSettings.container_hint}
            />
            <Field
              name="lm_legacy_encryption_key"
              label={W.licenseSettings.legacy}
              type="password"
              hint={W.licenseSettings.legacy_hint}
            />
          </Form>
        </Card>
      </div>
    ),
  })
}
