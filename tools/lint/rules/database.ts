// Rules for databases and other bindings: where SQL runs, who reads a binding, and that writes reach a writer.
import type { CallExpression, Expression, Node, TSTypeAnnotation } from "oxc-parser"
import { findFunction, walk } from "../call-graph.ts"
import { type CodeRule, chainOf, except, inSource, inWorker, memberOf, nameOf } from "../code-rule.ts"
import type { SourceFile } from "../source.ts"

const D1_METHODS = ["prepare", "batch", "exec", "raw", "withSession", "dump"]

/** Regular expressions have an `exec`, too: a literal, or a variable that is not named like a database. */
const isPattern = (node: Node): boolean =>
  (node.type === "Literal" && "regex" in node) ||
  (node.type === "Identifier" && !/db|database|session|client|binding|d1/i.test(node.name))

/** LIKE or GLOB in SQL without a literal after it, or with one that is only a part of the pattern. */
const VARIABLE_PATTERN = /\b(like|glob)\b(?!\s*'[^']*'(?!\s*\|\|)).{0,20}/is

/** Bindings and the modules that own them; src/bindings.ts has their types. */
const BINDING_OWNERS: Record<string, readonly string[]> = {
  DB: ["src/db/client.ts"],
  RATE_LIMIT: ["src/core/http/rate-limit.ts"],
  ENDPOINT_FAILURES: ["src/webhooks/failure-counter.ts"],
  PUSH_QUEUE: ["src/core/queue/send.ts"],
  RETRY_QUEUE: ["src/core/queue/send.ts"],
  JOB_QUEUE: ["src/core/queue/send.ts"],
  SLOW_JOB_QUEUE: ["src/core/queue/send.ts"],
  MEDIA: ["src/core/storage/media.ts"],
  UPDATES: ["src/core/storage/updates.ts"],
  BACKUPS: ["src/core/storage/backups.ts"],
  ARCHIVE: ["src/core/storage/archive.ts"],
  MAIL: ["src/core/mail/send.ts"],
  METRICS: ["src/core/metrics/analytics.ts"],
  VERSION: ["src/env.ts"],
  ASSETS: ["src/core/storage/static-files.ts"],
}

/** The platform's types of bindings, and the modules that may name them, because they wrap one. */
const BINDING_TYPES =
  /^(D1(Database|PreparedStatement)\w*|R2Bucket|Queue|DurableObject(Namespace|Stub)|SendEmail|KVNamespace|Fetcher)$/
const WRAPPERS = ["src/db", "src/bindings.ts", "src/lib/durable.ts", "src/core/queue/send.ts", "src/core/storage"]

const WRITE_BUILDERS = ["insert", "update", "remove", "insertSelect", "writeSql"]
/** Methods that only writes have; `hash.update(text)` is none. */
const WRITE_METHODS = ["set", "values", "where", "returning", "onConflictDoNothing", "onConflictDoUpdate"]
const SCOPES = ["inSite", "acrossSites"]

/** Whether a chain of calls builds a write: `update(table).set(…)`, `inSite(id).remove(table)`, `site.remove(…).where(…)`. */
function isWrite(node: Expression): boolean {
  const [start = "", ...members] = chainOf(node)
  if (WRITE_BUILDERS.includes(start)) return true
  const index = members.findIndex((name) => WRITE_BUILDERS.includes(name))
  return index >= 0 && (SCOPES.includes(start) || members.slice(index + 1).some((name) => WRITE_METHODS.includes(name)))
}

/** Whether a call calls a function that returns a write: `buildRemoval(id)`. */
function callsBuilder(file: SourceFile, { callee }: CallExpression): boolean {
  const found = callee.type === "Identifier" ? findFunction(file, callee.name)?.node : null
  if (!found) return false
  if (found.type === "ArrowFunctionExpression" && found.expression) return isWrite(found.body as Expression)
  let isBuilder = false
  walk(found, (node) => {
    isBuilder ||= node.type === "ReturnStatement" && node.argument !== null && isWrite(node.argument)
    return node === found || !/Function/.test(node.type)
  })
  return isBuilder
}

