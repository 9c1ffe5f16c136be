// Compares a domain's DNS records with the expected ones. The store's page loads this table into itself.

import { Badge } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { type DnsRecordCheck, lookupDnsRecords } from "../../platform/domains/dns-records"
import { page } from "../kit/page"
import { createPages } from "../router"
import { W } from "../strings"

export const dns = createPages().get("/console/stores/:id/domains/:domain/dns", async (c) => {
  const id = c.req.param("id")
  const { domain, records } = await lookupDnsRecords(c.var.ctx, id, c.req.param("domain"))
  return page(c, {
    title: W.dns.title(domain.domain),
    crumbs: [
      [W.stores.title, "/console/stores"],
      [id, `/console/stores/${id}/domains`],
    ],
    children: (
      <div id={`dns-${domain.id}`}>
        <Table
          label={W.dns.title(domain.domain)}
          rows={records}
          columns={[
            {
              head: W.dns.record,
              cell: ({ type, name }) => (
                <>
                  {type} <code>{name}</code>
                </>
              ),
            },
            { head: W.stores.status, cell: renderRecordStatus },
            { head: W.dns.current, isLong: true, cell: renderRecords },
            { head: W.dns.expected, isLong: true, cell: ({ expected }) => expected && <code>{expected}</code> },
          ]}
        />
      </div>
    ),
  })
})

const renderRecords = ({ status, records }: DnsRecordCheck) =>
  records.length > 0 ? (
    records.map((record) => <code>{record}</code>)
  ) : (
    <span class="sub">{status === "ok" ? W.dns.empty : W.dns[status]}</span>
  )

function renderRecordStatus({ expected, status, records }: DnsRecordCheck) {
  if (status === "failed" || status === "unanswered") return <Badge status="unavailable" />
  if (expected === null) return records.length > 0 ? <Badge status="ok" text={W.dns.found} /> : null
  const isMatch = records.some((record) => record.trim() === expected)
  return isMatch ? (
    <Badge status="ok" text={W.dns.matches} />
  ) : (
    <Badge status="waiting" text={records.length > 0 ? W.dns.mismatch : W.dns.missing} />
  )
}
