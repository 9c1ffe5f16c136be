// Custom domains over all stores.
import { Hono } from "hono"
import { DOMAIN_STATES, DOMAINS_PAGE, SearchDomains, searchDomains } from "../../platform/domains/search"
import { Ask, Button, Filters, Pick } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Empty, LookedAmong, Pager, Table, Time } from "../kit/parts"
import { readQuery } from "../query-params"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

export const domains = new Hono<ConsoleEnv>().get("/console/domains", async (c) => {
  const { input } = readQuery(c, SearchDomains)
  const { rows, more, looked } = await searchDomains(c.var.ctx, input)
  return page(c, {
    title: W.store.domains,
    children: (
      <>
        <Filters live="domains">
          <Ask name="q" label={W.domains.q} type="search" />
          <Pick name="state" choices={DOMAIN_STATES.map((value) => ({ value, label: W.domains.states[value] }))} />
          <Ask name="store" />
        </Filters>
        <div id="domains">
          {rows.length === 0 ? (
            <Empty text={W.domains.empty} />
          ) : (
            <Table
              label={W.store.domains}
              rows={rows}
              columns={[
                { head: W.store.domain, cell: (row) => row.domain },
                {
                  head: W.stores.store,
                  cell: (row) => <a href={`/console/stores/${row.storeId}#domains`}>{row.storeId}</a>,
                },
                { head: W.stores.status, cell: (row) => <Badge of={row.verifiedAt ? "verified" : "waiting"} /> },
                { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
                { head: W.store.asked, cell: (row) => <Time at={row.checkedAt ?? row.verifiedAt} /> },
                {
                  head: W.common.actions,
                  cell: (row) =>
                    !row.verifiedAt && (
                      <Button
                        action={`/console/stores/${row.storeId}/domains/${row.id}/verify`}
                        label={W.store.verify}
                      />
                    ),
                },
              ]}
            />
          )}
          <Pager page={input.page} perPage={DOMAINS_PAGE} more={more} />
          <LookedAmong most={looked} />
        </div>
      </>
    ),
  })
})
