// The registry of card providers.
import type { CardProviderName } from "../../db/schema/central/billing-providers"
import type { Settings } from "../../env"
import type { CardProvider } from "./provider"
import { stripe } from "./stripe/provider"

/** Every card provider by its stored name. */
export const CARD_PROVIDERS: { readonly [Name in CardProviderName]: CardProvider<Name> } = { stripe }

/** Lists the card providers whose credentials are set. */
export const listConfiguredProviders = (settings: Settings): CardProvider[] =>
  Object.values(CARD_PROVIDERS).filter((provider) => provider.isConfigured(settings))

/** Returns the card provider that new checkouts use: the first that is configured; null if there is none. */
export const findCheckoutProvider = (settings: Settings): CardProvider | null =>
  listConfiguredProviders(settings)[0] ?? null
