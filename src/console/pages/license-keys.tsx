// API keys of the license API: created, listed and revoked.
import type { Context } from "hono"
import { rowId } from "../../core/http/row-id"
import { dryRun } from "../../core/write/commit"
import { addMs, DAY, isoDay } from "../../lib/time"
import { CreateLicenseKey, SCOPES } from "../../license/keys/schemas"
import { createLicenseKey, listLicenseKeys, revokeLicenseKey } from "../../license/keys/service"
import { Disclosure } from "../../page-kit/disclosure"
import { ActionButton, CheckboxGroup, Field, Form, Select } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, Day, EmptyState, Note, Pager, SecretValue, Time } from "../../page-kit/parts"
import { PAGE_SIZE, PageQuery, toSlice } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { recentPassword } from "../form-access"
import { formHandler, pathParam } from "../form-handler"
import { NoFields } from "../forms"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { REVOCATION } from "./keys"

const KEYS_PATH = "/console/license-keys"

export const licenseKeys = createPages()
  .get(KEYS_PATH, (c) => renderKeys(c))
  .post(
    KEYS_PATH,
    recentPassword("admin", "create a license API key"),
    formHandler(
      CreateLicenseKey,
      async (c, input) => {
        const { key, plaintext } = await createLicenseKey(c.var.ctx, input)
        return page(c, {
          title: W.keys.created,
          crumbs: [[W.licenseKeys.title, KEYS_PATH]],
          children: (
            <>
              <Note tone="warn">
                <p>{W.keys.created_body}</p>
              </Note>
              <Card title={key.name}>
                <SecretValue id="key" value={plaintext} label={W.keys.label} />
              </Card>
              <p>
                <a href={KEYS_PATH}>{W.keys.view_all}</a>
              </p>
            </>
          ),
        })
      },
      renderKeys,
    ),
  )
  .confirmed(`${KEYS_PATH}/:id/revoke`, {
    roles: ["admin"],
    password: "revoke a license API key",
    schema: NoFields,
    async preview(c) {
      const key = await dryRun(c.var.ctx, (dry) => revokeLicenseKey(dry, rowId(pathParam(c, "id"))))
      return {
        title: W.keys.revoke_title(key.name),
        crumbs: [[W.licenseKeys.title, KEYS_PATH]],
        back: KEYS_PATH,
        state: key.id,
        changes: [{ label: <code>{key.prefix}</code>, ...REVOCATION }],
        effects: [W.keys.revoke_confirm],
        submitLabel: W.keys.revoke,
      }
    },
    async run(c) {
      await revokeLicenseKey(c.var.ctx, rowId(pathParam(c, "id")))
      return withNotice(KEYS_PATH, "revoked")
    },
    renderForm: renderKeys,
  })

async function renderKeys(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { input } = parseQuery(c, PageQuery)
  const rows = await listLicenseKeys(ctx, toSlice(input))
  const scopes = [...SCOPES.external, ...SCOPES.internal]
  return page(c, {
    title: W.licenseKeys.title,
    state,
    children: (
      <>
        <Disclosure label={W.keys.new} id="new" action={KEYS_PATH}>
          <Form action={KEYS_PATH} submitLabel={W.keys.create}>
            <Field name="name" required maxlength={120} />
            <Select name="type" choices={["external", "internal"]} />
            <CheckboxGroup
              name="scopes"
              label={W.licenseKeys.scopes}
              choices={scopes.map((value) => ({ value, label: value }))}
            />
            <Field
              name="expires"
              label={W.keys.expires}
              type="date"
              value={isoDay(addMs(ctx.now, 90 * DAY))}
              hint={W.licenseKeys.expires_hint}
            />
          </Form>
        </Disclosure>
        {rows.length === 0 ? (
          <EmptyState text={W.licenseKeys.empty} />
        ) : (
          <Table
            label={W.licenseKeys.title}
            rows={rows.slice(0, PAGE_SIZE)}
            columns={[
              { head: W.keys.name, cell: (row) => row.name },
              { head: W.sites.type, cell: (row) => row.type },
              {
                head: W.keys.status,
                cell: (row) => (
                  <Badge
                    status={
                      row.revokedAt ? "revoked" : row.expiresAt && row.expiresAt <= ctx.now ? "expired" : "usable"
                    }
                  />
                ),
              },
              { head: W.keys.expires, cell: (row) => <Day at={row.expiresAt} /> },
              { head: W.keys.last_used, cell: (row) => <Time at={row.lastUsedAt} /> },
              { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
              {
                head: W.common.actions,
                hasActions: true,
                cell: (row) =>
                  !row.revokedAt && (
                    <ActionButton
                      action={`${KEYS_PATH}/${row.id}/revoke`}
                      label={W.keys.revoke}
                      about={row.name}
                      danger
                    />
                  ),
              },
            ]}
          />
        )}
        <Pager page={input.page} pageSize={PAGE_SIZE} hasMore={rows.length > PAGE_SIZE} />
      </>
    ),
  })
}
