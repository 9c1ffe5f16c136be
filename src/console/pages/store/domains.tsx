import { isRoutable } from "../../../core/http/store-access"
import { Disclosure } from "../../../page-kit/disclosure"
import { ActionButton, Field, Form } from "../../../page-kit/form"
import { Badge, Card, Time } from "../../../page-kit/parts"
import { Table } from "../../../page-kit/table"
import { domainResource } from "../../../platform/domains/schemas"
import type { StoreDetail } from "../../../platform/stores/detail"
import { STORES } from "../../paths"
import { W } from "../../strings"

/** The store's domains with the DNS records to set. */
export function Domains({ detail, settings }: { detail: StoreDetail; settings: Parameters<typeof domainResource>[0] }) {
  const { store } = detail.facts
  const base = `${STORES}/${store.id}/domains`
  return (
    <Card title={W.store.domains} id="domains">
      <Table
        label={W.store.domains}
        rows={detail.domains}
        columns={[
          { head: W.store.domain, cell: (row) => row.domain },
          {
            head: W.stores.status,
            cell: (row) => (
              <div class="row">
                <Badge
                  status={isRoutable(row) ? "verified" : "waiting"}
                  text={isRoutable(row) ? undefined : W.domains.states.unverified}
                />
                {row.isPrimary && <span class="badge">{W.store.primary}</span>}
                {row.isFallback && <span class="badge">{W.store.fallback}</span>}
              </div>
            ),
          },
          {
            head: W.common.actions,
            cell: (row) => (
              <div class="row">
                {!isRoutable(row) && (
                  <ActionButton action={`${base}/${row.id}/verify`} label={W.store.verify} about={row.domain} />
                )}
                {isRoutable(row) && !row.isPrimary && (
                  <ActionButton action={`${base}/${row.id}/primary`} label={W.store.make_primary} about={row.domain} />
                )}
                {!row.isFallback && !row.isPrimary && (
                  <ActionButton
                    action={`${base}/${row.id}/delete`}
                    label={W.store.remove_domain}
                    about={row.domain}
                    danger
                  />
                )}
              </div>
            ),
          },
          {
            head: W.store.records,
            isLong: true,
            cell: (row) => {
              const { verification } = domainResource(settings, row)
              if (!verification)
                return row.isFallback ? (
                  ""
                ) : (
                  <>
                    <Time at={row.verifiedAt} /> <a href={`${base}/${row.id}/dns`}>{W.dns.check}</a>
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
                    {W.store.checked} <Time at={row.checkedAt} />
                  </p>
                  <p id={`dns-${row.id}`} data-load={W.dns.checking}>
                    <a href={`${base}/${row.id}/dns`}>{W.dns.check}</a>
                  </p>
                </>
              )
            },
          },
        ]}
      />
      <Disclosure label={W.store.add_domain} action={base}>
        <Form action={base} submitLabel={W.store.add_domain}>
          <Field name="domain" label={W.store.new_domain} required hint={W.store.new_domain_hint} />
        </Form>
      </Disclosure>
    </Card>
  )
}
