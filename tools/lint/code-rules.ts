// Checks rules that types cannot express and that Biome has no rule for, on the syntax tree.
import { type CodeRule, isMarked } from "./code-rule.ts"
import { APP_RULES } from "./rules/apps.ts"
import { CALL_RULES } from "./rules/calls.ts"
import { DATABASE_RULES } from "./rules/database.ts"
import { GLOBAL_RULES } from "./rules/globals.ts"
import { HTTP_RULES } from "./rules/http.ts"
import { INPUT_RULES } from "./rules/input.ts"
import { LOG_RULES } from "./rules/logs.ts"
import { PAGE_RULES } from "./rules/pages.ts"
import { SITE_SQL_RULES } from "./rules/site-sql.ts"
import { STATE_RULES } from "./rules/state.ts"
import { TEST_RULES } from "./rules/tests.ts"
import { TRANSLATION_RULES } from "./rules/translations.ts"
import { UNION_RULES } from "./rules/unions.ts"
import type { SourceFile, Violation } from "./source.ts"

const CODE_RULES: CodeRule[] = [
  ...DATABASE_RULES,
  ...CALL_RULES,
  ...APP_RULES,
  ...SITE_SQL_RULES,
  ...GLOBAL_RULES,
  ...HTTP_RULES,
  ...INPUT_RULES,
  ...PAGE_RULES,
  ...STATE_RULES,
  ...LOG_RULES,
  ...TEST_RULES,
  ...TRANSLATION_RULES,
  ...UNION_RULES,
]

/** Finds violations of the code rules in a file. */
export function findCodeViolations(file: SourceFile): Violation[] {
  const lines = file.text.split("\n")
  const rules = CODE_RULES.filter(({ about, mentions }) => about(file.path) && (!mentions || mentions.test(file.text)))
  return rules.flatMap(({ rule, visitor }) => {
    const found: Violation[] = []
    file.visit(
      visitor(file, (node, text) => {
        const line = file.lineAt(node.start)
        if (!isMarked(lines, line)) found.push({ file: file.path, line, rule, found: text })
      }),
    )
    return found
  })
}