/** Lists the writes that a discarded value contains: those of its branches, elements and callbacks. */
function discardedWrites(file: SourceFile, node: Node): Node[] {
  const discarded = (part: Node) => discardedWrites(file, part)
  switch (node.type) {
    case "AwaitExpression":
    case "UnaryExpression":
    case "SpreadElement":
      return discarded(node.argument)
    case "ChainExpression":
    case "ParenthesizedExpression":
      return discarded(node.expression)
    case "LogicalExpression":
      return discarded(node.right)
    case "ConditionalExpression":
      return [...discarded(node.consequent), ...discarded(node.alternate)]
    case "SequenceExpression":
      return node.expressions.flatMap(discarded)
    case "ArrayExpression":
      return node.elements.flatMap((element) => (element ? discarded(element) : []))
    case "ArrowFunctionExpression":
      return node.expression ? discarded(node.body) : []
    case "CallExpression": {
      if (isWrite(node) || callsBuilder(file, node)) return [node]
      const isCollection =
        nameOf(node.callee).startsWith("Promise.") || /^(map|flatMap|forEach|filter)$/.test(memberOf(node.callee) ?? "")
      return isCollection ? node.arguments.flatMap(discarded) : []
    }
    default:
      return []
  }
}

/** Tables with few rows, or with one per site, which a query may read completely. */
const SMALL_TABLES = ["alerts", "operators", "plans", "pushAccounts", "shopSettings", "siteIncarnations", "siteLocks"]

/** Returns the calls in a chain by the names of their methods. */
function callsOf(node: Node, calls = new Map<string, CallExpression>()): Map<string, CallExpression> {
  if (node.type === "CallExpression") {
    const member = memberOf(node.callee)
    if (member) calls.set(member, node)
    return callsOf(node.callee, calls)
  }
  return node.type === "MemberExpression" ? callsOf(node.object, calls) : calls
}

/** Lists the expressions that a chain of calls continues: `a.b(1)` and `a.b` for `a.b(1).c`. */
function partsOf(node: Node): Node[] {
  const part = node.type === "CallExpression" ? node.callee : node.type === "MemberExpression" ? node.object : null
  return part ? [part, ...partsOf(part)] : []
}

/** Modules that declare tables, and those that declare tables of sites. */
const TABLES = /\/schema\b|^src\/apps\/[^/]+\/tables\b/
const SITE_TABLES = /\/schema\/sites\/|^src\/apps\/[^/]+\/tables\b/

/** Whether a condition is that on the site, which a handle of a site's database adds anyway. */
function namesSiteOnly(condition: Node): boolean {
  if (condition.type !== "CallExpression") return false
  const { callee, arguments: given } = condition
  if (nameOf(callee) === "and") return given.every(namesSiteOnly)
  if (nameOf(callee) === "eq") return given.some((one) => memberOf(one) === "siteId")
  return /^(condition|joinCondition)$/.test(memberOf(callee) ?? "")
}

/** Returns the table that a query reads completely, or all rows of a site; null for any other expression. */
function findWholeTable(node: Node, { bindings }: SourceFile): string | null {
  const calls = callsOf(node)
  const [table] = calls.get("from")?.arguments ?? []
  const [condition] = calls.get("where")?.arguments ?? []
  const isSelect = calls.has("select") || calls.has("selectDistinct")
  // A query that is dynamic gets its condition from a caller.
  if (!isSelect || calls.has("limit") || calls.has("$dynamic") || table?.type !== "Identifier") return null
  const { target = "", name = "" } = bindings.get(table.name) ?? {}
  if (!TABLES.test(target) || SMALL_TABLES.includes(name)) return null
  return !condition || (SITE_TABLES.test(target) && namesSiteOnly(condition)) ? table.name : null
}

/** Whether a name is that of a database handle, or of the bindings. */
const isHandle = (node: Node) => /^(db|env)$/.test(memberOf(node) ?? nameOf(node))

/** Whether an expression is the Worker's environment. */
const isEnv = (node: Node): boolean =>
  node.type === "TSAsExpression" || node.type === "ParenthesizedExpression" || node.type === "TSSatisfiesExpression"
    ? isEnv(node.expression)
    : (memberOf(node) ?? nameOf(node)) === "env"

