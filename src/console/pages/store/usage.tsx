import { storageSize } from "../../../lib/intl"
import { MEGABYTE } from "../../../lib/megabyte"
import { ActionButton } from "../../../page-kit/form"
import { Card, formatNumber, Time } from "../../../page-kit/parts"
import { Table } from "../../../page-kit/table"
import type { StoreDetail } from "../../../platform/stores/detail"
import { usageResource } from "../../../platform/usage/schemas"
import { STORES } from "../../paths"
import { W } from "../../strings"

/** The store's usage and the limits of its plan. */
export function Usage({ detail: { facts } }: { detail: StoreDetail }) {
  const { subscription, store } = facts
  const usage = usageResource(facts)
  const limits = subscription?.plan?.limits
  const megabytes = usage.storage_bytes / MEGABYTE
  const rows: [name: string, used: number, limit: number | undefined, usedText: string, limitText: string][] = [
    [
      W.store.products,
      usage.products,
      limits?.products,
      formatNumber(usage.products),
      formatNumber(limits?.products ?? 0),
    ],
    [W.store.orders, usage.orders, limits?.orders, formatNumber(usage.orders), formatNumber(limits?.orders ?? 0)],
    [
      W.store.storage,
      megabytes,
      limits?.storage_mb,
      storageSize(megabytes, "en"),
      storageSize(limits?.storage_mb ?? 0, "en"),
    ],
    [
      W.store.staff,
      usage.staff_users,
      limits?.staff_users,
      formatNumber(usage.staff_users),
      formatNumber(limits?.staff_users ?? 0),
    ],
  ]
  return (
    <Card title={W.store.usage} id="usage">
      <Table
        label={W.store.usage}
        rows={rows}
        columns={[
          { head: W.store.resource, cell: ([name]) => name },
          { head: W.store.used, isNumeric: true, cell: ([, , , usedText]) => usedText },
          {
            head: W.store.limit,
            isNumeric: true,
            cell: ([, , limit, , limitText]) => (limit ? limitText : W.store.unlimited),
          },
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
      <ActionButton action={`${STORES}/${store.id}/usage`} label={W.store.count_now} />
    </Card>
  )
}
