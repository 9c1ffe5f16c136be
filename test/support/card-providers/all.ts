// The card providers that the billing tests run for.
import { acmepay } from "./acmepay"
import type { CardProviderDriver } from "./driver"
import { stripe } from "./stripe"

export const CARD_PROVIDER_DRIVERS: readonly CardProviderDriver[] = [stripe, acmepay]
