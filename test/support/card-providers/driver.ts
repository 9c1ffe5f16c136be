// What the billing tests need of a card provider: its messages in its own format, and a mock of its API.
import type { MockInstance } from "vitest"
import type { TestResponse } from "../app"

/** A message in the provider's format. */
export type ProviderMessage = object

interface SubscriptionParams {
  price?: string
  status?: "trialing" | "active" | "past_due"
  until?: number
  subscription?: string
  trialEnd?: number | null
}

interface InvoiceParams {
  /** What a coupon took off, in the smallest unit. */
  discount?: number
  id?: string
  amount?: number
  until?: number
  subscription?: string
}

interface DeliveryOptions {
  /** Signs with another secret. */
  secret?: string
  /** Signs at another time, in Unix seconds. */
  at?: number
  env?: Record<string, string>
}

/** The result of a request to cancel a subscription. */
export type CancellationOutcome = "unreachable" | "server_error" | "still_active" | "cancelled" | "unknown"

/** A mock of the provider's checkout API. */
interface CheckoutMock {
  fetch: MockInstance<typeof fetch>
  /** The created sessions, in order; a replayed request creates none. */
  requests: { customer: string | null; email: string | null }[]
  /** The discounts of the created sessions, as `<percent or amount>/<months>`. */
  discounts(): (string | null)[]
  /** Returns the ids of the sessions that can be paid. */
  open(): string[]
  /** Makes a session expire, or disappear. */
  expire(id: string): void
  remove(id: string): void
  /** Pays a session and returns the provider's message about it. */
  pay(id: string, subscription: string): ProviderMessage
}

/** `discount`: as `<percent or amount>/<months>`, null to remove it, undefined to keep it. */
interface RequestedPriceChange {
  price: string
  discount: string | null | undefined
}

/** A card provider in tests. Times are in Unix seconds. */
export interface CardProviderDriver {
  name: string
  /** Settings that configure it. */
  settings: Record<string, string>
  /** Registers a provider that production does not have; returns a function that removes it. */
  register(): () => void
  /** The stored form of one of its ids. */
  reference(id: string): string
  deliver(message: unknown, options?: DeliveryOptions): Promise<TestResponse>
  withId<Message extends ProviderMessage>(message: Message, id: string): Message
  /** A message that does not concern billing. */
  unrelatedMessage(created: number): ProviderMessage
  checkoutMessage(
    store: string,
    plan: string,
    created: number,
    subscription?: string,
    customer?: string,
    session?: { storeSeq?: string | number; startedAt?: number },
  ): ProviderMessage
  expiredCheckoutMessage(created: number, session: string): ProviderMessage
  subscriptionMessage(
    event: "created" | "updated" | "deleted",
    created: number,
    params?: SubscriptionParams,
  ): ProviderMessage
  invoiceMessage(
    event: "paid" | "payment_failed" | "payment_succeeded",
    created: number,
    params?: InvoiceParams,
  ): ProviderMessage
  mockCheckouts(): CheckoutMock
  /** Mocks changes of the price of the subscription `sub_1`; returns the list of the requested ones. */
  mockPriceChanges(until: number): RequestedPriceChange[]
  /** Mocks reads of prices; null for an unknown one, "down" for a provider that cannot be reached. */
  mockPrice(price: { amount: number; currency: string; interval: "month" | "year" } | null | "down"): void
  /** Mocks reads of subscriptions, null for an unknown one; returns the list of the requested ids. */
  mockSubscriptions(read: (id: string) => { status: "active" | "past_due"; until: number } | null): string[]
  /** Mocks cancellations with these outcomes, in order; returns the list of the requested ids. */
  mockCancellations(...outcomes: CancellationOutcome[]): string[]
}
