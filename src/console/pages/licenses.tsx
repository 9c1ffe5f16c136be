// Licenses: who may run what, where they are used, which tries were refused, and files that hold without a connection.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { text } from "../../core/http/validation"
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
import { OfflineFile, signFile } from "../../license/offline/file"
import { type RefusedTry, readWithTries } from "../../license/rejections/service"
import { act, param } from "../form-handler"
import { blank, change, done, type FormState, NOTHING } from "../forms"
import { Area, Ask, Button, Field, Filters, Form } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card, Empty, Facts, Pager, Table, Time } from "../kit/parts"
import { LICENSES, PRODUCTS } from "../paths"
import { Paged, PER_PAGE, readQuery } from "../query-params"
import { recentPassword, sessionOnly } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { Activations } from "./activations"

const Confirmed = z.object({ confirm: z.string() })

/** The API makes another type of an emptied one; who edits is told that it has one. */
const EditLicense = UpdateLicense.extend({ type: text({ max: 50 }).optional() })

export const licenses = new Hono<ConsoleEnv>()
  .get(LICENSES, (c) => list(c))
  .post(
    LICENSES,
    sessionOnly,
    act(
      CreateLicense,
      async (c, input) => done(`${LICENSES}/${(await createLicense(c.var.ctx, input)).license.id}`, "created"),
      list,
    ),
  )
  .get(`${LICENSES}/:id`, (c) => one(c))
  .post(
    `${LICENSES}/:id/edit`,
    sessionOnly,
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
  .post(`${LICENSES}/:id/:switch{block|unblock}`, sessionOnly, (c) =>
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
    recentPassword("deletes a license with its activations"),
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
    recentPassword("signs a file that cannot be revoked"),
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

const mismatch = (c: Context<ConsoleEnv>) =>
  one(c, { status: 422, values: c.var.form, errors: { confirm: [W.refusals.confirm_mismatch] } })

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
