// The names of billing providers, as the database stores them and the API returns them. No other module spells the name
// of a card provider; they ask for the kind, or call the provider through `CardProvider`.

/** Who moves a subscription between its statuses: the platform's billing clock, or a card provider's messages. */
export type BillingKind = "local" | "card"

/**
 * The kind of each stored name. A card provider also has an entry in `CARD_PROVIDERS`
 * (src/platform/payments/providers.ts).
 */
export const BILLING_KINDS = { local: "local", stripe: "card" } as const satisfies Record<string, BillingKind>

/** The stored name of a billing provider; the platform itself is `local`. */
export type BillingProvider = keyof typeof BILLING_KINDS

/** The stored name of a card provider. */
export type CardProviderName = {
  [Name in BillingProvider]: (typeof BILLING_KINDS)[Name] extends "card" ? Name : never
}[BillingProvider]

export const BILLING_PROVIDERS = Object.keys(BILLING_KINDS) as [BillingProvider, ...BillingProvider[]]

export const CARD_PROVIDER_NAMES = BILLING_PROVIDERS.filter(
  (name): name is CardProviderName => BILLING_KINDS[name] === "card",
)

/** The values of `billing_provider` in the API; `none` for a store without a subscription. */
export const API_BILLING_PROVIDERS = [...CARD_PROVIDER_NAMES, "local", "none"] as const
