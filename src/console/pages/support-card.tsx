// Who of support was at a store, and the way there.
import type { SupportAccess } from "../../platform/support/schemas"
import { Button, Field, Form } from "../kit/form"
import { Badge, Card, Table, Time } from "../kit/parts"
import { useView } from "../kit/view"
import { W } from "../strings"

const standing = ({ usedAt, endsAt, endedAt }: SupportAccess, now: Date): keyof typeof W.support.states =>
  !usedAt ? "unused" : endedAt || (endsAt && endsAt <= now) ? "over" : "open"

export function Support({ store, rows }: { store: string; rows: SupportAccess[] }) {
  const { now } = useView()
  const base = `/console/stores/${store}/support`
  return (
    <Card title={W.support.title} id="support">
      {rows.length > 0 && (
        <Table
          label={W.support.title}
          rows={rows}
          columns={[
            { head: W.audit.who, cell: (row) => row.operatorName },
            { head: W.support.reason, long: true, cell: (row) => row.reason },
            { head: W.audit.when, cell: (row) => <Time at={row.usedAt ?? row.createdAt} /> },
            {
              head: W.stores.status,
              cell: (row) => {
                const state = standing(row, now)
                return <Badge of={state === "open" ? "waiting" : "off"} text={W.support.states[state]} />
              },
            },
            {
              head: W.common.actions,
              cell: (row) =>
                standing(row, now) === "open" && (
                  <Button action={`${base}/${row.id}/end`} label={W.support.end} danger />
                ),
            },
          ]}
        />
      )}
      <p>{W.support.hint}</p>
      <Form action={base} submit={W.support.open}>
        <Field name="reason" label={W.support.reason} required maxlength={500} scope="support" />
      </Form>
    </Card>
  )
}
