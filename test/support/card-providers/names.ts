// The name of the card provider that exists only in tests, which the API documents do not list.
export const TEST_PROVIDER_NAME = "acmepay"

const named = (name: string) => `"billing_provider":"${name}"`

/** Replaces the test provider in JSON by a listed one, so that the rest can be checked against the documents. */
export const withListedProvider = (json: string): string => json.replaceAll(named(TEST_PROVIDER_NAME), named("stripe"))
