// Mutants of the license rules: activation limits, expiry, domains, addresses, products and updates.
import type { Mutant } from "./mutant.ts"

export const LICENSES: readonly Mutant[] = [
  {
    name: "activation-exceeds-the-limit-by-one",
    file: "src/license/rules/activate.ts",
    find: "activeUses >= license.parallelUses",
    replace: "activeUses > license.parallelUses",
    tests: ["test/license/rules.test.ts"],
  },
  {
    name: "concurrent-activations-exceed-the-limit",
    file: "src/license/activations/service.ts",
    find: "${licenses.activeUses} < ${licenses.parallelUses})",
    replace: "${licenses.activeUses} is not null)",
    tests: ["test/license/external.test.ts"],
    reason: "Each activation changes the revision, which the same condition compares.",
  },
  {
    name: "license-expires-a-moment-early",
    file: "src/license/rules/facts.ts",
    find: "license.expiresAt < now",
    replace: "license.expiresAt <= now",
    tests: ["test/license/rules.test.ts"],
  },
  {
    name: "blocked-license-is-activated",
    file: "src/license/rules/activate.ts",
    find: 'if (!license.isValid) return refuse("blocked", "license_blocked")',
    replace: "",
    tests: ["test/license/rules.test.ts"],
  },
  {
    name: "license-of-another-product-is-activated",
    file: "src/license/rules/activate.ts",
    find: 'if (license.productId !== product.id) return refuse("other_product", "license_code_invalid")',
    replace: "",
    tests: ["test/license/rules.test.ts"],
  },
  {
    name: "license-verifies-at-another-domain",
    file: "src/license/rules/verify.ts",
    find: "if (activation.domain !== request.domain || !isDomainAllowed",
    replace: "if (!isDomainAllowed",
    tests: ["test/license/rules.test.ts"],
  },
  {
    name: "wildcard-allows-a-domain-with-the-same-ending",
    file: "src/license/rules/domains.ts",
    find: "domain.endsWith(host.slice(1))",
    replace: "domain.endsWith(host.slice(2))",
    tests: ["test/license/rules.test.ts", "test/license/installation-keys.test.ts"],
  },
  {
    name: "license-verifies-for-an-inactive-product",
    file: "src/license/rules/verify.ts",
    find: 'if (!product.isActive) return "product_inactive"',
    replace: "",
    tests: ["test/license/rules.test.ts"],
  },
  {
    name: "update-period-is-ignored",
    file: "src/license/rules/download.ts",
    find: 'return coversVersion(input) ? null : "updates_ended"',
    replace: "return coversVersion(input) ? null : null",
    tests: ["test/license/rules.test.ts"],
  },
  {
    name: "unreleased-version-is-offered",
    file: "src/license/rules/updates.ts",
    find: "version.releasedAt !== null && version.releasedAt <= now",
    replace: "version.releasedAt !== null",
    tests: ["test/license/rules.test.ts"],
  },
]
