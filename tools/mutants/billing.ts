// Mutants of subscriptions, cancellations, orders, discounts and taxes.
import type { Mutant } from "./mutant.ts"

export const BILLING: readonly Mutant[] = [
  {
    name: "clock-cancels-a-card-subscription",
    file: "src/platform/subscriptions/next-step.ts",
    find: ' && getBillingKind(provider) === "local") {',
    replace: ") {",
    tests: ["test/platform/cancellations.test.ts", "test/platform/clock.test.ts"],
  },
  {
    name: "trial-ends-a-moment-late",
    file: "src/platform/subscriptions/next-step.ts",
    find: "if (end <= now) {",
    replace: "if (end < now) {",
    tests: ["test/platform/clock.test.ts"],
  },
  {
    name: "active-subscription-is-reactivated",
    file: "src/platform/subscriptions/rules.ts",
    find: "reactivate: { trialing: false, active: false,",
    replace: "reactivate: { trialing: false, active: true,",
    tests: ["test/platform/subscriptions.test.ts"],
  },
  {
    name: "payment-opens-a-store-that-an-operator-closed",
    file: "src/platform/subscriptions/rules.ts",
    find: 'operatorSuspendedAt ? "suspended" : "ready"',
    replace: '"ready"',
    tests: ["test/platform/orders.test.ts", "test/platform/provider.test.ts"],
  },
  {
    name: "withdrawn-order-is-approved",
    file: "src/platform/orders/service.ts",
    find: "and(isOrderPending(order), isPlanUnchanged(plan))",
    replace: "isPlanUnchanged(plan)",
    tests: ["test/platform/orders.test.ts"],
  },
  {
    name: "renewal-discards-paid-days",
    file: "src/platform/orders/rules.ts",
    find: "end && end > now ? getPeriodEnd(order.interval, end) : newPeriodEnd",
    replace: "end && end > now ? newPeriodEnd : newPeriodEnd",
    tests: ["test/platform/orders.test.ts"],
  },
  {
    name: "order-is-withdrawn-by-another-store",
    file: "src/platform/orders/service.ts",
    find: 'if (facts?.store.id !== storeId) throw new Refusal("not_found")',
    replace: "",
    tests: ["test/platform/orders.test.ts"],
  },
  {
    name: "invoice-is-credited-beyond-its-amount",
    file: "src/platform/invoices/service.ts",
    find: "sql`where ${isUnchanged}`",
    replace: "sql`where ${isUnchanged} is not null`",
    tests: ["test/platform/invoices.test.ts"],
  },
  {
    name: "discount-applies-to-one-period-too-many",
    file: "src/platform/coupons/discounts.ts",
    find: "from < new Date(discount.ends_at)",
    replace: "from <= new Date(discount.ends_at)",
    tests: ["test/platform/discounts.test.ts"],
  },
  {
    name: "card-invoice-starts-no-months",
    file: "src/platform/payments/receive.ts",
    find: "newPayments.length ? applyCardDiscount(facts, projection, findPlanByPrice) : facts",
    replace: "newPayments.length ? facts : facts",
    tests: ["test/platform/discounts.test.ts"],
  },
  {
    name: "earlier-price-of-a-plan-is-unknown",
    file: "src/platform/payments/projection.ts",
    find: "findPlanByPrice(price) ?? earlier.get(price)",
    replace: "findPlanByPrice(price)",
    tests: ["test/platform/provider.test.ts"],
  },
  {
    name: "reverse-charge-applies-in-the-seller-country",
    file: "src/platform/tax/rules.ts",
    find: "EU.has(seller) && buyer.country !== seller &&",
    replace: "EU.has(seller) &&",
    tests: ["test/platform/invoices.test.ts"],
  },
]
