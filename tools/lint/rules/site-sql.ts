// Rules for handwritten SQL on site tables: it names its site, and tables by their declarations.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Node } from "oxc-parser"
import { root } from "../../lib/project.ts"
import { type CodeRule, except, inSource, nameOf } from "../code-rule.ts"

/** Modules that declare site tables. */
const DECLARATIONS = /^src\/(db\/schema\/sites\/|apps\/[^/]+\/tables\.ts)/

/** Conditions on a site, and helpers that contain one. */
const NAMES_SITE = /\b(siteId|site_id|inSite|inSiteById|acrossSites|condition|joinCondition|belongsToSite|belongsTo)\b/

/** Modules that name site tables in SQL: recursive and bounded queries, and statements that triggers complete. */
const NAMERS = [
  "src/db",
  "src/apps/ecommerce/orders/queries.ts",
  "src/content/blog/categories/save.ts",
  "src/content/media",
  "src/core/write/event-log.ts",
  "src/core/write/totals.ts",
]

let names: RegExp | undefined

/** Matches the name of a site table in SQL. */
function siteTableName(): RegExp {
  names ??= new RegExp(`(?:^|\\b(?:from|join|into|update)\\s+)["\`]?(?:${readNames().join("|")})\\b`, "i")
  return names
}

function readNames(): string[] {
  const apps = readdirSync(join(root, "src/apps"), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const sites = readdirSync(join(root, "src/db/schema/sites"))
  const files = [
    ...sites.map((name) => `src/db/schema/sites/${name}`),
    // The folder of a new app may have no tables yet.
    ...apps.map(({ name }) => `src/apps/${name}/tables.ts`).filter((file) => existsSync(join(root, file))),
  ]
  return files.flatMap((file) => {
    const found = readFileSync(join(root, file), "utf8").matchAll(/siteTable\(\s*"(\w+)"/g)
    return [...found].flatMap(([, name]) => name ?? [])
  })
}

const isSql = (node: Node) => nameOf(node) === "sql"

export const SITE_SQL_RULES: CodeRule[] = [
  {
    rule: "SQL names site tables by their declarations",
    about: except(inSource, ...NAMERS),
    mentions: /\bsql\b/,
    visitor: (_, report) => ({
      TaggedTemplateExpression({ tag, quasi }) {
        if (!isSql(tag)) return
        const [name] = siteTableName().exec(quasi.quasis.map(({ value }) => value.raw.trim()).join(" ? ")) ?? []
        if (name) report(quasi, name)
      },
      CallExpression({ callee, arguments: [name] }) {
        if (nameOf(callee) === "sql.identifier" && name?.type === "Literal" && siteTableName().test(String(name.value)))
          report(callee, String(name.value))
      },
    }),
  },
  {
    rule: "every statement on a site database names its site: SQL has a condition on it",
    about: except(inSource, "src/db"),
    mentions: /\bsql\b/,
    visitor: ({ imports, text }, report) => {
      const tables = new Set(imports.filter(({ target }) => DECLARATIONS.test(target)).flatMap((one) => one.names))
      const isScoped = NAMES_SITE.test(text)
      return {
        TaggedTemplateExpression({ tag, quasi }) {
          if (!isSql(tag)) return
          for (const [index, node] of quasi.expressions.entries()) {
            const before = quasi.quasis[index]?.value.raw ?? ""
            if (node.type !== "Identifier" || !tables.has(node.name)) continue
            if (!/\b(from|join|into|update)\s+$/i.test(before)) continue
            const rest = quasi.quasis.slice(index + 1).map(({ value }) => value.raw)
            if (!isScoped || !/\b(where|on)\b/i.test(rest.join(" "))) report(node, node.name)
          }
        },
      }
    },
  },
]
