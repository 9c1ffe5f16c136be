// The interface of card providers. Everything outside a provider's own folder depends on this alone.
import type { Ctx } from "../../core/context"
import type { CardProviderName } from "../../db/schema/central/billing-providers"
import type { Settings } from "../../env"
import type { Message, MessageContent, ProviderPrice } from "./message"

/** The part of a request's context that a provider uses. */
export type ProviderCtx = Pick<Ctx, "settings" | "log" | "now">

/** A webhook request as it arrived. */
interface SignedRequest {
  headers: Headers
  /** The raw body, which the signature covers. */
  body: string
  receivedAt: Date
}

/** The parsed body of a webhook. */
export type WebhookContent =
  | { kind: "message"; message: Message }
  | { kind: "checkout_expired"; session: string }
  /** Does not concern billing. */
  | { kind: "ignored" }
  | { kind: "unreadable" }

/** A discount on the periods of a purchase. */
export interface PurchaseDiscount {
  /** The coupon's code. */
  code: string
  /** One of the two is null. */
  percentOff: number | null
  amountOff: number | null
  currency: string
  /** Periods that begin within this many months from now get the discount; null for all. */
  months: number | null
}

/** The parameters of a purchase. */
export interface Purchase {
  store: string
  /**
   * The store's incarnation (`stores.seq`), so a later store with the same id does not get what was paid for this one.
   */
  storeSeq: number
  plan: string
  price: string
  /** The provider's id of a known customer, or the email of a new one. */
  buyer: { customer: string } | { email: string }
  /** A coupon's discount; null for none. */
  discount: PurchaseDiscount | null
  /** End of the remaining trial, or of the period that is already paid; null to charge the card immediately. */
  trialEnd: Date | null
  /** Where the provider redirects the buyer afterwards. */
  returnUrl: string
}

/** A change of a subscription to another price. */
export interface PriceChange {
  price: string
  /** Replaces the subscription's discounts; null removes them, undefined leaves them as they are. */
  discount: PurchaseDiscount | null | undefined
}

/** A checkout session. */
export interface CheckoutSession {
  /** `unknown` may still be paid. */
  status: "open" | "complete" | "expired" | "unknown"
  /** The payment page, while the provider returns one. */
  url: string | null
  /** The content of the message about its payment; null unless it is complete and readable. */
  payment: MessageContent | null
}

/**
 * A card provider. Its methods take and return its own ids; references.ts makes them unique among all providers.
 *
 * Requests time out after ten seconds. Without a valid response they throw the Refusal `provider_unreachable`, and
 * without credentials `card_disabled`; `sendProviderRequest` does both.
 */
export interface CardProvider<Name extends CardProviderName = CardProviderName> {
  /** Its name in the database and the API, and the last segment of its webhook's path. */
  readonly name: Name
  /** Stores its ids without its name, as the first provider's were before there were others. */
  readonly hasPlainIds?: true

  /** Whether the settings contain its credentials. Otherwise it sells nothing and gets no requests. */
  isConfigured(settings: Settings): boolean

  /** Whether a webhook was signed by the provider, recently. False without the signature secret. */
  isSigned(settings: Settings, request: SignedRequest): Promise<boolean>

  /** @param body the parsed JSON of a signed webhook */
  parseWebhook(body: unknown): WebhookContent

  /**
   * Reads a price.
   * @returns null when the provider has none with that id, or one that is not charged monthly or yearly
   * @throws Refusal `card_disabled`, `provider_unreachable`
   */
  readPrice(ctx: ProviderCtx, id: string): Promise<ProviderPrice | null>

  /**
   * Creates a checkout session for a subscription.
   * @param idempotencyKey requests with the same key get the same session
   * @returns the session's id (null if the provider returns none) and the URL of its payment page
   * @throws Refusal `card_disabled`, `provider_unreachable`
   */
  createCheckout(
    ctx: ProviderCtx,
    purchase: Purchase,
    idempotencyKey: string,
  ): Promise<{ id: string | null; url: string }>

  /**
   * @param session `store`: the one that it was created for
   * @returns null when the provider has none with that id
   * @throws Refusal `card_disabled`, `provider_unreachable`
   */
  readCheckout(ctx: ProviderCtx, session: { id: string; store: string }): Promise<CheckoutSession | null>

  /**
   * Expires a checkout session so that it can no longer be paid.
   * @returns the current session, which may have been paid in the meantime; null when the provider has none with that
   * id
   * @throws Refusal `card_disabled`, `provider_unreachable`, also while it can still be paid
   */
  expireCheckout(ctx: ProviderCtx, session: { id: string; store: string }): Promise<CheckoutSession | null>

  /**
   * Creates a session of the portal, where customers change cards and plans, and cancel.
   * @returns the portal's URL
   * @throws Refusal `card_disabled`, `provider_unreachable`
   */
  createPortal(ctx: ProviderCtx, customer: string, returnUrl: string): Promise<string>

  /**
   * Fetches a subscription, as the content of a message about its current state. An unknown one has ended.
   * @throws Refusal `card_disabled`, `provider_unreachable`
   */
  readSubscription(ctx: ProviderCtx, id: string): Promise<MessageContent>

  /**
   * Changes a subscription to another price now. The provider charges or credits the difference for the rest of the
   * period immediately; during a trial there is none.
   * @param idempotencyKey requests with the same key change it once
   * @returns the content of a message about the new state
   * @throws Refusal `card_disabled`, `provider_unreachable`
   */
  changePrice(ctx: ProviderCtx, id: string, change: PriceChange, idempotencyKey: string): Promise<MessageContent>

  /**
   * Cancels a subscription immediately. An unknown or already cancelled one counts as cancelled.
   * @throws Refusal `card_disabled`, `provider_unreachable`
   */
  cancelSubscription(ctx: ProviderCtx, id: string): Promise<void>
}
