// A shop's own webhook endpoints: the list, and the forms of an endpoint.
import * as z from "zod"
import {
  createOwnEndpoint,
  getEndpointLimit,
  listOwnEndpoints,
  readOwnEndpoint,
  removeOwnEndpoint,
  retryOwnDelivery,
  rotateOwnSecret,
  testOwnEndpoint,
  updateOwnEndpoint,
} from "../../content/webhooks/service"
import { invalid } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { shortText } from "../../core/http/validation"
import { Disclosure } from "../../page-kit/disclosure"
import { Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, EmptyState, Note, SecretValue, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { CreateStoreEndpointForm, UpdateStoreEndpointForm } from "../../webhooks/endpoints/form"
import { ListStoreEndpoints, RotateSecret, TestEndpoint } from "../../webhooks/endpoints/schemas"
import { type AdminContext, createAdminPages, requireRole } from "../access"
import { handleForm, NoFields, withNotice } from "../forms"
import { page } from "../page"
import { WEBHOOKS } from "../paths"
import { getEditorCtx } from "../session"
import { useT } from "../view"
import { EndpointFields, getEndpointPath, getEndpointState, renderEndpoint } from "./webhook-endpoint"

const ID = `${WEBHOOKS}/:id{[0-9]+}`

const idOf = (c: AdminContext) => rowId(c.req.param("id") ?? "")

/** The URL of the endpoint, which its deletion asks for. */
const DeleteEndpoint = z.object({ confirm: shortText(2_048) })

export const webhooks = createAdminPages()
  .get(WEBHOOKS, requireRole("admin"), (c) => renderEndpoints(c))
  .post(WEBHOOKS, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: CreateStoreEndpointForm,
      run: async (input) => {
        const { endpoint, secret } = await createOwnEndpoint(getEditorCtx(c), input)
        return renderSecret(c, endpoint, secret, c.var.strings.webhooks.secret_created)
      },
      render: (state) => renderEndpoints(c, state),
    }),
  )
  .get(ID, requireRole("admin"), (c) => renderEndpoint(c, idOf(c)))
  .get(`${ID}/:form{edit|test|rotate-secret}`, requireRole("admin"), (c) => c.redirect(getEndpointPath(idOf(c)), 303))
  .get(`${ID}/delete`, requireRole("admin"), (c) => renderDeletion(c))
  .post(`${ID}/edit`, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: UpdateStoreEndpointForm,
      isEdit: true,
      run: async (input, assertUnchanged) => {
        await updateOwnEndpoint(getEditorCtx(c), idOf(c), input, assertUnchanged)
        return withNotice(getEndpointPath(idOf(c)), "endpoint_saved")
      },
      render: (state) => renderEndpoint(c, idOf(c), { state }),
    }),
  )
  .post(`${ID}/test`, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: TestEndpoint,
      run: async ({ event }) =>
        renderEndpoint(c, idOf(c), { tested: await testOwnEndpoint(getEditorCtx(c), idOf(c), event) }),
      render: (state) => renderEndpoint(c, idOf(c), { state }),
    }),
  )
  .post(`${ID}/rotate-secret`, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: RotateSecret,
      run: async ({ grace_seconds }) => {
        const ctx = getEditorCtx(c)
        const secret = await rotateOwnSecret(ctx, idOf(c), grace_seconds ?? 0)
        return renderSecret(c, await readOwnEndpoint(ctx, idOf(c)), secret, c.var.strings.webhooks.secret_rotated)
      },
      render: (state) => renderEndpoint(c, idOf(c), { state }),
    }),
  )
  .post(`${ID}/delete`, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: DeleteEndpoint,
      isEdit: true,
      run: async ({ confirm }) => {
        const ctx = getEditorCtx(c)
        const { url } = await readOwnEndpoint(ctx, idOf(c))
        if (confirm.trim() !== url) throw invalid("confirm", "confirmed")
        await removeOwnEndpoint(ctx, idOf(c))
        return withNotice(WEBHOOKS, "endpoint_deleted")
      },
      render: (state) => renderDeletion(c, state),
    }),
  )
  .post(`${ID}/deliveries/:delivery{[0-9]+}/retry`, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await retryOwnDelivery(getEditorCtx(c), rowId(c.req.param("delivery")))
        return withNotice(getEndpointPath(idOf(c)), "delivery_retried")
      },
      render: (state) => renderEndpoint(c, idOf(c), { state }),
    }),
  )

async function renderEndpoints(c: AdminContext, state?: FormState) {
  const { webhooks: t } = c.var.strings
  const ctx = getEditorCtx(c)
  const { rows, total } = await listOwnEndpoints(ctx, ListStoreEndpoints.parse({ per_page: "100" }))
  return page(c, {
    title: t.title,
    state,
    children: (
      <>
        <p>
          {t.intro} <span class="sub">{t.used(total, getEndpointLimit(ctx))}</span>
        </p>
        {rows.length === 0 ? <EmptyState text={t.empty} /> : <Endpoints rows={rows} />}
        <Disclosure label={t.new} action={WEBHOOKS}>
          <Form action={WEBHOOKS} submitLabel={t.create}>
            <EndpointFields />
          </Form>
        </Disclosure>
      </>
    ),
  })
}

type Endpoint = Awaited<ReturnType<typeof readOwnEndpoint>>

function Endpoints({ rows }: { rows: readonly Endpoint[] }) {
  const { webhooks: t, kit } = useT()
  return (
    <Table
      label={t.title}
      rows={rows}
      columns={[
        {
          head: t.url,
          isLong: true,
          cell: ({ id, url, description }) => (
            <>
              <a href={getEndpointPath(id)}>{url}</a>
              {description && <div class="sub">{description}</div>}
            </>
          ),
        },
        {
          head: kit.fields.status ?? "",
          cell: (row) => <Badge status={getEndpointState(row)} text={t.states[getEndpointState(row)]} />,
        },
        { head: t.events, isLong: true, cell: ({ events }) => events.join(", ") },
        { head: t.last_success, cell: ({ lastSuccessAt }) => <Time at={lastSuccessAt} /> },
      ]}
    />
  )
}

/** Shows a signing secret, once. */
function renderSecret(c: AdminContext, { id, url }: Endpoint, secret: string, title: string) {
  const { webhooks: t } = c.var.strings
  return page(c, {
    title,
    crumbs: [[t.title, WEBHOOKS]],
    children: (
      <>
        <Note tone="warn">
          <p>{t.secret_body}</p>
        </Note>
        <Card title={url}>
          <SecretValue id="secret" value={secret} label={t.secret} />
        </Card>
        <p>
          <a href={getEndpointPath(id)}>{t.view_endpoint}</a>
        </p>
      </>
    ),
  })
}

async function renderDeletion(c: AdminContext, state?: FormState) {
  const { webhooks: t, common } = c.var.strings
  const { id, url } = await readOwnEndpoint(getEditorCtx(c), idOf(c))
  return page(c, {
    title: t.delete_title,
    crumbs: [
      [t.title, WEBHOOKS],
      [url, getEndpointPath(id)],
    ],
    state,
    children: (
      <Card>
        <p>{t.delete_body}</p>
        <Form action={`${getEndpointPath(id)}/delete`} submitLabel={t.delete} danger>
          <Field name="confirm" label={t.delete_type(url)} required maxlength={2_048} autocomplete="off" />
        </Form>
        <p>
          <a href={getEndpointPath(id)}>{common.back}</a>
        </p>
      </Card>
    ),
  })
}
