// Writes down several violations of one rule that share their file and their legal counterpart.
import type { Rule } from "./cases.ts"

/** Variants of one rule in files of one kind. */
export const vary = (
  facts: Pick<Rule, "rule" | "by"> & { file: string; legal: string; error: string },
  ...variants: string[]
) => ({
  rule: facts.rule,
  by: facts.by,
  cases: variants.map((violation) => ({ file: facts.file, violation, legal: facts.legal, error: facts.error })),
})
