// Late deliveries: for which endpoints, since when and why, and what to do.
import * as z from "zod"
import { queryNumber } from "../../core/http/validation"
import { Card, formatNumber, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import type { Cause } from "../../platform/system/causes"
import { diagnoseDeliveries, type LateEndpointReport } from "../../platform/system/doctor"
import { Identifier } from "../kit/identifier"
import { page } from "../kit/page"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"

const Filter = z.object({
  endpoint: queryNumber(Number.MAX_SAFE_INTEGER).optional(),
  store: z.string().max(63).optional(),
})

// lint: a new delivery database gets its first position when it is read
export const lateDeliveries = createPages().get("/console/system/late-deliveries", async (c) => {
  const { input } = parseQuery(c, Filter)
  const report = await diagnoseDeliveries(c.var.ctx, input)
  return page(c, {
    title: W.doctor.title,
    crumbs: [[W.system.title, "/console/system"]],
    children: (
      <>
        <p>{report.late ? W.doctor.late(report.endpoints.length) : W.doctor.none}</p>
        {report.causes.length > 0 && (
          <Card title={W.doctor.platform} id="causes">
            <Causes causes={report.causes} />
          </Card>
        )}
        {report.endpoints.map((endpoint) => (
          <EndpointCard endpoint={endpoint} />
        ))}
      </>
    ),
  })
})

const EndpointCard = ({ endpoint }: { endpoint: LateEndpointReport }) => (
  <Card title={W.doctor.endpoint(endpoint.endpoint)} id={`endpoint-${endpoint.endpoint}`}>
    <p>
      <a href={`/console/webhooks/${endpoint.endpoint}`}>{endpoint.url}</a>
      {": "}
      {W.doctor.due(endpoint.deliveries, formatNumber(endpoint.late_seconds))}{" "}
      <a href={`/console/deliveries/${endpoint.delivery}`}>{W.doctor.oldest}</a>
    </p>
    <Causes causes={endpoint.causes} />
  </Card>
)

const Causes = ({ causes }: { causes: Cause[] }) => (
  <Table
    label={W.doctor.causes}
    rows={causes}
    columns={[
      { head: W.doctor.cause, cell: ({ cause }) => <Identifier name={cause} /> },
      { head: W.system.since, cell: ({ since }) => since && <Time at={since} /> },
      { head: W.system.description, isLong: true, cell: ({ detail }) => detail },
      { head: W.doctor.action, isLong: true, cell: ({ action }) => action },
      { head: W.doctor.runbook, isLong: true, cell: ({ runbook }) => <code>{runbook}</code> },
    ]}
  />
)
