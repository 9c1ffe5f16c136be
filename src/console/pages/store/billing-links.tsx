// Links to a store's orders, invoices and payments.
import { W } from "../../strings"

const LISTS = [
  ["/console/orders", W.orders.title],
  ["/console/invoices", W.invoices.title],
  ["/console/payments", W.payments.title],
] as const

export const BillingLinks = ({ storeId }: { storeId: string }) => (
  <span class="row">
    {LISTS.map(([path, title]) => (
      <a href={`${path}?store=${encodeURIComponent(storeId)}`} aria-label={W.store.list_of(title, storeId)}>
        {title}
      </a>
    ))}
  </span>
)
