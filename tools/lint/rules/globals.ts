// Rules for globals: clocks, randomness, connections, and names that hide them from the other rules.
import { type CodeRule, except, inSource, inWorker, memberOf, nameOf, under, visitReferences } from "../code-rule.ts"

/** Members that read the clock or are random, called or passed on. */
const CLOCKS = ["Date.now", "performance.now", "performance.timeOrigin"]
const RANDOM = ["Math.random", "crypto.randomUUID", "crypto.getRandomValues"]

/** Globals that are only used through a member, so that rules recognize `Date.now` and `Math.random`. */
const NAMED = ["Date", "Math", "performance", "crypto", "console"]

/** Globals that give access to all others. */
const SCOPES = ["globalThis", "self", "global"]

/**
 * Globals that only some modules use, or none: connections that bypass core/outbound, timers that outlast a request,
 * another clock, code from strings, and access to members that rules do not see.
 */
const OWNED: Record<string, readonly string[]> = {
  caches: ["src/core/cache"],
  setTimeout: ["src/lib/deadline.ts", "src/content/push/request.ts"],
  scheduler: [
    "src/core/write",
    "src/db",
    "src/license/external/file-response.ts",
    "src/platform/payments/stripe/api.ts",
    "src/webhooks",
  ],
  setInterval: [],
  setImmediate: [],
  queueMicrotask: [],
  process: ["src/lib/zlib.ts"],
  WebSocketPair: [],
  navigator: [],
  Temporal: [],
  Reflect: [],
  WebSocket: [],
  EventSource: [],
  XMLHttpRequest: [],
  require: [],
  eval: [],
  Function: [],
}

/** Modules that receive the runtime's `waitUntil` and create `ctx.inBackground` with it. */
const mayOutlast = under(
  "src/core/context.ts",
  "src/core/http/surface.ts",
  "src/core/metrics/transient-errors.ts",
  "src/jobs",
  "src/content/blog/caching.ts",
)

/** Whether nothing but its declaration and one statement names a variable. */
const isUsedOnce = (text: string, name: string) => (text.match(new RegExp(`\\b${name}\\b`, "g"))?.length ?? 0) <= 2

/**
 * Comments that turn the compiler, Biome or another linter off. Biome's `format`, and two rules that are
 * about neither types nor promises, may be ignored for a reason.
 */
const DIRECTIVE =
  /(?:\/\/|\/\*|^\s*\*).*?(@ts-[a-z-]+|(?:es|ox|ts)lint[-:]\w+|biome-ignore(?! format\b| lint\/suspicious\/(?:noEmptyInterface|noControlCharactersInRegex)\b).*)/gm

/** Types that are made to be extended: the facts of refusals, counted lists, and the services of apps. */
const EXTENSIBLE = /\/(core\/http\/refusal|db\/schema\/sites\/counters|definition)$/

/** The parts of a date in the time zone of the machine. */
const LOCAL_PARTS =
  /^([gs]et(FullYear|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds)|toLocale(Date|Time)String|to(Date|Time)String)$/

