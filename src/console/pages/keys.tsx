// API keys of the control plane: created, listed and revoked.
import type { Context } from "hono"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { queryNumber } from "../../core/http/validation"
import type { ApiKey } from "../../db/schema/central/keys"
import { addMs, DAY, isoDay } from "../../lib/time"
import { formatDay } from "../../lib/time-zone"
import { Disclosure } from "../../page-kit/disclosure"
import { ActionButton, CheckboxGroup, Field, Form, Select } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, EmptyState, Note, Pager, SecretValue, Time } from "../../page-kit/parts"
import { PAGE_SIZE, PageQuery, toSlice } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { CreateKey, KeyResource, keyResource } from "../../platform/keys/schemas"
import { createKey, listKeys, revokeKey } from "../../platform/keys/service"
import { recentPassword } from "../form-access"
import { pathParam } from "../form-handler"
import { handleForm, NoFields } from "../forms"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { STORES } from "../paths"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/keys"

/** The change of a key's status, on the confirmation page. */
export const REVOCATION = {
  before: <Badge status="usable" text={W.keys.states.usable} />,
  after: <Badge status="revoked" text={W.keys.states.revoked} />,
}

/** The scopes of everything, then those of each resource. */
const SCOPE_CHOICES = KeyResource.shape.scopes.element.options.map((scope) => {
  if (scope === "read" || scope === "write") return { value: scope, label: W.keys[scope] }
  const [resource, action] = scope.split(":") as [keyof typeof W.keys.resources, keyof typeof W.keys.resource]
  return { value: scope, label: `${W.keys.resources[resource]}: ${W.keys.resource[action]}` }
})

/** Choices for a new key; the first is the default. */
const LIFETIMES_DAYS = [90, 30, 180, 365]

export const keys = createPages()
  .get(PATH, (c) => renderKeys(c))
  .post(PATH, recentPassword("admin", "create an API key"), (c) =>
    handleForm(
      c,
      CreateKey,
      async (input) => {
        const { key, plaintext } = await createKey(c.var.ctx, input)
        return renderCreatedKey(c, key, plaintext)
      },
      (state) => renderKeys(c, state),
    ),
  )
  .confirmed(`${PATH}/:id/revoke`, {
    roles: ["admin"],
    password: "revoke an API key",
    schema: NoFields,
    async preview(c) {
      const [key] = await listKeys(c.var.ctx, { id: rowId(pathParam(c, "id")) })
      if (!key) throw new Refusal("not_found")
      return {
        title: W.keys.revoke_title(key.name),
        crumbs: [[W.keys.title, PATH]],
        back: PATH,
        state: [key.id, key.revokedAt?.getTime() ?? null],
        changes: [{ label: <code>{key.keyPrefix}</code>, ...REVOCATION }],
        effects: [W.keys.revoke_confirm],
        submitLabel: W.keys.revoke,
      }
    },
    async run(c) {
      await revokeKey(c.var.ctx, rowId(pathParam(c, "id")))
      return withNotice(PATH, "revoked")
    },
    renderForm: renderKeys,
  })

const KeyQuery = PageQuery.extend({ expires_within: queryNumber(3650).optional(), id: queryNumber(2 ** 31).optional() })

async function renderKeys(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { input } = parseQuery(c, KeyQuery)
  const rows = await listKeys(ctx, { within: input.expires_within, id: input.id }, toSlice(input))
  return page(c, {
    title: W.keys.title,
    crumbs: [],
    state,
    children: (
      <>
        <CreateKeyForm now={ctx.now} />
        {rows.length === 0 ? (
          <EmptyState text={W.keys.empty} />
        ) : (
          <div class="dense">
            <KeyTable rows={rows.slice(0, PAGE_SIZE)} now={ctx.now} />
          </div>
        )}
        <Pager page={input.page} pageSize={PAGE_SIZE} hasMore={rows.length > PAGE_SIZE} />
      </>
    ),
  })
}

function KeyTable({ rows, now }: { rows: ApiKey[]; now: Date }) {
  const stateOf = (key: ApiKey) => (key.revokedAt ? "revoked" : keyResource(key, now).is_usable ? "usable" : "expired")
  return (
    <Table
      label={W.keys.title}
      rows={rows}
      columns={[
        { head: W.keys.name, cell: (key) => <span id={`key-${key.id}`}>{key.name}</span> },
        { head: W.keys.prefix, cell: (key) => <code>{key.keyPrefix}</code> },
        { head: W.keys.scopes, isLong: true, cell: (key) => key.scopes.join(", ") },
        {
          head: W.keys.stores,
          isLong: true,
          cell: (key) =>
            key.storeIds === null
              ? W.keys.all_stores
              : key.storeIds.map((id, index) => (
                  <>
                    {index > 0 && ", "}
                    <a href={`${STORES}/${id}`}>{id}</a>
                  </>
                )),
        },
        { head: W.keys.status, cell: (key) => <Badge status={stateOf(key)} text={W.keys.states[stateOf(key)]} /> },
        { head: W.keys.expires, cell: (key) => <Time at={key.expiresAt} /> },
        {
          head: W.keys.last_used,
          cell: (key) => (
            <>
              <Time at={key.lastUsedAt} /> {key.lastUsedFrom && <span class="sub">{key.lastUsedFrom}</span>}
            </>
          ),
        },
        {
          head: W.common.created,
          cell: (key) => (
            <>
              <Time at={key.createdAt} /> <span class="sub">{`${W.common.by} ${key.createdByName}`}</span>
            </>
          ),
        },
        {
          head: W.common.actions,
          hasActions: true,
          cell: (key) =>
            stateOf(key) === "usable" && (
              <ActionButton
                action={`${PATH}/${key.id}/revoke`}
                label={W.keys.revoke}
                about={key.name}
                danger
                title={W.keys.revoke_confirm}
              />
            ),
        },
      ]}
    />
  )
}

function CreateKeyForm({ now }: { now: Date }) {
  const lifetimes = LIFETIMES_DAYS.map((days) => ({
    value: isoDay(addMs(now, days * DAY)),
    label: `${W.keys.in_days(days)}, ${formatDay(addMs(now, days * DAY))}`,
  }))
  return (
    <Disclosure label={W.keys.new} id="new" action={PATH}>
      <Form action={PATH} submitLabel={W.keys.create}>
        <Field name="name" hint={W.keys.name_hint} required maxlength={120} />
        <CheckboxGroup name="scopes" label={W.keys.scopes} chosen={[]} choices={SCOPE_CHOICES} />
        <Field name="store_ids" label={W.keys.store_ids} hint={W.keys.store_ids_hint} />
        <Select
          name="expires"
          label={W.keys.expires}
          choices={[...lifetimes, { value: "", label: W.keys.never_expires }]}
        />
      </Form>
    </Disclosure>
  )
}

const renderCreatedKey = (c: Context<ConsoleEnv>, key: ApiKey, plaintext: string) =>
  page(c, {
    title: W.keys.created,
    crumbs: [[W.keys.title, PATH]],
    children: (
      <>
        <Note tone="warn">
          <p>{W.keys.created_body}</p>
        </Note>
        <Card title={key.name}>
          <SecretValue id="key" value={plaintext} label={W.keys.label} />
          <p>
            {W.keys.expires}: <Time at={key.expiresAt} />
          </p>
        </Card>
        <p>
          <a href={PATH}>{W.keys.view_all}</a>
        </p>
      </>
    ),
  })
