// Where licenses run: activations, each of which can be switched off and on again.
import { Hono } from "hono"
import { listActivations, switchActivation } from "../../license/activations/manage"
import { type Activation, ListActivations } from "../../license/activations/schemas"
import { act, param } from "../form-handler"
import { done, NOTHING } from "../forms"
import { Button, Filters, Pick } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Empty, Pager, Table, Time } from "../kit/parts"
import { ACTIVATIONS, LICENSES } from "../paths"
import { readQuery } from "../query-params"
import { sessionOnly } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

export const activations = new Hono<ConsoleEnv>()
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
  .post(`${ACTIVATIONS}/:id/:switch{activate|deactivate}`, sessionOnly, (c) => {
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

export const Activations = ({ rows }: { rows: Activation[] }) => (
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
