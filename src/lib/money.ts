// Limits of amounts of money.

/** Far above any price, and low enough that the total of the largest order is a safe integer. */
export const MAX_PRICE_CENTS = 9_999_999_999
