// The card of a store's page with its support sessions and the form for a new one.

import { Disclosure } from "../../page-kit/disclosure"
import { ActionButton, Field, Form } from "../../page-kit/form"
import { Badge, Card, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { useView } from "../../page-kit/view"
import type { SupportAccess } from "../../platform/support/schemas"
import { W } from "../strings"

const getAccessState = ({ usedAt, endsAt, endedAt }: SupportAccess, now: Date): keyof typeof W.support.states =>
  !usedAt ? "unused" : endedAt || (endsAt && endsAt <= now) ? "over" : "open"

export function SupportCard({ store, rows }: { store: string; rows: SupportAccess[] }) {
  const { now } = useView()
  const base = `/console/stores/${store}/support`
  return (
    <Card title={W.support.title} id="support">
      {rows.length > 0 && (
        <Table
          label={W.support.title}
          rows={rows}
          columns={[
            { head: W.audit.actor, cell: (row) => row.operatorName },
            { head: W.support.reason, isLong: true, cell: (row) => row.reason },
            { head: W.audit.when, cell: (row) => <Time at={row.usedAt ?? row.createdAt} /> },
            {
              head: W.stores.status,
              cell: (row) => {
                const state = getAccessState(row, now)
                return <Badge status={state === "open" ? "waiting" : "off"} text={W.support.states[state]} />
              },
            },
            {
              head: W.common.actions,
              hasActions: true,
              cell: (row) =>
                getAccessState(row, now) === "open" && (
                  <ActionButton action={`${base}/${row.id}/end`} label={W.support.end} danger />
                ),
            },
          ]}
        />
      )}
      <p>{W.support.hint}</p>
      <Disclosure label={W.support.create} action={base}>
        <Form action={base} submitLabel={W.support.create}>
          <Field name="reason" label={W.support.reason} required maxlength={500} idPrefix="support" />
        </Form>
      </Disclosure>
    </Card>
  )
}
