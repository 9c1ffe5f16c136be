// Lists license activations and switches them on and off.
import { listActivations, setActivationActive } from "../../license/activations/manage"
import { type Activation, ListActivations } from "../../license/activations/schemas"
import { SelectFilter } from "../../page-kit/filters"
import { ActionButton } from "../../page-kit/form"
import { ActiveBadge, EmptyState, Pager, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { harmless } from "../form-access"
import { formHandler, pathParam } from "../form-handler"
import { NoFields } from "../forms"
import { Filters } from "../kit/filters"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { ACTIVATIONS, LICENSES } from "../paths"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"

export const activations = createPages()
  .get(ACTIVATIONS, async (c) => {
    const { input } = parseQuery(c, ListActivations)
    const { rows, total } = await listActivations(c.var.ctx, input)
    return page(c, {
      title: W.activations.title,
      children: (
        <>
          <Filters>
            <SelectFilter
              name="is_active"
              label={W.stores.status}
              choices={[
                { value: "true", label: W.common.active },
                { value: "false", label: W.common.inactive },
              ]}
            />
          </Filters>
          {rows.length === 0 ? <EmptyState text={W.activations.empty} /> : <Activations rows={rows} />}
          <Pager page={input.page} pageSize={input.per_page} total={total} />
        </>
      ),
    })
  })
  .post(`${ACTIVATIONS}/:id/:switch{activate|deactivate}`, harmless("support"), (c) => {
    const back = c.var.form.get("license")?.at(-1)
    return formHandler(
      NoFields,
      async () => {
        await setActivationActive(c.var.ctx, pathParam(c, "id"), pathParam(c, "switch") === "activate")
        return withNotice(back && /^\d+$/.test(back) ? `${LICENSES}/${back}` : ACTIVATIONS, "saved")
      },
      async (_, state) => page(c, { title: W.activations.title, crumbs: [[W.activations.title, ACTIVATIONS]], state }),
    )(c)
  })

/** @param isOfOneLicense whether the page is that of their license, which no row needs to name */
export const Activations = ({ rows, isOfOneLicense = false }: { rows: Activation[]; isOfOneLicense?: boolean }) => (
  <Table
    label={W.activations.title}
    rows={rows}
    hasColumnChoice={!isOfOneLicense}
    columns={[
      { head: W.activations.installation, cell: (row) => row.domain ?? row.ip ?? `#${row.id}` },
      {
        head: W.stores.status,
        cell: (row) => <ActiveBadge isActive={row.isActive} />,
      },
      ...(isOfOneLicense
        ? []
        : [
            {
              head: W.activations.license,
              cell: (row: Activation) => <a href={`${LICENSES}/${row.licenseId}`}>{`#${row.licenseId}`}</a>,
            },
          ]),
      { head: W.activations.client, cell: (row) => row.clientName ?? W.common.none },
      { head: W.activations.since, cell: (row) => <Time at={row.activatedAt} /> },
      {
        head: W.common.actions,
        cell: (row) => (
          <ActionButton
            action={`${ACTIVATIONS}/${row.id}/${row.isActive ? "deactivate" : "activate"}`}
            label={row.isActive ? W.activations.deactivate : W.activations.activate}
            danger={row.isActive}
            hidden={isOfOneLicense ? { license: String(row.licenseId) } : {}}
            about={row.domain ?? row.ip ?? `#${row.id}`}
          />
        ),
      },
    ]}
  />
)
