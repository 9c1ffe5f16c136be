import { isRoutable } from "../../../core/http/store-access"
import { domainResource } from "../../../platform/domains/schemas"
import type { Around } from "../../../platform/stores/detail"
import { Button, Field, Form } from "../../kit/form"
import { Badge, Card, Table, Time } from "../../kit/parts"
import { STORES } from "../../paths"
import { W } from "../../strings"

/** Domains with the records to set. */
export function Domains({ around, settings }: { around: Around; settings: Parameters<typeof domainResource>[0] }) {
  const { store } = around.facts
  const base = `${STORES}/${store.id}/domains`
  return (
    <Card title={W.store.domains} id="domains">
      <Table
        label={W.store.domains}
        rows={around.domains}
        columns={[
          { head: W.store.domain, cell: (row) => row.domain },
          {
            head: W.stores.status,
            cell: (row) => (
              <div class="row">
                <Badge of={isRoutable(row) ? "verified" : "waiting"} />
                {row.isPrimary && <span class="badge">{W.store.primary}</span>}
                {row.isFallback && <span class="badge">{W.store.fallback}</span>}
              </div>
            ),
          },
          {
            head: W.common.actions,
            cell: (row) => (
              <div class="row">
                {!isRoutable(row) && <Button action={`${base}/${row.id}/verify`} label={W.store.verify} />}
                {isRoutable(row) && !row.isPrimary && (
                  <Button action={`${base}/${row.id}/primary`} label={W.store.make_primary} />
                )}
                {!row.isFallback && !row.isPrimary && (
                  <Button action={`${base}/${row.id}/delete`} label={W.store.detach} danger />
                )}
              </div>
            ),
          },
          {
            head: W.store.records,
            long: true,
            cell: (row) => {
              const { verification } = domainResource(settings, row)
              if (!verification)
                return row.isFallback ? (
                  ""
                ) : (
                  <>
                    <Time at={row.verifiedAt} /> <a href={`${base}/${row.id}/dns`}>{W.dns.look}</a>
                  </>
                )
              return (
                <>
                  <p>
                    TXT <code>{verification.txt_name}</code> <code>{verification.txt_value}</code>
                  </p>
                  <p>
                    CNAME <code>{row.domain}</code> <code>{verification.cname_target}</code>
                  </p>
                  <p class="sub">
                    {W.store.asked} <Time at={row.checkedAt} />
                  </p>
                  <p id={`dns-${row.id}`} data-load={W.dns.asking}>
                    <a href={`${base}/${row.id}/dns`}>{W.dns.look}</a>
                  </p>
                </>
              )
            },
          },
        ]}
      />
      <Form action={base} submit={W.store.attach}>
        <Field name="domain" label={W.store.attach_label} required hint={W.store.attach_hint} />
      </Form>
    </Card>
  )
}
