// Checks rules that types cannot express and that Biome has no rule for, on the syntax tree.
import type { CallExpression, Expression, Node, VisitorObject } from "oxc-parser"
import type { SourceFile, Violation } from "./source.ts"

/** A rule: the files it applies to, and the nodes it rejects. */
interface CodeRule {
  rule: string
  about: (path: string) => boolean
  /** @param report records a violation at a node; `found` is the offending code */
  visitor: (file: SourceFile, report: (node: Node, found: string) => void) => VisitorObject
}

const under =
  (...folders: string[]) =>
  (path: string) =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`))

const inSource = (path: string) => path.startsWith("src/") && !under("src/client", "src/console/client")(path)
const except =
  (about: (path: string) => boolean, ...files: string[]) =>
  (path: string) =>
    about(path) && !under(...files)(path)

/** Returns the dotted name of an expression: `ctx.log.info`; "" for anything but names. */
function nameOf(node: Node): string {
  if (node.type === "Identifier") return node.name
  if (node.type === "ThisExpression") return "this"
  if (node.type === "MemberExpression") return `${nameOf(node.object)}.${memberOf(node) ?? "?"}`
  return ""
}

/** Returns the name of a member, also of `object["name"]`; null for a computed one. */
function memberOf(node: Node): string | null {
  if (node.type !== "MemberExpression") return null
  const { property } = node
  if (!node.computed && property.type === "Identifier") return property.name
  return property.type === "Literal" && typeof property.value === "string" ? property.value : null
}

/** Returns the function that a chain of calls starts with: `update` for `update(table).set({}).where(x)`. */
function chainStart(node: Expression): string {
  if (node.type === "CallExpression") return chainStart(node.callee as Expression)
  if (node.type === "MemberExpression") return chainStart(node.object as Expression)
  if (node.type === "AwaitExpression") return chainStart(node.argument)
  return node.type === "Identifier" ? node.name : ""
}

/** Rejects calls that a test accepts. */
const rejectCalls =
  (isRejected: (name: string, call: CallExpression) => boolean): CodeRule["visitor"] =>
  (_, report) => ({
    CallExpression(call) {
      const name = nameOf(call.callee)
      if (isRejected(name, call)) report(call, name || (memberOf(call.callee) ?? ""))
    },
  })

const D1_METHODS = ["prepare", "batch", "exec", "raw", "withSession", "dump"]

/** Regular expressions have an `exec`, too: a literal, or a variable that is not named like a database. */
const isPattern = (node: Node): boolean =>
  (node.type === "Literal" && "regex" in node) ||
  (node.type === "Identifier" && !/db|database|session|client|binding|d1/i.test(node.name))

/** LIKE or GLOB in SQL without a literal after it, or with one that is only a part of the pattern. */
const VARIABLE_PATTERN = /\b(like|glob)\b(?!\s*'[^']*'(?!\s*\|\|)).{0,20}/is

const WRITE_BUILDERS = ["insert", "update", "remove", "insertSelect", "writeSql"]

const CLOCKS = ["Date.now", "performance.now", "performance.timeOrigin"]
const RANDOM = ["Math.random", "crypto.randomUUID", "crypto.getRandomValues"]

/** Calls that assert: `expect` and the helpers of test/support. */
const ASSERTION = /\b(expect|assert|check|verify|attack|fuzz)\w*\s*[(.<]|\batEach\(/

/** Names of values that must not be logged. */
const SECRET =
  /(token|secret|password|passphrase|authorization|cookie|credential|e_?mail|apikey|api_key|privatekey)s?$/i

/**
 * Modules whose state tests need not reset: registries that modules fill while they load, and keys that are objects.
 */
const STATEFUL = [
  "src/lib/isolate-state.ts",
  "src/lib/memo.ts",
  "src/core/http/field-docs.ts",
  "src/db/client.ts",
  "src/db/connection.ts",
  "src/db/deferred-writes.ts",
  "src/db/write.ts",
  "src/env.ts",
]

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
  MAIL: ["src/core/mail/send.ts"],
  METRICS: ["src/core/metrics/analytics.ts"],
  VERSION: ["src/env.ts"],
}

const isRulesFile = (path: string): boolean =>
  path.startsWith("src/") && (/\/rules\//.test(path) || /\/(rules|actions|transition|periods|schedule)\.ts$/.test(path))

const CODE_RULES: CodeRule[] = [
  {
    rule: "SQL runs in src/db only",
    about: except(inSource, "src/db", "src/bindings.ts"),
    visitor: (_, report) => ({
      CallExpression({ callee }) {
        const member = memberOf(callee)
        if (!member || !D1_METHODS.includes(member) || callee.type !== "MemberExpression") return
        if (member !== "exec" || !isPattern(callee.object)) report(callee, `.${member}()`)
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
    visitor: (_, report) => ({
      CallExpression(call) {
        if (/^(not)?i?like$/i.test(nameOf(call.callee))) report(call, nameOf(call.callee))
      },
      TaggedTemplateExpression({ tag, quasi }) {
        if (nameOf(tag) !== "sql") return
        const text = quasi.quasis.map(({ value }) => value.raw).join("?")
        if (VARIABLE_PATTERN.test(text)) report(quasi, text.match(VARIABLE_PATTERN)?.[0] ?? "")
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
    }),
  },
  {
    rule: "writes are passed to a writer: a write is a value and does nothing by itself",
    about: except(inSource, "src/db"),
    visitor: (_, report) => ({
      ExpressionStatement({ expression }) {
        const start = chainStart(expression)
        if (WRITE_BUILDERS.includes(start)) report(expression, start)
      },
      AwaitExpression({ argument }) {
        const start = argument.type === "CallExpression" ? chainStart(argument) : ""
        if (WRITE_BUILDERS.includes(start)) report(argument, start)
      },
      UnaryExpression({ operator, argument }) {
        const start = operator === "void" ? chainStart(argument) : ""
        if (WRITE_BUILDERS.includes(start)) report(argument, start)
      },
    }),
  },
  {
    rule: "background work goes to ctx.inBackground, not to void",
    about: inSource,
    visitor: (_, report) => ({
      UnaryExpression({ operator, argument }) {
        const call = argument.type === "ChainExpression" ? argument.expression : argument
        if (operator === "void" && call.type === "CallExpression" && memberOf(call.callee) !== "cancel")
          report(argument, nameOf(call.callee))
      },
    }),
  },
  {
    rule: "request bodies are read by core/http/body",
    about: except(inSource, "src/core/http/body.ts"),
    visitor: rejectCalls(
      (name) =>
        /\.(parseBody|formData)$/.test(name) ||
        /\b(req|request)(\.raw)?\.(json|text|arrayBuffer|blob|bytes)$/.test(name),
    ),
  },
  {
    rule: "globals are used by name, so that the lint rules see them",
    about: inSource,
    visitor: (_, report) => ({
      MemberExpression(node) {
        if (["globalThis", "self"].includes(nameOf(node.object))) report(node, nameOf(node))
      },
    }),
  },
  {
    rule: "the time is ctx.now; work that outlasts its request reads lib/clock",
    about: except(inSource, "src/lib/clock.ts"),
    visitor: (_, report) => ({
      CallExpression({ callee }) {
        if (CLOCKS.includes(nameOf(callee))) report(callee, nameOf(callee))
      },
      NewExpression(node) {
        if (nameOf(node.callee) === "Date" && !node.arguments.length) report(node, "new Date()")
      },
    }),
  },
  {
    rule: "randomness comes from lib/random",
    about: except(inSource, "src/lib/random.ts"),
    visitor: rejectCalls((name) => RANDOM.includes(name)),
  },
  {
    rule: "rules are pure: they do not wait",
    about: isRulesFile,
    visitor: (_, report) => ({
      AwaitExpression: (node) => report(node, "await"),
      FunctionDeclaration(node) {
        if (node.async) report(node, "async")
      },
      ArrowFunctionExpression(node) {
        if (node.async) report(node, "async")
      },
      NewExpression(node) {
        if (nameOf(node.callee) === "Promise") report(node, "Promise")
      },
    }),
  },
  {
    rule: "state of a module is declared with isolateState, which tests reset",
    about: (path) => inSource(path) && !STATEFUL.includes(path),
    visitor: (_, report) => {
      let depth = 0
      const enter = () => void depth++
      const leave = () => void depth--
      return {
        FunctionDeclaration: enter,
        "FunctionDeclaration:exit": leave,
        FunctionExpression: enter,
        "FunctionExpression:exit": leave,
        ArrowFunctionExpression: enter,
        "ArrowFunctionExpression:exit": leave,
        VariableDeclaration(node) {
          if (depth) return
          if (node.kind !== "const") report(node, node.kind)
          for (const { init } of node.declarations) {
            if (init?.type === "ArrayExpression" && !init.elements.length) report(init, "[]")
            if (init?.type !== "NewExpression" || init.arguments.length) continue
            if (/^(Weak)?(Map|Set)$/.test(nameOf(init.callee))) report(init, `new ${nameOf(init.callee)}()`)
          }
        },
      }
    },
  },
  {
    rule: "secrets and personal data are not logged",
    about: inSource,
    visitor: (_, report) => ({
      CallExpression({ callee, arguments: given }) {
        if (!/(^|\.)log\.(debug|info|warn|error)$/.test(nameOf(callee).replaceAll("#", ""))) return
        for (const argument of given) {
          if (SECRET.test(nameOf(argument).split(".").at(-1) ?? "")) report(argument, nameOf(argument))
          if (argument.type === "TemplateLiteral") {
            for (const part of argument.expressions) report(part, "the message is constant; put values into fields")
          }
          if (argument.type !== "ObjectExpression") continue
          for (const property of argument.properties) {
            if (property.type !== "Property") continue
            const names = [nameOf(property.key), nameOf(property.value).split(".").at(-1) ?? ""]
            if (names.some((name) => SECRET.test(name))) report(property, names.join(": "))
          }
        }
      },
    }),
  },
  {
    rule: "every switch ends in assertNever, so that a new member of a union does not compile",
    about: (path) => inSource(path) || path.startsWith("durable/"),
    visitor: ({ text }, report) => ({
      SwitchStatement(node) {
        const last = node.cases.at(-1)
        if (!last || last.test || !/\bassertNever\(/.test(text.slice(last.start, last.end))) report(node, "switch")
      },
    }),
  },
  {
    rule: "tests wait for events, not for time",
    about: except(under("test"), "test/support/timers.ts", "test/browser"),
    visitor: rejectCalls((name) =>
      /^(scheduler\.wait|setTimeout|setInterval|vi\.waitUntil|vi\.waitFor|sleep)$/.test(name),
    ),
  },
  {
    rule: "types are not cast away",
    about: except(inSource, "src/db", "src/lib", "src/bindings.ts"),
    visitor: (_, report) => ({
      TSAsExpression(node) {
        const { typeAnnotation, expression } = node
        if (typeAnnotation.type === "TSNeverKeyword" || typeAnnotation.type === "TSAnyKeyword") report(node, "as never")
        if (expression.type === "TSAsExpression") report(node, "as … as")
        if (memberOf(expression) === "db" || nameOf(expression) === "db") report(node, "a database handle")
      },
      TSTypeAssertion: (node) => report(node, "<…>"),
    }),
  },
  {
    rule: "the name of a card provider is used in its folder only; ask for the kind of billing",
    about: except(
      inSource,
      "src/platform/payments/stripe",
      "src/db/schema/central/billing-providers.ts",
      "src/platform/stores/reserved.ts",
    ),
    visitor: (_, report) => ({
      Literal(node) {
        if (node.value === "stripe") report(node, '"stripe"')
      },
    }),
  },
  {
    rule: "a test asserts something",
    about: (path) => /^test\/.*\.test\.tsx?$/.test(path),
    visitor: ({ text }, report) => ({
      CallExpression(call) {
        if (!/^(test|it)(\.(concurrent|sequential))?$/.test(nameOf(call.callee))) return
        const body = call.arguments.at(-1)
        if (body && /Function/.test(body.type) && !ASSERTION.test(text.slice(body.start, body.end)))
          report(call, "no expect")
      },
    }),
  },
]

/** Finds violations of the code rules in a file. */
export function findCodeViolations(file: SourceFile): Violation[] {
  const lines = file.text.split("\n")
  return CODE_RULES.filter(({ about }) => about(file.path)).flatMap(({ rule, visitor }) => {
    const found: Violation[] = []
    file.visit(
      visitor(file, (node, text) => {
        const line = file.lineAt(node.start)
        if (!/\/\/ lint: \S/.test(lines[line - 2] ?? "")) found.push({ file: file.path, line, rule, found: text })
      }),
    )
    return found
  })
}
