// What DNS answers about a domain, beside what it should. The store's page shows the same as soon as it is there.
import { Hono } from "hono"
import { type DnsAnswer, dnsAnswers } from "../../platform/domains/response-schemas"
import { page } from "../kit/page"
import { Badge, Table } from "../kit/parts"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

export const dns = new Hono<ConsoleEnv>().get("/console/stores/:id/domains/:domain/dns", async (c) => {
  const id = c.req.param("id")
  const { domain, answers } = await dnsAnswers(c.var.ctx, id, c.req.param("domain"))
  return page(c, {
    title: W.dns.title(domain.domain),
    crumbs: [
      [W.stores.title, "/console/stores"],
      [id, `/console/stores/${id}#domains`],
    ],
    children: (
      <div id={`dns-${domain.id}`}>
        <Table
          label={W.dns.title(domain.domain)}
          rows={answers}
          columns={[
            {
              head: W.dns.question,
              cell: ({ type, name }) => (
                <>
                  {type} <code>{name}</code>
                </>
              ),
            },
            { head: W.stores.status, cell: verdict },
            { head: W.dns.answer, long: true, cell: said },
            { head: W.dns.wanted, long: true, cell: ({ wanted }) => wanted && <code>{wanted}</code> },
          ]}
        />
      </div>
    ),
  })
})

const said = ({ status, records }: DnsAnswer) =>
  records.length > 0 ? (
    records.map((record) => <code>{record}</code>)
  ) : (
    <span class="sub">{status === "ok" ? W.dns.empty : W.dns[status]}</span>
  )

function verdict({ wanted, status, records }: DnsAnswer) {
  if (status === "failed" || status === "unanswered") return <Badge of="unavailable" />
  if (wanted === null) return records.length > 0 ? <Badge of="ok" text={W.dns.answers} /> : null
  const found = records.some((record) => record.trim() === wanted)
  return found ? <Badge of="ok" /> : <Badge of="waiting" text={records.length > 0 ? W.dns.other : W.dns.missing} />
}
