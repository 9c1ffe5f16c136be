// Custom domains of all stores.

import { ExportLink } from "../../page-kit/export-link"
import { SelectFilter, TextFilter } from "../../page-kit/filters"
import { ActionButton } from "../../page-kit/form"
import { Badge, EmptyState, Pager, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { DOMAIN_STATES, DOMAINS_PAGE_SIZE, SearchDomains, searchDomains } from "../../platform/domains/search"
import { Filters } from "../kit/filters"
import { IncompleteResults } from "../kit/incomplete"
import { page } from "../kit/page"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"

export const domains = createPages().get("/console/domains", async (c) => {
  const { input } = parseQuery(c, SearchDomains)
  const { rows, more, scanned } = await searchDomains(c.var.ctx, input)
  return page(c, {
    title: W.store.domains,
    actions: <ExportLink path="/console/domains" />,
    children: (
      <>
        <Filters live="domains">
          <TextFilter name="q" label={W.domains.q} type="search" />
          <SelectFilter
            name="state"
            choices={DOMAIN_STATES.map((value) => ({ value, label: W.domains.states[value] }))}
          />
          <TextFilter name="store" />
        </Filters>
        <div id="domains">
          {rows.length === 0 ? (
            <EmptyState text={W.domains.empty} />
          ) : (
            <Table
              label={W.store.domains}
              rows={rows}
              hasColumnChoice
              columns={[
                { head: W.store.domain, cell: (row) => row.domain },
                {
                  head: W.stores.store,
                  cell: (row) => <a href={`/console/stores/${row.storeId}/domains`}>{row.storeId}</a>,
                },
                {
                  head: W.stores.status,
                  cell: (row) => (
                    <Badge
                      status={row.verifiedAt ? "verified" : "waiting"}
                      text={row.verifiedAt ? undefined : W.domains.states.unverified}
                    />
                  ),
                },
                { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
                { head: W.store.checked, cell: (row) => <Time at={row.checkedAt ?? row.verifiedAt} /> },
                {
                  head: W.common.actions,
                  hasActions: true,
                  cell: (row) =>
                    !row.verifiedAt && (
                      <ActionButton
                        action={`/console/stores/${row.storeId}/domains/${row.id}/verify`}
                        label={W.store.verify}
                      />
                    ),
                },
              ]}
            />
          )}
          <Pager page={input.page} pageSize={DOMAINS_PAGE_SIZE} hasMore={more} />
          <IncompleteResults scanned={scanned} />
        </div>
      </>
    ),
  })
})