/** Types whose values, or parts of them, only their own functions make. */
const BRANDS =
  /^(OutboundUrl|Write|Change|Statement|Description|SiteTable|CentralTable|SiteDatabase|CentralDatabase|Bindings|Env)$/

/** Returns the name of the first brand in a type: `Write` for `readonly Write[]`; null for none. */
function brandIn(type: Node): string | null {
  let found: string | null = null
  walk(type, (node) => {
    if (node.type === "TSTypeReference" && BRANDS.test(nameOf(node.typeName))) found ??= nameOf(node.typeName)
    return undefined
  })
  return found
}

/** Whether an annotation is `unknown`, `any` or `object`. */
const isUntyped = (annotation: TSTypeAnnotation | null | undefined): boolean =>
  /^TS(Unknown|Any|Object)Keyword$/.test(annotation?.typeAnnotation.type ?? "")

export const DATABASE_RULES: CodeRule[] = [
  {
    rule: "SQL runs in src/db only",
    about: except(inSource, "src/db", "src/bindings.ts"),
    visitor: (_, report) => ({
      CallExpression({ callee }) {
        const member = memberOf(callee)
        if (!member || !D1_METHODS.includes(member) || callee.type !== "MemberExpression") return
        if (member !== "exec" || !isPattern(callee.object)) report(callee, `.${member}()`)
      },
      MemberExpression(node) {
        if (nameOf(node) === "sql.raw") report(node, "sql.raw")
      },
      VariableDeclarator({ id }) {
        if (id.type !== "ObjectPattern") return
        for (const property of id.properties) {
          if (property.type === "Property" && D1_METHODS.includes(nameOf(property.key)))
            report(property, nameOf(property.key))
        }
      },
    }),
  },
  {
    rule: "LIKE and GLOB have a constant pattern: D1 allows 50 bytes; search with instr()",
    about: inSource,
    mentions: /\bsql\b/,
    visitor: (_, report) => ({
      TaggedTemplateExpression({ tag, quasi }) {
        if (nameOf(tag) !== "sql") return
        const text = quasi.quasis.map(({ value }) => value.raw).join("?")
        if (VARIABLE_PATTERN.test(text)) report(quasi, text.match(VARIABLE_PATTERN)?.[0] ?? "")
      },
      VariableDeclarator({ init }) {
        if (init && nameOf(init) === "sql") report(init, "keep the name sql")
      },
    }),
  },
  {
    rule: "a binding is read by the module that owns it",
    about: inSource,
    visitor: ({ path }, report) => ({
      CallExpression({ callee, arguments: [, name] }) {
        if (nameOf(callee) !== "binding") return
        const literal = name?.type === "Literal" ? String(name.value) : ""
        if (!BINDING_OWNERS[literal]?.includes(path)) report(callee, `binding ${literal}`)
      },
      TSTypeReference({ typeName }) {
        if (BINDING_TYPES.test(nameOf(typeName)) && !WRAPPERS.some((one) => path === one || path.startsWith(`${one}/`)))
          report(typeName, nameOf(typeName))
      },
    }),
  },
  {
    rule: "a binding is read by the module that owns it: the environment is only passed on",
    about: except(inWorker, "src/env.ts", "src/bindings.ts"),
    mentions: /\benv\b|import\.meta/,
    visitor: (_, report) => ({
      SpreadElement({ argument }) {
        if (isEnv(argument)) report(argument, "...env")
      },
      MemberExpression(node) {
        if (node.computed && isEnv(node.object)) report(node, "env[…]")
      },
      BinaryExpression({ operator, right }) {
        if (operator === "in" && isEnv(right)) report(right, "in env")
      },
      ForInStatement({ right }) {
        if (isEnv(right)) report(right, "in env")
      },
      CallExpression({ callee, arguments: given }) {
        if (/^(Object|JSON|Reflect)\./.test(nameOf(callee)) && given.some(isEnv)) report(callee, nameOf(callee))
      },
      VariableDeclarator({ id, init }) {
        if (!init || !isEnv(init)) return
        if (id.type === "ObjectPattern") report(id, "{ … } = env")
        else if (!isEnv(id)) report(id, "keep the name env")
      },
      Property({ key, value }) {
        if (nameOf(key) === "env" && value.type === "ObjectPattern") report(value, "env: { … }")
      },
      TSTypePredicate({ parameterName }) {
        if (isEnv(parameterName)) report(parameterName, "env is …")
      },
      MetaProperty: (node) => report(node, "import.meta"),
    }),
  },
  {
    rule: "writes are passed to a writer: a write is a value that only a writer runs",
    about: except(inSource, "src/db"),
    visitor: (file, report) => ({
      ExpressionStatement({ expression }) {
        for (const write of discardedWrites(file, expression)) report(write, "a write")
      },
      AwaitExpression({ argument }) {
        for (const write of discardedWrites(file, argument)) report(write, "a write")
      },
    }),
  },
  {
    // D1 bills every row that it reads.
    rule: "a query has a condition or a limit, except of small tables, and the condition on the site limits nothing",
    about: except(inSource, "src/db"),
    mentions: /\.from\(/,
    visitor: (file, report) => {
      /** Parts of chains that were checked as a whole. */
      const checked = new Set<Node>()
      return {
        CallExpression(node) {
          if (checked.has(node)) return
          for (const part of partsOf(node)) checked.add(part)
          const table = findWholeTable(node, file)
          if (table) report(node, table)
        },
      }
    },
  },
  {
    rule: "only core/write adds audit entries, and only the archive removes them",
    about: except(inSource, "src/core/write", "src/platform/audit"),
    mentions: /\bauditEntries\b/,
    visitor: (_, report) => ({
      CallExpression({ callee, arguments: [table] }) {
        const builder = memberOf(callee) ?? nameOf(callee)
        if (WRITE_BUILDERS.includes(builder) && table && nameOf(table) === "auditEntries") report(callee, builder)
      },
    }),
  },
  {
    rule: "types are not cast away",
    about: except(
      inSource,
      ...["src/db", "src/lib", "src/bindings.ts", "src/core/http/route.ts", "src/core/outbound/fetch.ts"],
    ),
    visitor: (_, report) => {
      const typeParameters = new Set<string>()
      /** Parameters of any type: \`value: unknown\`. */
      const untyped = new Set<string>()
      return {
        TSTypeParameter: ({ name }) => void typeParameters.add(name.name),
        Identifier({ name, typeAnnotation }) {
          if (isUntyped(typeAnnotation)) untyped.add(name)
        },
        TSAsExpression(node) {
          const { typeAnnotation, expression } = node
          if (/^TS(Never|Any)Keyword$/.test(typeAnnotation.type)) report(node, "as never")
          if (expression.type === "TSAsExpression") report(node, "as … as")
          if (isHandle(expression)) report(node, nameOf(expression))
          const name = typeAnnotation.type === "TSTypeReference" ? nameOf(typeAnnotation.typeName) : ""
          // A function that casts to any type: `<T>(value: unknown) => value as T`.
          if (typeParameters.has(name) && untyped.has(nameOf(expression))) report(node, name)
          const brand = brandIn(typeAnnotation)
          if (brand) report(node, brand)
        },
        TSTypePredicate({ typeAnnotation }) {
          const brand = typeAnnotation && brandIn(typeAnnotation)
          if (brand) report(typeAnnotation, brand)
        },
        TSTypeAliasDeclaration({ id, typeAnnotation }) {
          const name = typeAnnotation.type === "TSTypeReference" ? nameOf(typeAnnotation.typeName) : ""
          if (BRANDS.test(name)) report(id, `keep the name ${name}`)
        },
        TSTypeAssertion: (node) => report(node, "<…>"),
        // A handle whose type is forgotten can be cast to any other.
        VariableDeclarator({ id, init }) {
          if (init && "typeAnnotation" in id && isUntyped(id.typeAnnotation) && isHandle(init)) report(id, nameOf(init))
        },
      }
    },
  },
]
