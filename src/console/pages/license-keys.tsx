// Keys of the license manager: which there are, a new one, shown once, and the end of one.

import { type Context, Hono } from "hono"
import { rowId } from "../../core/http/row-id"
import { DAY, later } from "../../lib/time"
import { CreateLicenseKey, SCOPES } from "../../license/keys/schemas"
import { createLicenseKey, listLicenseKeys, revokeLicenseKey } from "../../license/keys/service"
import { act, param } from "../form-handler"
import { done, type FormState, NOTHING } from "../forms"
import { Button, Checks, Field, Form, Select } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card, Empty, Note, Pager, Secret, Table, Time } from "../kit/parts"
import { Paged, PER_PAGE, readQuery, sliceOf } from "../query-params"
import { recentPassword } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const KEYS = "/console/license-keys"

export const licenseKeys = new Hono<ConsoleEnv>()
  .get(KEYS, (c) => keys(c))
  .post(
    KEYS,
    recentPassword("creates a key of the license API"),
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
  .post(`${KEYS}/:id/revoke`, recentPassword("cuts off the holder of a key"), (c) =>
    act(
      NOTHING,
      async () => {
        await revokeLicenseKey(c.var.ctx, rowId(param(c, "id")))
        return done(KEYS, "revoked")
      },
      keys,
    )(c),
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