export const GLOBAL_RULES: CodeRule[] = [
  {
    rule: "a date's parts are those in UTC, or in a named time zone",
    about: inWorker,
    visitor: ({ text }, report) => ({
      CallExpression({ callee }) {
        if (LOCAL_PARTS.test(memberOf(callee) ?? "")) report(callee, nameOf(callee))
      },
      NewExpression({ callee, start, end }) {
        if (nameOf(callee) === "Intl.DateTimeFormat" && !text.slice(start, end).includes("timeZone"))
          report(callee, "no time zone")
      },
    }),
  },
  {
    rule: "dates are compared by their time: two objects are never the same",
    about: inWorker,
    mentions: /At [!=]==/,
    visitor: (_, report) => ({
      BinaryExpression({ operator, left, right }) {
        if (/^[!=]==$/.test(operator) && [left, right].every((side) => /At$/.test(memberOf(side) ?? nameOf(side))))
          report(left, operator)
      },
    }),
  },
  {
    rule: "ciphers, signatures and hashes are those of lib, and of the license manager's encryption",
    about: except(inWorker, "src/lib", "src/license/encryption", "src/license/offline/key.ts"),
    mentions: /\bsubtle\b/,
    visitor: (_, report) => ({
      MemberExpression(node) {
        if (memberOf(node) === "subtle") report(node, nameOf(node))
      },
    }),
  },
  {
    rule: "globals are used by name, so that the lint rules see them",
    about: inWorker,
    visitor: ({ path, text }, report) =>
      visitReferences([...NAMED, ...SCOPES, ...Object.keys(OWNED)], (node, isMemberAccess) => {
        const { name } = node
        if (new RegExp(`\\bconst ${name}\\b`).test(text)) return
        const owners = OWNED[name]
        if (owners ? !under(...owners)(path) : SCOPES.includes(name) || !isMemberAccess) report(node, name)
      }),
  },
  {
    rule: "the time is ctx.now; work that outlasts its request reads lib/clock",
    about: except(inSource, "src/lib/clock.ts"),
    mentions: /\bDate\b|\bperformance\b|\bnow\.set|DateTimeFormat/,
    visitor: (_, report) => ({
      MemberExpression(node) {
        if (CLOCKS.includes(nameOf(node))) report(node, nameOf(node))
      },
      NewExpression(node) {
        const isEmpty = node.arguments.every(({ type }) => type === "SpreadElement")
        if (nameOf(node.callee) === "Date" && isEmpty) report(node, "new Date()")
      },
      CallExpression({ callee, arguments: given }) {
        if (callee.type === "MemberExpression" && /(^|\.)now\.set\w+$/.test(nameOf(callee)))
          report(callee, nameOf(callee))
        // Without a date, a format shows the current time.
        if (!given.length && /^format(ToParts)?$/.test(memberOf(callee) ?? "")) report(callee, ".format()")
      },
    }),
  },
  {
    rule: "randomness comes from lib/random",
    about: except(inSource, "src/lib/random.ts"),
    mentions: /\bMath\b|\bcrypto\b/,
    visitor: (_, report) => ({
      MemberExpression(node) {
        if (RANDOM.includes(nameOf(node))) report(node, nameOf(node))
      },
    }),
  },
  {
    rule: "background work goes to ctx.inBackground",
    about: inWorker,
    visitor: ({ path, text }, report) => ({
      UnaryExpression({ operator, argument }) {
        const isWrapped = argument.type === "ChainExpression" || argument.type === "ParenthesizedExpression"
        const call = isWrapped ? argument.expression : argument
        const isHarmless =
          ["AwaitExpression", "AssignmentExpression", "UpdateExpression", "Literal"].includes(call.type) ||
          (call.type === "CallExpression" && memberOf(call.callee) === "cancel")
        if (operator === "void" && !isHarmless) report(argument, "void")
      },
      ExpressionStatement({ expression }) {
        if (expression.type !== "CallExpression" || expression.callee.type !== "MemberExpression") return
        const member = memberOf(expression.callee)
        const { object } = expression.callee
        // A handler on a promise that is awaited elsewhere avoids an unhandled rejection.
        const isStartedHere = object.type === "CallExpression" && memberOf(object.callee) !== "cancel"
        if (!member || !["then", "catch", "finally"].includes(member)) return
        if (isStartedHere || (object.type === "Identifier" && isUsedOnce(text, object.name)))
          report(expression, `.${member}()`)
      },
      MemberExpression(node) {
        if (memberOf(node) === "waitUntil" && !mayOutlast(path)) report(node, nameOf(node))
      },
      Property({ key }) {
        if (nameOf(key) === "waitUntil" && !mayOutlast(path)) report(key, "waitUntil")
      },
      CallExpression({ callee, arguments: [work] }) {
        if (!/^(setTimeout|setInterval|queueMicrotask)$/.test(nameOf(callee))) return
        if (work && "async" in work && work.async) report(callee, nameOf(callee))
      },
    }),
  },
  {
    rule: "types are not turned off",
    about: under("src", "durable"),
    visitor: ({ text }, report) => ({
      Program() {
        for (const { index, 0: comment, 1: directive = "" } of text.matchAll(DIRECTIVE))
          report({ start: index + comment.length }, directive)
      },
      VariableDeclarator(node) {
        if (node.definite) report(node, "!")
      },
      PropertyDefinition(node) {
        if (node.definite) report(node, "!")
      },
      TSModuleDeclaration({ start, id }) {
        if (id.type !== "Literal" || !EXTENSIBLE.test(id.value)) report({ start }, "declare")
      },
      CallExpression({ callee }) {
        if (nameOf(callee) === "z.any") report(callee, "z.any()")
      },
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
    mentions: /stripe/,
    visitor: (_, report) => ({
      Literal(node) {
        const text = "regex" in node ? node.regex.pattern : node.value
        if (typeof text === "string" && /^\^?stripe(:|\$|$)|stripe\.com/.test(text)) report(node, '"stripe"')
      },
      TemplateElement(node) {
        if (/^stripe(:|$)|stripe\.com/.test(node.value.cooked ?? "")) report(node, "`stripe`")
      },
      MemberExpression(node) {
        if (memberOf(node) === "stripe") report(node, nameOf(node))
      },
    }),
  },
]
