// Lists license activations and switches them on and off.
import type { Form } from "../../core/http/body"
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
          {rows.length === 0 ? (
            <EmptyState text={W.activations.empty} />
          ) : (
            <Activations rows={rows} hidden={{ query: new URL(c.req.url).search }} />
          )}
          <Pager page={input.page} pageSize={input.per_page} total={total} />
        </>
      ),
    })
  })
  .post(`${ACTIVATIONS}/:id/:switch{activate|deactivate}`, harmless("support"), (c) => {
    return formHandler(
      NoFields,
      async () => {
        await setActivationActive(c.var.ctx, pathParam(c, "id"), pathParam(c, "switch") === "activate")
        return withNotice(getPreviousPath(c.var.form), "saved")
      },
      async (_, state) => page(c, { title: W.activations.title, crumbs: [[W.activations.title, ACTIVATIONS]], state }),
    )(c)
  })

/** Returns the page that the form was on: a license, or the list with its filters. */
function getPreviousPath(form: Form): string {
  const license = form.get("license")?.at(-1) ?? ""
  if (/^\d+$/.test(license)) return `${LICENSES}/${license}`
  const query = new URLSearchParams(form.get("query")?.at(-1))
  for (const name of ["done", "subject"]) query.delete(name)
  return query.size ? `${ACTIVATIONS}?${query}` : ACTIVATIONS
}

interface ActivationsProps {
  rows: Activation[]
  /** Whether the page is that of their license, which no row needs to name. */
  isOfOneLicense?: boolean
  /** Fields of the form of each row. */
  hidden: Record<string, string>
}

export const Activations = ({ rows, isOfOneLicense = false, hidden }: ActivationsProps) => (
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
        hasActions: true,
        cell: (row) => (
          <ActionButton
            action={`${ACTIVATIONS}/${row.id}/${row.isActive ? "deactivate" : "activate"}`}
            label={row.isActive ? W.activations.deactivate : W.activations.activate}
            danger={row.isActive}
            hidden={hidden}
            about={row.domain ?? row.ip ?? `#${row.id}`}
          />
        ),
      },
    ]}
  />
)
