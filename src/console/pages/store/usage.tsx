import { MEGABYTE } from "../../../lib/megabyte"
import type { Around } from "../../../platform/stores/detail"
import { usageBlock } from "../../../platform/usage/schemas"
import { Button } from "../../kit/form"
import { bytes, Card, number, Table, Time } from "../../kit/parts"
import { STORES } from "../../paths"
import { W } from "../../strings"

/** What the store uses against the limits it bought. */
export function Usage({ around: { facts } }: { around: Around }) {
  const { subscription, store } = facts
  const usage = usageBlock(facts)
  const limits = subscription?.plan?.limits
  const megabytes = Math.ceil(usage.storage_bytes / MEGABYTE)
  const rows: [name: string, used: number, limit: number | undefined, shown: string, most: string][] = [
    [W.store.products, usage.products, limits?.products, number(usage.products), number(limits?.products ?? 0)],
    [W.store.orders, usage.orders, limits?.orders, number(usage.orders), number(limits?.orders ?? 0)],
    [W.store.storage, megabytes, limits?.storage_mb, bytes(usage.storage_bytes), W.store.mb(limits?.storage_mb ?? 0)],
    [
      W.store.staff,
      usage.staff_users,
      limits?.staff_users,
      number(usage.staff_users),
      number(limits?.staff_users ?? 0),
    ],
  ]
  return (
    <Card title={W.store.usage} id="usage">
      <Table
        label={W.store.usage}
        rows={rows}
        columns={[
          { head: W.store.what, cell: ([name]) => name },
          { head: W.store.used, num: true, cell: ([, , , shown]) => shown },
          { head: W.store.limit, num: true, cell: ([, , limit, , most]) => (limit ? most : W.store.unlimited) },
          {
            head: W.store.share,
            cell: ([name, used, limit]) =>
              limit ? (
                <meter
                  class="meter"
                  value={used}
                  max={limit}
                  low={limit * 0.8}
                  high={limit * 0.95}
                  optimum={0}
                  aria-label={name}
                />
              ) : (
                ""
              ),
          },
        ]}
      />
      <p class="sub">
        {W.store.counted} <Time at={usage.collected_at} />
      </p>
      <Button action={`${STORES}/${store.id}/usage`} label={W.store.count_now} />
    </Card>
  )
}
