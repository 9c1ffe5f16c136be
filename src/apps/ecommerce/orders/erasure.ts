// Decides what an order loses with its customer's account, and when: a closed one at once, an open one when it is closed.
import { ERASED_USER_ID, GUEST_USER_ID, type OrderStatus } from "../tables"
import type { Order } from "./schemas"

/** The statuses of orders that are still to be sent, for which the shop needs the customer's address. */
export const OPEN_STATUSES = ["pending", "paid"] as const satisfies OrderStatus[]

/** An order without its customer: the amounts and items stay. */
export const WITHOUT_CUSTOMER = {
  userId: GUEST_USER_ID,
  attachedAt: null,
  customerName: null,
  customerEmail: null,
  customerPhone: null,
  locale: null,
  shippingAddress: null,
  note: null,
  staffNote: null,
  tracking: null,
  network: null,
} as const satisfies Partial<Order>

/** What an order loses with a change of its status, if its customer has deleted the account in the meantime. */
export const eraseWhenClosed = (
  { userId }: Pick<Order, "userId">,
  to: OrderStatus,
): Partial<typeof WITHOUT_CUSTOMER> =>
  userId === ERASED_USER_ID && !OPEN_STATUSES.some((status) => status === to) ? WITHOUT_CUSTOMER : {}
