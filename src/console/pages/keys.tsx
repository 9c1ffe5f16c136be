// The platform's API keys: issued, listed and revoked.

import { type Context, Hono } from "hono"
import { rowId } from "../../core/http/row-id"
import { queryNumber } from "../../core/http/validation"
import type { ApiKey } from "../../db/schema/central/keys"
import { DAY, later } from "../../lib/time"
import { CreateKey, keyResource } from "../../platform/keys/schemas"
import { createKey, listKeys, revokeKey } from "../../platform/keys/service"
import { done, type FormState, NOTHING, submit } from "../forms"
import { Button, Checks, Field, Form, Select } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card, Empty, Note, Pager, Secret, Table, Time } from "../kit/parts"
import { Paged, PER_PAGE, readQuery, sliceOf } from "../query-params"
import { recentPassword } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/keys"

/** Days until a new key expires, to choose from; the first is preselected. */
const LIFETIMES = [90, 30, 180, 365]

export const keys = new Hono<ConsoleEnv>()
  .get(PATH, (c) => list(c))
  .post(PATH, recentPassword("creates an API key"), (c) =>
    submit(
      c,
      CreateKey,
      async (input) => {
        const { key, plaintext } = await createKey(c.var.ctx, input)
        return born(c, key, plaintext)
      },
      (state) => list(c, state),
    ),
  )
  .post(`${PATH}/:id/revoke`, recentPassword("cuts off the holder of an API key"), (c) =>
    submit(
      c,
      NOTHING,
      async () => {
        await revokeKey(c.var.ctx, rowId(c.req.param("id")))
        return done(PATH, "revoked")
      },
      (state) => list(c, state),
    ),
  )

const Listed = Paged.extend({ expires_within: queryNumber(3650).optional(), id: queryNumber(2 ** 31).optional() })

async function list(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { input } = readQuery(c, Listed)
  const rows = await listKeys(ctx, { within: input.expires_within, id: input.id }, sliceOf(input))
  return page(c, {
    title: W.keys.title,
    crumbs: [],
    state,
    children: (
      <>
        {rows.length === 0 ? <Empty text={W.keys.empty} /> : <Keys rows={rows.slice(0, PER_PAGE)} now={ctx.now} />}
        <Pager page={input.page} perPage={PER_PAGE} more={rows.length > PER_PAGE} />
        <Create now={ctx.now} />
      </>
    ),
  })
}

function Keys({ rows, now }: { rows: ApiKey[]; now: Date }) {
  const stateOf = (key: ApiKey) => (key.revokedAt ? "revoked" : keyResource(key, now).is_usable ? "usable" : "expired")
  return (
    <Table
      label={W.keys.title}
      rows={rows}
      columns={[
        { head: W.keys.name, cell: (key) => <span id={`key-${key.id}`}>{key.name}</span> },
        { head: W.keys.prefix, cell: (key) => <code>{key.keyPrefix}</code> },
        { head: W.keys.scopes, cell: (key) => key.scopes.join(", ") },
        { head: W.keys.state, cell: (key) => <Badge of={stateOf(key)} /> },
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
          cell: (key) =>
            stateOf(key) === "usable" && (
              <Button action={`${PATH}/${key.id}/revoke`} label={W.keys.revoke} danger title={W.keys.revoke_confirm} />
            ),
        },
      ]}
    />
  )
}

function Create({ now }: { now: Date }) {
  const lifetimes = LIFETIMES.map((days) => ({
    value: later(now, days * DAY)
      .toISOString()
      .slice(0, 10),
    label: `${W.keys.in_days(days)}, ${later(now, days * DAY)
      .toISOString()
      .slice(0, 10)}`,
  }))
  return (
    <Card title={W.keys.new} id="new" writes>
      <Form action={PATH} submit={W.keys.create}>
        <Field name="name" hint={W.keys.name_hint} required maxlength={120} />
        <Checks
          name="scopes"
          label={W.keys.scopes}
          chosen={["read"]}
          choices={[
            { value: "read", label: W.keys.read },
            { value: "write", label: W.keys.write },
          ]}
        />
        <Select
          name="expires"
          label={W.keys.expires}
          choices={[...lifetimes, { value: "", label: W.keys.never_expires }]}
        />
      </Form>
    </Card>
  )
}

const born = (c: Context<ConsoleEnv>, key: ApiKey, plaintext: string) =>
  page(c, {
    title: W.keys.shown_title,
    crumbs: [[W.keys.title, PATH]],
    children: (
      <>
        <Note tone="warn">
          <p>{W.keys.shown_body}</p>
        </Note>
        <Card title={key.name}>
          <Secret id="key" value={plaintext} label={W.keys.shown_label} />
          <p>
            {W.keys.expires}: <Time at={key.expiresAt} />
          </p>
        </Card>
        <p>
          <a href={PATH}>{W.keys.to_list}</a>
        </p>
      </>
    ),
  })
