// Lists the mutants by area. Each was tried: its tests fail with it, or it has a reason why none can.
import { BILLING } from "./billing.ts"
import { LICENSES } from "./licenses.ts"
import type { Mutant } from "./mutant.ts"
import { TENANT_SCOPE } from "./tenant-scope.ts"
import { WEBHOOKS } from "./webhooks.ts"
import { WRITE_PATH } from "./write-path.ts"

export const MUTANTS: Readonly<Record<string, readonly Mutant[]>> = {
  "write-path": WRITE_PATH,
  webhooks: WEBHOOKS,
  billing: BILLING,
  licenses: LICENSES,
  "tenant-scope": TENANT_SCOPE,
}

/** How often a mutant's text occurs in a source. It has to be once, or the mutant is out of date. */
export const countOccurrences = (source: string, { find }: Mutant): number => source.split(find).length - 1

/**
 * Returns the source with the mutant.
 * @throws Error if its text does not occur exactly once
 */
export function applyMutant(source: string, mutant: Mutant): string {
  const count = countOccurrences(source, mutant)
  if (count !== 1) throw new Error(`${mutant.file} contains the text of ${mutant.name} ${count} times instead of once`)
  return source.replace(mutant.find, () => mutant.replace)
}
